// A recording as a source: plays, pauses, steps, seeks, at any speed. Everything else needs a simulation.
import { Recording, interpolate, type Chunk } from './codec';
import './replay.css';
import { summaryOf } from './summary';
import { h } from '../dom';
import { SourceBase, type Frame, type Request, type Status, type Structure } from '../source';

const kCachedNumbers = 5e7;      // of decoded chunks: 200 MB
const kStatusPeriod = 100;       // ms
const kShortest = 5;             // s: shorter runs are shown slower

export class ReplaySource extends SourceBase {
  readonly live = false;
  recording: Recording | null = null;
  private chunks = new Map<number, Chunk>();            // decoded, oldest use first
  private decoding = new Map<number, Promise<Chunk>>();
  private section = -1;
  private time = 0;
  private playing = false;
  private speed = 1;
  private wanted = 0;            // counts requests to show a time; only the newest is answered
  private lastTick = 0;
  private lastStatus = 0;
  private readonly summaryPlace = h('div');

  constructor(private text: string) {
    super();
    // pictures and videos show the model alone
    if (hashWords().has('picture')) document.body.dataset.bare = 'true';
  }

  // Filled when the recording has been read.
  summary(): HTMLElement {
    return this.summaryPlace;
  }

  start(): void {
    this.emit('connection', 'connecting');
    this.open().catch((error: unknown) => {
      this.emit('connection', 'lost');
      const message = error instanceof Error ? error.message : String(error);
      this.emit('problem', { type: 'problem', what: 'message', message: `The recording cannot be shown: ${message}.`, before: false });
    });
  }

  private async open(): Promise<void> {
    const recording = await Recording.open(this.text);
    this.text = '';
    this.recording = recording;
    this.summaryPlace.replaceChildren(summaryOf(recording));
    const { times, header } = recording;
    this.time = times[0];
    const duration = this.end - times[0];
    if (duration > 0 && duration < 0.5 * kShortest) this.speed = niceNumber(duration / kShortest);
    this.emit('connection', 'open');
    await this.show(this.time);
    const rows: number[][] = [];
    for (let k = 0; k < header.frames; ++k) rows.push([times[k], ...recording.columns.map((column) => column[k])]);
    this.emit('samples', { type: 'samples', revision: 1, columns: header.samples.columns, rows });
    this.playing = header.frames > 1 && !hashWords().has('still') && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.emitStatus();
    this.lastTick = performance.now();
    requestAnimationFrame(this.tick);
  }

  send(message: Request): void {
    const recording = this.recording;
    let ok = recording !== null;
    if (recording) {
      switch (message.type) {
        case 'play':
          if (this.time >= this.end) this.time = recording.times[0];
          this.playing = recording.header.frames > 1;
          break;
        case 'pause': this.playing = false; break;
        case 'speed': this.speed = Math.max(1e-6, message.value); break;
        case 'reset': this.playing = false; void this.show(recording.times[0]); break;
        case 'seek': this.playing = false; void this.show(message.time); break;
        case 'step': {
          this.playing = false;
          const k = Math.min(Math.max(this.frameAt(this.time) + message.count, 0), recording.header.frames - 1);
          void this.show(recording.times[k]);
          break;
        }
        default: ok = false;
      }
    }
    if (message.id !== undefined) this.emit('reply', { type: 'reply', id: message.id, ok, message: ok ? '' : 'a recording can be watched, not changed' });
    this.emitStatus();
  }

