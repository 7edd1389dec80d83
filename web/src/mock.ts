// A small simulation inside of the page that speaks the same contracts as the server, to develop and test the
// page without one. Points held at distances (position-based, not the engine's method); rods are drawn between them.
import { decodeFrame, encodeFrame } from './frame';
import { mockScene, type MockScene } from './mock_scenes';
import { SourceBase, type Frame, type Request, type Status, type Vec3 } from './source';

const kStep = 1 / 240;   // s
const kSweeps = 40;

export class MockSource extends SourceBase {
  readonly live = true;
  private scene: MockScene;
  private revision = 1;
  private x: Float64Array = new Float64Array();
  private v: Float64Array = new Float64Array();
  private time = 0;
  private steps = 0;
  private playing = true;
  private speed = 1;
  private arrows = false;
  private kinematic = false;
  private shown: number | null = null;   // index into the past, or null: live
  private past: { frame: Frame; x: Float64Array; v: Float64Array; row: number[] }[] = [];
  private hand: { point: number; body: number; offset: Vec3; target: Vec3; force: Vec3 } | null = null;
  private sent = 0;
  private owed = 0;

  constructor(name: string) {
    super();
    this.scene = mockScene(name);
  }

  start(): void {
    this.reset();
    this.emit('connection', 'open');
    this.emitStructure();
    let last = performance.now();
    const tick = () => {
      const now = performance.now();
      this.advance(Math.min(0.1, (now - last) / 1000));
      last = now;
      setTimeout(tick, 1000 / 60);
    };
    tick();
    setInterval(() => this.emitStatus(), 100);
  }

  send(message: Request): void {
    switch (message.type) {
      case 'play': this.playing = true; if (this.shown !== null && this.shown >= this.past.length - 1) this.shown = null; break;
      case 'pause': this.playing = false; break;
      case 'step': this.playing = false; this.shown = null; for (let i = 0; i < message.count; ++i) this.stepOnce(); this.emitFrame(); break;
      case 'speed': this.speed = message.value; break;
      case 'reset': this.reset(); this.emitFrame(); break;
      case 'seek': this.seek(message.time); break;
      case 'branch': this.branch(); break;
      case 'grab': this.grab(message.body, message.target); break;
      case 'drag': if (this.hand) this.hand.target = message.target; break;
      case 'release': this.hand = null; break;
      case 'kinematic': this.kinematic = message.on; break;
      case 'arrows': this.arrows = message.on; this.emitFrame(); break;
      case 'switch': {
        const force = this.scene.structure.picture.forces.find((f) => f.name === message.force);
        if (force) force.on = message.on;
        this.emitStructure();
        break;
      }
      case 'example': this.scene = mockScene(message.name); this.revision += 1; this.reset(); this.emitStructure(); break;
      case 'save': this.emit('saved', { type: 'saved', text: `title: ${this.scene.structure.title}\n` }); break;
      default: break;
    }
    if (message.id !== undefined) this.emit('reply', { type: 'reply', id: message.id, ok: true, message: '' });
    this.emitStatus();
  }

  private emitStructure(): void {
    this.emit('structure', { ...this.scene.structure, revision: this.revision });
    this.emitFrame();
  }

  private reset(): void {
    this.x = Float64Array.from(this.scene.x);
    this.v = new Float64Array(this.x.length);
    this.time = 0; this.steps = 0; this.sent = 0; this.past = []; this.shown = null; this.hand = null;
  }

  private advance(seconds: number): void {
    if (!this.playing) return;
    if (this.shown !== null) {
      this.shown = Math.min(this.past.length - 1, this.shown + Math.max(1, Math.round(seconds * this.speed * 60)));
      if (this.shown >= this.past.length - 1) this.shown = null;
      this.emitFrame();
      return;
    }
    this.owed = Math.min(0.1, this.owed + seconds * this.speed);
    while (this.owed >= kStep) { this.stepOnce(); this.owed -= kStep; }
    this.emitFrame();
    if (this.scene.blowUp && this.time > this.scene.blowUp) {
      this.scene.blowUp = 0;
      this.playing = false;
      this.emit('problem', { type: 'problem', what: 'refused', message: "step refused: the velocities of body 'link3' became larger than 1e6 m/s within one step. The links swing too fast for dt = 4.2 ms (ω·dt = 2.3, must stay below 2). Use a smaller step, or heavier links.", body: 'link3', joint: 'joint3', step: this.steps, time: this.time, before: true });
    }
  }

