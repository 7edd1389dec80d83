// The state of the page, in one place. What arrives from the source and what the user chooses is written here;
// the scene, the panels and build mode listen to the parts they show.
import { Series } from './series';
import type { Connection, Frame, Problem, Source, Status, Structure } from './source';

export type Selection = { kind: 'body' | 'joint' | 'force'; index: number } | null;
export type Theme = 'system' | 'light' | 'dark';
export type Topic =
  | 'structure' | 'frame' | 'status' | 'samples' | 'problem' | 'connection'   // from the source
  | 'selection' | 'hover' | 'cursor' | 'view' | 'mode' | 'theme';             // from the user

export interface View {
  names: boolean;       // of all bodies, beside them
  grid: boolean;
  shadows: boolean;
  joints: boolean;
}

export class Store {
  structure: Structure | null = null;
  frame: Frame | null = null;            // the newest
  status: Status | null = null;
  problem: Problem | null = null;
  connection: Connection = 'connecting';
  readonly series = new Series();        // samples of the run, for the plots

  selection: Selection = null;
  hover: Selection = null;
  cursor: number | null = null;          // s, where the pointer is on a plot or the time line
  mode: 'watch' | 'build' = 'watch';
  theme: Theme = 'system';
  view: View = { names: false, grid: true, shadows: true, joints: true };

  framesReceived = 0;
  private nextId = 1;
  private waiting = new Map<number, (reply: { ok: boolean; message: string }) => void>();
  private listeners = new Map<Topic, (() => void)[]>();

  constructor(readonly source: Source) {
    source.onStructure((structure) => {
      settleShapes(structure);
      const same = this.structure?.revision === structure.revision;
      this.structure = structure;
      if (!same) {
        this.select(null);
        this.setHover(null);
      }
      this.tell('structure');
    });
    source.onFrame((frame) => {
      this.frame = frame;
      this.framesReceived += 1;
      this.tell('frame');
    });
    source.onStatus((status) => {
      this.status = status;
      this.tell('status');
    });
    source.onSamples((samples) => {
      this.series.add(samples);
      this.tell('samples');
    });
    source.onProblem((problem) => {
      this.problem = problem;
      this.tell('problem');
    });
    source.onConnection((connection) => {
      this.connection = connection;
      this.tell('connection');
    });
    source.onReply((reply) => {
      this.waiting.get(reply.id)?.(reply);
      this.waiting.delete(reply.id);
    });
  }

  on(topics: Topic | Topic[], f: () => void): void {
    for (const topic of Array.isArray(topics) ? topics : [topics]) {
      const list = this.listeners.get(topic) ?? [];
      list.push(f);
      this.listeners.set(topic, list);
    }
  }

  tell(topic: Topic): void {
    for (const f of this.listeners.get(topic) ?? []) f();
  }

  // Sends a request and waits for its reply.
  ask(message: Parameters<Source['send']>[0]): Promise<{ ok: boolean; message: string }> {
    const id = this.nextId++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.source.send({ ...message, id });
    });
  }

  select(selection: Selection): void {
    if (sameSelection(selection, this.selection)) return;
    this.selection = selection;
    this.tell('selection');
  }

  setHover(hover: Selection): void {
    if (sameSelection(hover, this.hover)) return;
    this.hover = hover;
    this.tell('hover');
  }

  setCursor(time: number | null): void {
    if (time === this.cursor) return;
    this.cursor = time;
    this.tell('cursor');
  }

  setMode(mode: 'watch' | 'build'): void {
    if (mode === this.mode) return;
    this.mode = mode;
    document.body.dataset.mode = mode;
    this.tell('mode');
  }

  setView(change: Partial<View>): void {
    Object.assign(this.view, change);
    this.tell('view');
  }

  dismissProblem(): void {
    this.problem = null;
    this.tell('problem');
  }

  // Names what is selected or hovered over.
  nameOf(what: Selection): string {
    const picture = this.structure?.picture;
    if (!what || !picture) return '';
    const list = what.kind === 'body' ? picture.bodies : what.kind === 'joint' ? picture.joints : picture.forces;
    return list[what.index]?.name ?? '';
  }

  findByName(name: string): Selection {
    const picture = this.structure?.picture;
    if (!picture) return null;
    const body = picture.bodies.findIndex((b) => b.name === name);
    if (body >= 0) return { kind: 'body', index: body };
    const joint = picture.joints.findIndex((j) => j.name === name);
    if (joint >= 0) return { kind: 'joint', index: joint };
    const force = picture.forces.findIndex((f) => f.name === name);
    return force >= 0 ? { kind: 'force', index: force } : null;
  }
}

// A round body in the plane is a disc: as a ball it would stand out of the board. A rotor has an angle and no place.
function settleShapes(structure: Structure): void {
  for (const body of structure.picture.bodies) {
    if (body.kind === 'rotor') body.shape = { kind: 'none', size: [0, 0, 0] };
    if (body.kind === 'planar' && body.shape.kind === 'sphere') body.shape = { kind: 'disc', size: [body.shape.size[0], body.shape.size[0], 0.12 * body.shape.size[0]] };
  }
}

function sameSelection(a: Selection, b: Selection): boolean {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.index === b.index);
}