  // Shows an instant; done when the frame has been handed on. Pictures are taken this way, one after the other.
  async show(time: number): Promise<void> {
    const recording = this.recording!;
    const ticket = ++this.wanted;
    this.time = Math.min(Math.max(time, recording.times[0]), this.end);
    const k = this.frameAt(this.time), next = Math.min(k + 1, recording.header.frames - 1);
    const a = recording.chunkOf(k), b = recording.chunkOf(next);
    const [first, second] = await Promise.all([this.decoded(a), this.decoded(b)]);
    if (ticket !== this.wanted) return;

    const { sections, chunks } = recording.header, section = chunks[a].section;
    const [from, to] = [recording.times[k], recording.times[next]];
    // where the structure changes nothing lies between the frames
    const s = chunks[b].section === section && to > from ? (this.time - from) / (to - from) : 0;
    const { poses, points } = s > 0
      ? interpolate(sections[section], first, k - recording.firstFrame[a], second, next - recording.firstFrame[b], s)
      : interpolate(sections[section], first, k - recording.firstFrame[a], first, k - recording.firstFrame[a], 0);
    if (section !== this.section) {
      this.section = section;
      this.emit('structure', this.structure(section));
    }
    const frame: Frame = {
      revision: section + 1, time: this.time, past: false, playing: this.playing, poses, points,
      arrows: new Float32Array(), arrowJoints: new Uint32Array(),
    };
    this.emit('frame', frame);
    this.emitStatus();
    if (a + 1 < chunks.length && this.playing) void this.decoded(a + 1);   // before it is needed
  }

  private tick = (now: number): void => {
    const elapsed = Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    requestAnimationFrame(this.tick);
    if (!this.playing) return;
    const time = this.time + elapsed * this.speed;
    if (time >= this.end) this.playing = false;
    void this.show(time);
  };

  private get end(): number {
    const times = this.recording!.times;
    return times[times.length - 1];
  }

  // The last frame at or before a time.
  private frameAt(time: number): number {
    const times = this.recording!.times;
    let low = 0, high = times.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time + 1e-12) low = middle; else high = middle;
    }
    return low;
  }

  private async decoded(index: number): Promise<Chunk> {
    const known = this.chunks.get(index);
    if (known) {
      this.chunks.delete(index);   // to the end: used last
      this.chunks.set(index, known);
      return known;
    }
    let work = this.decoding.get(index);
    if (!work) {
      work = this.recording!.chunk(index);
      this.decoding.set(index, work);
    }
    const chunk = await work;
    this.decoding.delete(index);
    this.chunks.set(index, chunk);
    let numbers = 0;
    for (const [key, value] of [...this.chunks].reverse()) {
      numbers += value.poses.length + value.points.length;
      if (numbers > kCachedNumbers && key !== index) this.chunks.delete(key);
    }
    return chunk;
  }

  private structure(section: number): Structure {
    const { header } = this.recording!;
    return {
      title: 'Recording', description: '', file: '', dof: 0, rows: 0, redundant_rows: 0, solver: '', solver_reason: '', integrator: '', integrator_reason: '',
      dt: 0, parameters: {}, probes: [], overlays: {}, events: [], notes: [], can_undo: false, can_redo: false, examples: [],
      ...header.about.structure,
      type: 'structure', revision: section + 1,
      picture: { ...header.sections[section].picture, reach: { low: header.low, high: header.high } },
    };
  }

  private emitStatus(): void {
    const recording = this.recording;
    const now = performance.now();
    if (!recording || (this.playing && now - this.lastStatus < kStatusPeriod)) return;
    this.lastStatus = now;
    const { columns } = recording.header.samples, k = this.frameAt(this.time);
    const value = (name: string): number => recording.columns[columns.indexOf(name)]?.[k] ?? NaN;
    const summary = recording.header.about.summary ?? {};
    const number = (key: string): number => (typeof summary[key] === 'number' ? summary[key] : NaN);
    const status: Status = {
      type: 'status', time: this.time, playing: this.playing, speed: this.speed, real_time_factor: number('real_time_factor'),
      recorded: [recording.times[0], this.end], live: true, step: Math.round((this.time - recording.times[0]) / (number('dt') || 1)),
      energy: {
        kinetic: value('energy.kinetic'), gravity: value('energy.gravity'), springs: value('energy.springs'),
        total: value('energy.total'), numerical: value('energy.numerical'),
      },
      constraint_error: value('constraint_error'), residual: number('max_residual'), iterations: NaN, omega_dt: NaN, micros: {},
      hand: null, kinematic: false, arrows: false,
    };
    this.emit('status', status);
  }
}

// Words behind the # of the address.
function hashWords(): Set<string> {
  return new Set(location.hash.slice(1).split('&'));
}

// 1, 2 or 5 times a power of ten, the nearest from above.
export function niceNumber(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x)), m = x / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}