  // semi-implicit Euler with projection of distances
  private stepOnce(): void {
    const { x, v, scene } = this;
    const n = x.length / 3, before = Float64Array.from(x);
    const g = scene.structure.picture.gravity;
    for (let i = 0; i < n; ++i) {
      if (scene.w[i] === 0) continue;
      for (let k = 0; k < 3; ++k) {
        if (this.kinematic) v[3 * i + k] = 0; else v[3 * i + k] += kStep * g[k];
        x[3 * i + k] += kStep * v[3 * i + k];
      }
    }
    if (this.hand) this.pull();
    for (let sweep = 0; sweep < kSweeps; ++sweep) {
      for (const [i, j, length] of scene.links) this.holdDistance(i, j, length);
      if (this.hand && this.kinematic) for (let k = 0; k < 3; ++k) x[3 * this.hand.point + k] = this.hand.target[k];
    }
    for (let i = 0; i < x.length; ++i) v[i] = (x[i] - before[i]) / kStep;
    this.time += kStep;
    this.steps += 1;
    if (this.steps % 4 === 0) this.record();
  }

  private pull(): void {
    const hand = this.hand!;
    for (let k = 0; k < 3; ++k) {
      const at = 3 * hand.point + k;
      hand.force[k] = 60 * (hand.target[k] - this.x[at]) - 6 * this.v[at];
      this.x[at] += kStep * kStep * hand.force[k] * this.scene.w[hand.point] * 4;
    }
  }

