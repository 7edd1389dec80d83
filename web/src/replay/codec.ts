// The bytes of a recording: what src/io/replay/codec.cpp writes, read back. docs/replay.md states the format.
//
// A chunk is a run of frames of one structure. Channels (one coordinate of one body over the frames of the chunk) are
// integers on a grid, stored as differences of some order in zigzag varints.
import type { Picture } from '../source';

export interface Place {
  at: number;               // bytes after the header
  bytes: number;
}

export interface Section {
  picture: Picture;
  position_grid: number;    // m
  rotation_grid: number;
  turns: number[];          // per body: 1 when its orientation is stored
  point_body: number[];     // per point: the body it is fixed to, -1: the world, -2: it is stored
  point_local: number[];    // per point x y z
}

export interface Header {
  generator: string;
  frames: number;
  rate: number;             // frames per second of simulated time
  thinned: boolean;
  position_error: number;   // m
  angle_error: number;      // rad
  low: [number, number, number];    // box around all that moved
  high: [number, number, number];
  about: About;
  samples: Place & { columns: string[] };
  sections: Section[];
  chunks: (Place & { section: number; frames: number })[];
}

export interface About {
  structure?: Record<string, unknown>;
  summary?: Record<string, unknown>;
}

// Poses and stored points of the frames of a chunk, frame after frame.
export interface Chunk {
  frames: number;
  poses: Float32Array;      // frames × bodies × (x y z qx qy qz qw)
  points: Float32Array;     // frames × stored points × (x y z)
}

const kStored = -2, kAllComponents = 4;

export class Recording {
  header!: Header;
  times!: Float64Array;
  columns!: Float64Array[];         // samples, one per name in header.samples.columns
  firstFrame: number[] = [];        // of every chunk
  private bodyAt = 0;               // where the places begin, in bytes
  private text: string;

  // The recording as base64 without white space.
  private constructor(text: string) {
    this.text = text;
  }

  static async open(base64: string): Promise<Recording> {
    const recording = new Recording(base64.trim());
    await recording.readHeader();
    await recording.readSamples();
    return recording;
  }

  private async readHeader(): Promise<void> {
    const head = new DataView(this.slice(0, 12).buffer);
    if (head.getUint32(0, true) !== 0x524e5443) throw new Error('this is not a recording of catena');
    if (head.getUint32(4, true) !== 1) throw new Error(`the recording has format ${head.getUint32(4, true)}, this page reads format 1`);
    const bytes = head.getUint32(8, true);
    this.header = JSON.parse(new TextDecoder().decode(await inflate(this.slice(12, bytes)))) as Header;
    this.bodyAt = 12 + 3 * Math.ceil(bytes / 3);
    let first = 0;
    for (const chunk of this.header.chunks) {
      this.firstFrame.push(first);
      first += chunk.frames;
    }
  }

  // Doubles, byte by byte: first the lowest bytes of all rows of a column, then the next.
  private async readSamples(): Promise<void> {
    const { samples, frames } = this.header;
    const raw = await inflate(this.piece(samples));
    const all: Float64Array[] = [];
    for (let c = 0; c <= samples.columns.length; ++c) {
      const bytes = new Uint8Array(8 * frames);
      for (let b = 0; b < 8; ++b) for (let k = 0; k < frames; ++k) bytes[8 * k + b] = raw[(8 * c + b) * frames + k];
      all.push(new Float64Array(bytes.buffer));
    }
    this.times = all[0];
    this.columns = all.slice(1);
  }

  async chunk(index: number): Promise<Chunk> {
    const place = this.header.chunks[index];
    return decodeChunk(this.header.sections[place.section], await inflate(this.piece(place)), place.frames);
  }

