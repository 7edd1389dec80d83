// From frames that arrive unevenly to a smooth picture: shows the motion a moment late and interpolates
// between the two frames around that moment. Nothing is allocated while it runs.
import type { Frame } from '../source';

const kKept = 8;           // frames
const kLate = 1.6;         // intervals between frames that the picture is behind the newest one
const kPull = 4;           // 1/s, how fast the shown time is pulled to where it should be

export class FrameClock {
  poses = new Float32Array();    // interpolated, as in a frame
  points = new Float32Array();
  arrows = new Float32Array();   // interpolated too: a force stays where its body is drawn
  newest: Frame | null = null;
  time = 0;                      // s, shown
  private frames: Frame[] = [];
  private arrived: number[] = [];
  private settled = true;        // the newest frame is shown as it is

  push(frame: Frame, now: number): void {
    const last = this.newest;
    this.newest = frame;
    // a jump (seek, reset, another structure, pause) is shown at once
    const jump = !last || !frame.playing || frame.revision !== last.revision || frame.time <= last.time ||
      frame.past !== last.past || frame.poses.length !== last.poses.length || now - this.arrived[this.arrived.length - 1] > 400;
    if (jump) {
      this.frames.length = 0;
      this.arrived.length = 0;
      this.time = frame.time;
    } else if (this.frames.length === kKept) {
      this.frames.shift();
      this.arrived.shift();
    }
    this.frames.push(frame);
    this.arrived.push(now);
    this.settled = false;
    if (this.poses.length !== frame.poses.length) this.poses = new Float32Array(frame.poses.length);
    if (this.points.length !== frame.points.length) this.points = new Float32Array(frame.points.length);
  }

  // Speed of a body's centre from the two newest frames (m/s); null when there are none.
  speedOf(body: number): number | null {
    const n = this.frames.length;
    if (n < 2 || 7 * body >= this.frames[n - 1].poses.length) return null;
    const a = this.frames[n - 2], b = this.frames[n - 1], i = 7 * body;
    return Math.hypot(b.poses[i] - a.poses[i], b.poses[i + 1] - a.poses[i + 1], b.poses[i + 2] - a.poses[i + 2]) / (b.time - a.time);
  }

  // Moves the shown time on; returns whether the picture changes.
  advance(now: number, dt: number): boolean {
    const n = this.frames.length;
    if (n === 0 || this.settled) return false;
    const newest = this.frames[n - 1];
    if (n === 1) {
      copyInto(this.poses, newest.poses);
      copyInto(this.points, newest.points);
      this.takeArrows(newest, newest, 0);
      this.time = newest.time;
      this.settled = true;
      return true;
    }
    const span = Math.max(1, this.arrived[n - 1] - this.arrived[0]);
    const rate = (newest.time - this.frames[0].time) / span;                       // s of motion per ms
    const target = newest.time + rate * (now - this.arrived[n - 1] - kLate * span / (n - 1));
    this.time += rate * 1000 * dt;
    this.time += (target - this.time) * Math.min(1, kPull * dt);
    this.time = Math.min(newest.time, Math.max(this.frames[0].time, this.time));
    if (this.time >= newest.time) this.settled = true;

    let k = n - 2;
    while (k > 0 && this.frames[k].time > this.time) k -= 1;
    const a = this.frames[k], b = this.frames[k + 1];
    const s = (this.time - a.time) / (b.time - a.time);
    mixPoses(a.poses, b.poses, s, this.poses);
    mix(a.points, b.points, s, this.points);
    this.takeArrows(a, b, s);
    return true;
  }

  // Arrows of joints that only one of the frames knows (a joint broke, arrows were switched on) are those of the nearer frame.
  private takeArrows(a: Frame, b: Frame, s: number): void {
    const nearer = s < 0.5 ? a : b;
    if (this.arrows.length !== nearer.arrows.length) this.arrows = new Float32Array(nearer.arrows.length);
    if (sameJoints(a.arrowJoints, b.arrowJoints)) mix(a.arrows, b.arrows, s, this.arrows);
    else copyInto(this.arrows, nearer.arrows);
  }
}

function sameJoints(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

function copyInto(out: Float32Array, from: Float32Array): void {
  out.set(from);
}

function mix(a: Float32Array, b: Float32Array, s: number, out: Float32Array): void {
  for (let i = 0; i < out.length; ++i) out[i] = a[i] + s * (b[i] - a[i]);
}

// Positions linearly; rotations by the normalised mean, the shorter way round.
export function mixPoses(a: Float32Array, b: Float32Array, s: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i += 7) {
    for (let k = i; k < i + 3; ++k) out[k] = a[k] + s * (b[k] - a[k]);
    const dot = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6];
    const sb = dot < 0 ? -s : s;
    let norm = 0;
    for (let k = i + 3; k < i + 7; ++k) {
      out[k] = (1 - s) * a[k] + sb * b[k];
      norm += out[k] * out[k];
    }
    norm = 1 / Math.sqrt(norm);
    for (let k = i + 3; k < i + 7; ++k) out[k] *= norm;
  }
}