  private holdDistance(i: number, j: number, length: number): void {
    const { x, scene } = this;
    const dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1], dz = x[3 * j + 2] - x[3 * i + 2];
    const d = Math.hypot(dx, dy, dz), w = scene.w[i] + scene.w[j];
    if (w === 0 || d === 0) return;
    const s = (d - length) / (d * w), wi = scene.w[i] * s, wj = scene.w[j] * s;
    x[3 * i] += wi * dx; x[3 * i + 1] += wi * dy; x[3 * i + 2] += wi * dz;
    x[3 * j] -= wj * dx; x[3 * j + 1] -= wj * dy; x[3 * j + 2] -= wj * dz;
  }

  private energies(): { kinetic: number; gravity: number } {
    const g = this.scene.structure.picture.gravity;
    let kinetic = 0, gravity = 0;
    for (let i = 0; i < this.x.length / 3; ++i) {
      if (this.scene.w[i] === 0) continue;
      const m = 1 / this.scene.w[i];
      for (let k = 0; k < 3; ++k) {
        kinetic += 0.5 * m * this.v[3 * i + k] ** 2;
        gravity -= m * g[k] * this.x[3 * i + k];
      }
    }
    return { kinetic, gravity };
  }

  private error(): number {
    let most = 1e-12;
    for (const [i, j, length] of this.scene.links.slice(0, 200)) {
      const d = Math.hypot(this.x[3 * j] - this.x[3 * i], this.x[3 * j + 1] - this.x[3 * i + 1], this.x[3 * j + 2] - this.x[3 * i + 2]);
      most = Math.max(most, Math.abs(d - length));
    }
    return most;
  }

  private row(): number[] {
    const e = this.energies(), end = this.scene.x.length - 3;
    const x = this.x[end], angle = Math.sin(2 * this.time);
    return [this.time, e.kinetic, e.gravity, 0, e.kinetic + e.gravity, 0, this.error(), x, this.x[end + 1], this.x[end + 2], angle, angle + 0.01 * Math.sin(9 * this.time)];
  }

  private record(): void {
    if (this.past.length > 36000) this.past.shift();
    this.past.push({ frame: this.makeFrame(true), x: Float64Array.from(this.x), v: Float64Array.from(this.v), row: this.row() });
  }

  private seek(time: number): void {
    if (this.past.length === 0) return;
    let k = this.past.findIndex((p) => p.frame.time >= time - 1e-9);
    if (k < 0) k = this.past.length - 1;
    this.shown = k;
    this.playing = false;
    this.emitFrame();
  }

  private branch(): void {
    if (this.shown === null) return;
    const from = this.past[this.shown];
    this.x = Float64Array.from(from.x); this.v = Float64Array.from(from.v);
    this.time = from.frame.time; this.steps = Math.round(this.time / kStep);
    this.past.length = this.shown + 1;
    this.sent = Math.min(this.sent, this.past.length);
    this.shown = null;
    this.playing = true;
  }

  private grab(body: number, target: Vec3): void {
    let nearest = -1, least = Infinity;
    for (const i of this.scene.bodyPoints[body]) {
      const d = Math.hypot(this.x[3 * i] - target[0], this.x[3 * i + 1] - target[1], this.x[3 * i + 2] - target[2]);
      if (this.scene.w[i] > 0 && d < least) { least = d; nearest = i; }
    }
    if (nearest >= 0) this.hand = { point: nearest, body, offset: [0, 0, 0], target, force: [0, 0, 0] };
  }

  private makeFrame(past: boolean): Frame {
    const scene = this.scene, bodies = scene.structure.picture.bodies.length;
    const frame: Frame = {
      revision: this.revision, time: this.time, past, playing: this.playing,
      poses: new Float32Array(7 * bodies), points: new Float32Array(3 * scene.structure.picture.points), arrows: new Float32Array(), arrowJoints: new Uint32Array(),
    };
    scene.pose(this.x, this.time, frame.poses, frame.points);
    if (this.arrows) {
      const joints = scene.structure.picture.joints;
      frame.arrows = new Float32Array(6 * joints.length);
      frame.arrowJoints = new Uint32Array(joints.length);
      for (let j = 0; j < joints.length; ++j) {
        const [p, q] = scene.links[j % scene.links.length];
        for (let k = 0; k < 3; ++k) {
          frame.arrows[6 * j + k] = this.x[3 * p + k];
          frame.arrows[6 * j + 3 + k] = (this.x[3 * p + k] - this.x[3 * q + k]) * 40;
        }
        frame.arrowJoints[j] = j;
      }
    }
    return frame;
  }

  private emitFrame(): void {
    const frame = this.shown === null ? this.makeFrame(false) : { ...this.past[this.shown].frame, revision: this.revision, past: true, playing: this.playing };
    this.emit('frame', decodeFrame(encodeFrame(frame)));
  }

  private emitStatus(): void {
    if (this.sent < this.past.length) {
      this.emit('samples', {
        type: 'samples', revision: this.revision,
        columns: ['energy.kinetic', 'energy.gravity', 'energy.springs', 'energy.total', 'energy.numerical', 'constraint_error', 'tip.x', 'tip.y', 'tip.z', 'angle', 'angle~'],
        rows: this.past.slice(this.sent).map((p) => p.row),
      });
      this.sent = this.past.length;
    }
    const e = this.energies();
    const status: Status = {
      type: 'status', time: this.shown === null ? this.time : this.past[this.shown].frame.time, playing: this.playing, speed: this.speed, real_time_factor: 41.5,
      recorded: [this.past[0]?.frame.time ?? 0, this.time], live: this.shown === null, step: this.steps,
      energy: { ...e, springs: 0, total: e.kinetic + e.gravity, numerical: 1.3e-7 }, constraint_error: this.error(), residual: 3.1e-15, iterations: 2, omega_dt: 0.31,
      micros: { step: 38, record: 2, stream: 5 },
      hand: this.hand ? { body: this.hand.body, force: this.hand.force, newton: Math.hypot(...this.hand.force) } : null,
      kinematic: this.kinematic, arrows: this.arrows,
    };
    this.emit('status', status);
  }
}
