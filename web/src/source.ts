// What the page knows about the world outside: a source of structures, frames, statuses and samples, and a
// place to send requests to. A server, a recording and the mock all look like this.

export type Vec3 = [number, number, number];

export type ShapeKind = 'point' | 'rod' | 'sphere' | 'box' | 'disc' | 'hoop' | 'ellipsoid' | 'none';

export interface Shape {
  kind: ShapeKind | string;
  size: Vec3;               // m: rod [length, radius, radius], sphere [r, r, r], box full edges, disc [r, r, thickness], ellipsoid semi-axes
}

export interface PictureBody {
  name: string;
  kind: string;
  mass: number;             // kg
  velocities: number;       // how many it has
  shape: Shape;
  planar: boolean;
  chain: number;            // bodies of one serial chain of rods share a number; -1: none
  source: 'explicit' | 'generated' | string;
}

export interface Marker {
  body: number;             // -1: the world
  point: Vec3;              // in the body
  axes: number[];           // rotation from the joint to the body, 3 × 3, row-major: the columns are the joint's x, y, z
}

export interface PictureJoint {
  name: string;
  kind: string;
  rows: number;
  a: Marker;
  b: Marker;
  grounded: boolean;
  redundant_rows: number;
  driven?: boolean;
  conflict?: boolean;       // its rows contradict others
  note?: string;            // what is redundant and what to do
  glyph: 'hinge' | 'ball' | 'slider' | 'weld' | 'point' | 'bar' | 'rope' | 'gear' | 'curve' | 'surface' | 'rolling' | 'other' | string;
}

export interface PictureForce {
  name: string;
  kind: string;
  ends: { body: number; point: Vec3 }[];
  glyph: 'spring' | 'motor' | 'load' | 'drag' | 'other' | string;
  on: boolean;
  commands: string[];
  values?: number[];        // of the commands, now
  limits?: [number, number][];
}

export interface PictureTrack {
  of: string;               // "body 3", "joint 2", "force 0"; "chain 1": the tube of the bodies with that chain number
  closed: boolean;
  radius: number;           // m
  kind: 'rope' | 'bar' | 'spring' | 'wire' | 'curve' | 'tube' | 'arm' | string;
  name: string;
  points: number[];         // indices into the moving points of a frame
}

export interface PictureFixed {
  kind: 'plane' | 'sphere' | 'cylinder' | 'ellipsoid' | 'curve' | string;
  name?: string;
  body?: number;            // the coordinates are those of this body; -1 or none: the world
  point?: Vec3;             // of a plane; centre of the others
  normal?: Vec3;
  axis?: Vec3;
  radius?: number;
  length?: number;          // of a cylinder
  size?: Vec3;              // semi-axes of an ellipsoid
  axes?: number[];
  points?: Vec3[];          // of a curve
  closed?: boolean;
}

export interface Picture {
  up: Vec3;
  gravity: Vec3;
  size: number;             // m, extent of the model
  bodies: PictureBody[];
  joints: PictureJoint[];
  forces: PictureForce[];
  tracks: PictureTrack[];
  fixed: PictureFixed[];
  points: number;           // how many moving points a frame carries
  reach?: { low: Vec3; high: Vec3 };   // box around the whole motion, when it is known (recordings)
}

export interface Probe {
  name: string;
  unit: string;
  components: string[];
}

export interface Example {
  name: string;
  title: string;
  description: string;
}

export interface Parameter {
  value: number | string;
  min?: number;
  max?: number;
  choices?: string[];
  doc?: string;
}

export interface Structure {
  type: 'structure';
  revision: number;
  title: string;
  description: string;
  file: string;
  picture: Picture;
  dof: number;
  rows: number;
  redundant_rows: number;
  solver: string;
  solver_reason: string;
  integrator: string;
  integrator_reason: string;
  dt: number;
  parameters: Record<string, number | string | Parameter>;
  probes: Probe[];
  overlays: Record<string, string[]>;
  events: string[];
  notes: string[];
  can_undo: boolean;
  can_redo: boolean;
  examples: Example[];
}

export interface Energies {
  kinetic: number;
  gravity: number;
  springs: number;
  total: number;
  numerical: number;
}

export interface Hand {
  body: number;
  force: Vec3;
  newton: number;
}

