// Binary frames: little-endian, a header of 32 bytes, then poses, points and arrows.
import type { Frame } from './source';

export const kMagic = 0x314e5443;  // "CTN1"
const kHeader = 32;                // bytes; a multiple of 4, so that the arrays need no copy
const kPose = 7, kPoint = 3, kArrow = 7;  // numbers of 4 bytes each

export function decodeFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < kHeader) throw new Error(`frame of ${buffer.byteLength} bytes is shorter than its header`);
  const view = new DataView(buffer);
  const magic = view.getUint32(0, true);
  if (magic !== kMagic) throw new Error(`not a frame: magic 0x${magic.toString(16)}`);
  const bodies = view.getUint32(16, true), points = view.getUint32(20, true), arrows = view.getUint32(24, true);
  const flags = view.getUint32(28, true);
  const expected = kHeader + 4 * (kPose * bodies + kPoint * points + kArrow * arrows);
  if (buffer.byteLength !== expected) throw new Error(`frame has ${buffer.byteLength} bytes, expected ${expected}`);

  const posesAt = kHeader, pointsAt = posesAt + 4 * kPose * bodies, arrowsAt = pointsAt + 4 * kPoint * points;
  const frame: Frame = {
    revision: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    past: (flags & 1) !== 0,
    playing: (flags & 2) !== 0,
    poses: new Float32Array(buffer, posesAt, kPose * bodies),
    points: new Float32Array(buffer, pointsAt, kPoint * points),
    arrows: new Float32Array(6 * arrows),
    arrowJoints: new Uint32Array(arrows),
  };
  for (let i = 0; i < arrows; ++i) {
    const at = arrowsAt + 4 * kArrow * i;
    for (let k = 0; k < 6; ++k) frame.arrows[6 * i + k] = view.getFloat32(at + 4 * k, true);
    frame.arrowJoints[i] = view.getUint32(at + 24, true);
  }
  return frame;
}

export function encodeFrame(frame: Frame): ArrayBuffer {
  const bodies = frame.poses.length / kPose, points = frame.points.length / kPoint, arrows = frame.arrowJoints.length;
  const buffer = new ArrayBuffer(kHeader + 4 * (kPose * bodies + kPoint * points + kArrow * arrows));
  const view = new DataView(buffer);
  view.setUint32(0, kMagic, true);
  view.setUint32(4, frame.revision, true);
  view.setFloat64(8, frame.time, true);
  view.setUint32(16, bodies, true);
  view.setUint32(20, points, true);
  view.setUint32(24, arrows, true);
  view.setUint32(28, (frame.past ? 1 : 0) | (frame.playing ? 2 : 0), true);
  let at = kHeader;
  for (const x of frame.poses) { view.setFloat32(at, x, true); at += 4; }
  for (const x of frame.points) { view.setFloat32(at, x, true); at += 4; }
  for (let i = 0; i < arrows; ++i) {
    for (let k = 0; k < 6; ++k) { view.setFloat32(at, frame.arrows[6 * i + k], true); at += 4; }
    view.setUint32(at, frame.arrowJoints[i], true); at += 4;
  }
  return buffer;
}