  chunkOf(frame: number): number {
    let low = 0, high = this.firstFrame.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.firstFrame[middle] <= frame) low = middle; else high = middle;
    }
    return low;
  }

  private piece(place: Place): Uint8Array<ArrayBuffer> {
    return this.slice(this.bodyAt + place.at, place.bytes);
  }

  // Three bytes are four characters, and every piece begins at a multiple of three.
  private slice(at: number, bytes: number): Uint8Array<ArrayBuffer> {
    const text = atob(this.text.slice(4 * at / 3, 4 * Math.ceil((at + bytes) / 3)));
    if (text.length < bytes) throw new Error('the recording ends too soon: the file is not complete');
    const out = new Uint8Array(bytes);
    for (let k = 0; k < bytes; ++k) out[k] = text.charCodeAt(k);
    return out;
  }
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Zigzag varints of 7 bits, lowest first; beyond 28 bits by multiplication, since shifts have 32 bits only.
class Reader {
  private at = 0;
  constructor(private bytes: Uint8Array) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new Error('the recording is damaged: a chunk ends too soon');
    return this.bytes[this.at++];
  }

  varint(): number {
    const bytes = this.bytes;
    let next = this.at < bytes.length ? bytes[this.at++] : this.byte();   // which throws
    if (next < 0x80) return next & 1 ? -(next + 1) / 2 : next / 2;
    let value = next & 0x7f, scale = 128;
    while (next >= 0x80) {
      if (this.at >= bytes.length) throw new Error('the recording is damaged: a chunk ends too soon');
      next = bytes[this.at++];
      value += (next & 0x7f) * scale;
      scale *= 128;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

export function decodeChunk(section: Section, bytes: Uint8Array, frames: number): Chunk {
  const reader = new Reader(bytes), bodies = section.turns.length;
  const stored = section.point_body.reduce((n, body) => n + (body === kStored ? 1 : 0), 0);
  const dropped = section.turns.map((turns) => (turns ? reader.byte() : -1));
  let channels = 3 * bodies + 3 * stored;
  for (const d of dropped) if (d >= 0) channels += d === kAllComponents ? 4 : 3;
  const orders = new Uint8Array(channels);
  for (let k = 0; k < channels; ++k) orders[k] = reader.byte();

  const poses = new Float32Array(7 * bodies * frames), points = new Float32Array(3 * stored * frames);
  const values = new Float64Array(frames);
  let channel = 0;
  const read = (out: Float32Array, at: number, stride: number, grid: number): void => {
    for (let k = 0; k < frames; ++k) values[k] = reader.varint();
    for (let d = orders[channel++] - 1; d >= 0; --d) for (let k = d + 1; k < frames; ++k) values[k] += values[k - 1];
    for (let k = 0; k < frames; ++k, at += stride) out[at] = values[k] * grid;
  };
  for (let c = 0; c < 3; ++c) for (let body = 0; body < bodies; ++body) read(poses, 7 * body + c, 7 * bodies, section.position_grid);
  for (let c = 0; c < 4; ++c) {
    for (let body = 0; body < bodies; ++body) {
      if (dropped[body] >= 0 && dropped[body] !== c) read(poses, 7 * body + 3 + c, 7 * bodies, section.rotation_grid);
    }
  }
  for (let c = 0; c < 3; ++c) for (let point = 0; point < stored; ++point) read(points, 3 * point + c, 3 * stored, section.position_grid);
  for (let k = 0; k < frames; ++k) for (let body = 0; body < bodies; ++body) completeQuaternion(poses, 7 * (k * bodies + body) + 3, dropped[body]);
  return { frames, poses, points };
}

function completeQuaternion(q: Float32Array, at: number, dropped: number): void {
  if (dropped < 0) {
    q[at + 3] = 1;
    return;
  }
  let sum = 0;
  for (let c = 0; c < 4; ++c) if (c !== dropped) sum += q[at + c] * q[at + c];
  if (dropped !== kAllComponents) q[at + dropped] = Math.sqrt(Math.max(0, 1 - sum));
  else if (sum > 0) for (let c = 0; c < 4; ++c) q[at + c] /= Math.sqrt(sum);
}

// Poses and all points at a fraction s between frames i and j of two chunks (or of one).
export function interpolate(section: Section, a: Chunk, i: number, b: Chunk, j: number, s: number): { poses: Float32Array; points: Float32Array } {
  const bodies = section.turns.length;
  const poses = new Float32Array(7 * bodies);
  for (let body = 0; body < bodies; ++body) blendPose(a.poses, 7 * (i * bodies + body), b.poses, 7 * (j * bodies + body), s, poses, 7 * body);

  const points = new Float32Array(3 * section.point_body.length);
  const stored = a.frames > 0 ? a.points.length / (3 * a.frames) : 0;
  let ai = 3 * i * stored, bj = 3 * j * stored;
  for (let point = 0; point < section.point_body.length; ++point) {
    const body = section.point_body[point];
    if (body === kStored) {
      for (let c = 0; c < 3; ++c) points[3 * point + c] = a.points[ai + c] + s * (b.points[bj + c] - a.points[ai + c]);
      ai += 3;
      bj += 3;
    } else if (body < 0) {
      for (let c = 0; c < 3; ++c) points[3 * point + c] = section.point_local[3 * point + c];
    } else {
      placePoint(poses, 7 * body, section.point_local, points, 3 * point);
    }
  }
  return { poses, points };
}

function blendPose(a: Float32Array, i: number, b: Float32Array, j: number, s: number, out: Float32Array, at: number): void {
  for (let c = 0; c < 3; ++c) out[at + c] = a[i + c] + s * (b[j + c] - a[i + c]);
  let dot = 0;
  for (let c = 3; c < 7; ++c) dot += a[i + c] * b[j + c];
  const sign = dot < 0 ? -1 : 1;
  let norm = 0;
  for (let c = 3; c < 7; ++c) {
    const q = a[i + c] + s * (sign * b[j + c] - a[i + c]);
    out[at + c] = q;
    norm += q * q;
  }
  norm = Math.sqrt(norm) || 1;
  for (let c = 3; c < 7; ++c) out[at + c] /= norm;
}

// x = p + R(q)·local
function placePoint(poses: Float32Array, at: number, local: number[], out: Float32Array, k: number): void {
  const x = local[k], y = local[k + 1], z = local[k + 2];
  const qx = poses[at + 3], qy = poses[at + 4], qz = poses[at + 5], qw = poses[at + 6];
  const tx = 2 * (qy * z - qz * y), ty = 2 * (qz * x - qx * z), tz = 2 * (qx * y - qy * x);
  out[k] = poses[at] + x + qw * tx + qy * tz - qz * ty;
  out[k + 1] = poses[at + 1] + y + qw * ty + qz * tx - qx * tz;
  out[k + 2] = poses[at + 2] + z + qw * tz + qx * ty - qy * tx;
}