// The last impulse given by hand, and what the hand felt.
export interface Blow {
  body: number;
  point: Vec3;
  impulse: Vec3;                // N·s
  newton_seconds: number;
  change: Vec3;                 // of the point's velocity, m/s
  mass: number;                 // that it met, kg; 0: nothing gave way
  work: number;                 // J
  time: number;                 // s
}

export interface Status {
  type: 'status';
  time: number;
  playing: boolean;
  speed: number;
  real_time_factor: number;
  recorded: [number, number];   // s, the past that can be shown
  live: boolean;                // false: the past is shown
  step: number;
  energy: Energies;
  constraint_error: number;
  residual: number;
  iterations: number;
  omega_dt: number;
  micros: Record<string, number>;
  hand: Hand | null;
  blow?: Blow | null;
  kinematic: boolean;
  arrows: boolean;
}

export interface Samples {
  type: 'samples';
  revision: number;
  columns: string[];            // without the time, or with "t" first
  rows: number[][];             // [t, …]
}

export interface Problem {
  type: 'problem';
  what: 'refused' | 'edit' | 'message' | string;
  message: string;
  body?: string;
  joint?: string;
  step?: number;
  time?: number;
  before: boolean;              // the state just before is offered
}

export interface Saved {
  type: 'saved';
  text: string;
}

export interface Reply {
  type: 'reply';
  id: number;
  ok: boolean;
  message: string;
}

// A frame as it is drawn. The arrays belong to the frame and never change.
export interface Frame {
  revision: number;
  time: number;                 // s
  past: boolean;
  playing: boolean;
  poses: Float32Array;          // bodies × (x y z qx qy qz qw)
  points: Float32Array;         // points × (x y z)
  arrows: Float32Array;         // arrows × (origin x y z, force x y z)
  arrowJoints: Uint32Array;     // arrows × (index of the joint)
}

export type Connection = 'connecting' | 'open' | 'lost';

export type End = { body: number | string; point: Vec3 };

export type Request = { id?: number } & (
  | { type: 'play' | 'pause' | 'reset' | 'branch' | 'release' | 'save' | 'undo' | 'redo' }
  | { type: 'step'; count: number }
  | { type: 'speed'; value: number }
  | { type: 'seek'; time: number }
  | { type: 'grab'; body: number; local: Vec3; target: Vec3 }
  | { type: 'drag'; target: Vec3 }
  | { type: 'strike'; body: number; local: Vec3; target: Vec3 }
  | { type: 'strike'; body: number; local: Vec3; impulse: Vec3 }
  | { type: 'kinematic' | 'arrows'; on: boolean }
  | { type: 'switch'; force: string; on: boolean }
  | { type: 'command'; force: string; values: number[] }
  | { type: 'parameter'; name: string; value: number | string }
  | { type: 'example'; name: string }
  | { type: 'load'; text: string }
  | { type: 'edit'; [key: string]: unknown }
  | { type: 'targets'; poses: Record<string, number[]> }
);

type Listen<T> = (f: (value: T) => void) => void;

// Listeners are never removed: a page has one source for its whole life.
export interface Source {
  onStructure: Listen<Structure>;
  onFrame: Listen<Frame>;
  onStatus: Listen<Status>;
  onSamples: Listen<Samples>;
  onProblem: Listen<Problem>;
  onSaved: Listen<Saved>;
  onReply: Listen<Reply>;
  onConnection: Listen<Connection>;
  send(message: Request): void;
  start(): void;                // after the listeners are in place
  readonly live: boolean;       // false: a recording; only play, pause, step, speed, reset and seek are understood
}

// The listening half of a source; what arrives goes to everyone who listens.
export abstract class SourceBase implements Source {
  private listeners = new Map<string, ((value: never) => void)[]>();

  onStructure = this.listen<Structure>('structure');
  onFrame = this.listen<Frame>('frame');
  onStatus = this.listen<Status>('status');
  onSamples = this.listen<Samples>('samples');
  onProblem = this.listen<Problem>('problem');
  onSaved = this.listen<Saved>('saved');
  onReply = this.listen<Reply>('reply');
  onConnection = this.listen<Connection>('connection');

  abstract readonly live: boolean;
  abstract send(message: Request): void;
  abstract start(): void;

  protected emit(kind: string, value: unknown): void {
    for (const f of this.listeners.get(kind) ?? []) f(value as never);
  }

  private listen<T>(kind: string): Listen<T> {
    return (f) => {
      const list = this.listeners.get(kind) ?? [];
      list.push(f as (value: never) => void);
      this.listeners.set(kind, list);
    };
  }
}
