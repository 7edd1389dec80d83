// From a picture to the pieces that are drawn: which solid, on which body, where, how large. No graphics here.
import type { Color } from 'three';
import type { Picture, PictureBody, PictureJoint, Vec3 } from '../source';
import type { SceneColors } from './colors';
import type { SolidKind } from './solids';

export interface Piece {
  solid: SolidKind;
  body: number;
  place: number[];      // position and quaternion in the body
  extent: number[];     // x, y, z, r of the solid
  scale?: number[];
  color: Color;
}

export interface Chain {
  bodies: number[];
  flip: boolean[];      // a rod whose x axis points against the chain
  radius: number;
  closed: boolean;
}

const kShortestTube = 6;   // rods; fewer are drawn as what they are
const kStraight = [0, 0, 0, 0, 0, 0, 1];

// Radius of a thing without a size of its own.
export function glyphRadius(picture: Picture): number {
  const size = picture.size || 1, many = picture.bodies.length;
  return size * (many > 400 ? 0.004 : many > 60 ? 0.007 : 0.014);
}

// Radius of the thinnest line that is drawn.
export function thinnest(picture: Picture): number {
  return 0.0035 * (picture.size || 1);
}

export function bodyPieces(picture: Picture, colors: SceneColors, inTube: Set<number>): Piece[] {
  const pieces: Piece[] = [], glyph = glyphRadius(picture);
  picture.bodies.forEach((body, i) => {
    const piece = inTube.has(i) ? null : bodyPiece(body, i, glyph, bodyColor(picture, i, colors));
    if (piece) pieces.push(piece);
  });
  return pieces;
}

// Marks by which one sees discs, hoops and balls turn.
export function turnMarks(picture: Picture, colors: SceneColors): Piece[] {
  const pieces: Piece[] = [];
  if (picture.bodies.length > 400) return pieces;
  picture.bodies.forEach((body, i) => {
    const [r, , thick] = body.shape.size, color = bodyColor(picture, i, colors).clone().multiplyScalar(0.55);
    if (body.shape.kind === 'disc') {
      const half = 1.02 * Math.max(0.5 * thick, 0.045 * r) + 0.004 * r;
      for (const angle of [0, 2, 4]) {
        const a = (angle * Math.PI) / 3;
        pieces.push({ solid: 'disc', body: i, place: [0.62 * r * Math.cos(a), 0.62 * r * Math.sin(a), 0, 0, 0, 0, 1], extent: [0.13 * r, 0.13 * r, half, 0.003 * r], color });
      }
    }
    if (body.shape.kind === 'sphere' && body.velocities >= 6) {
      pieces.push({ solid: 'hoop', body: i, place: [0, 0, 0, Math.SQRT1_2, 0, 0, Math.SQRT1_2], extent: [r, r, 0, 0.012 * r], color });   // a meridian
    }
    if (body.shape.kind === 'hoop') pieces.push({ solid: 'sphere', body: i, place: [r, 0, 0, 0, 0, 0, 1], extent: [0, 0, 0, 0.07 * r], color });
  });
  return pieces;
}

export function bodyColor(picture: Picture, i: number, colors: SceneColors): Color {
  const body = picture.bodies[i];
  if (body.chain >= 0) return colors.bodies[body.chain % colors.bodies.length];
  if (body.shape.kind === 'point') return colors.bodies[0];   // particles are alike
  if (body.source === 'generated' && picture.bodies.length > 24) return colors.bodies[(body.name.length + body.shape.kind.length) % 3];
  return colors.bodies[i % colors.bodies.length];
}

export function bodyPiece(body: PictureBody, i: number, glyph: number, color: Color, grow = 0): Piece | null {
  const [a, b, c] = body.shape.size, on = { body: i, place: kStraight, color };
  switch (body.shape.kind) {
    case 'rod': {
      const r = Math.max(b, 0.2 * glyph) + grow;   // never so thin that it cannot be seen
      return { ...on, solid: 'capsule', extent: [0.5 * a, 0, 0, r] };
    }
    case 'sphere': return { ...on, solid: 'sphere', extent: [0, 0, 0, a + grow] };
    case 'box': {
      // planar boxes have no depth of their own
      const depth = c || 0.35 * Math.min(a, b), bevel = 0.09 * Math.min(a, b, depth);
      return { ...on, solid: 'box', extent: [0.5 * a - bevel, 0.5 * b - bevel, 0.5 * depth - bevel, bevel + grow] };
    }
    case 'disc': {
      const half = Math.max(0.5 * c, 0.045 * a), bevel = Math.min(0.3 * half, 0.06 * a);
      return { ...on, solid: 'disc', extent: [a - bevel, a - bevel, half - bevel, bevel + grow] };
    }
    case 'hoop': return { ...on, solid: 'hoop', extent: [a, a, 0, 0.035 * a + grow] };
    case 'ellipsoid': return { ...on, solid: 'sphere', extent: [0, 0, 0, 1], scale: [a + grow, b + grow, c + grow] };
    case 'none': case 'mesh-less': return null;
    default: return { ...on, solid: 'sphere', extent: [0, 0, 0, Math.max(a, glyph) + grow] };
  }
}

// Bodies whose chain has a tube among the tracks.
export function bodiesOfTubes(picture: Picture): number[] {
  const chains = new Set(picture.tracks.filter((t) => t.of.startsWith('chain ')).map((t) => Number(t.of.slice(6))));
  return picture.bodies.flatMap((body, i) => (chains.has(body.chain) ? [i] : []));
}

// Serial chains of rods that are long enough to be drawn as one tube, where no track draws it already.
export function findChains(picture: Picture, poses: Float32Array): Chain[] {
  const members = new Map<number, number[]>(), drawn = new Set(bodiesOfTubes(picture));
  picture.bodies.forEach((body, i) => {
    if (body.chain < 0 || drawn.has(i) || body.shape.kind !== 'rod') return;
    const list = members.get(body.chain);
    if (list) list.push(i); else members.set(body.chain, [i]);
  });
  const chains: Chain[] = [];
  for (const bodies of members.values()) {
    if (bodies.length < kShortestTube) continue;
    const flip: boolean[] = [];
    for (let k = 0; k < bodies.length; ++k) flip.push(k === 0 ? pointsAway(picture, poses, bodies[0], bodies[1]) : nearerEnd(picture, poses, bodies[k], bodies[k - 1]));
    const first = end(picture, poses, bodies[0], flip[0] ? 1 : -1), n = bodies.length - 1, last = end(picture, poses, bodies[n], flip[n] ? -1 : 1);
    const length = picture.bodies[bodies[0]].shape.size[0];
    const closed = bodies.length > 8 && Math.hypot(first[0] - last[0], first[1] - last[1], first[2] - last[2]) < 0.05 * length;
    chains.push({ bodies, flip, closed, radius: Math.max(picture.bodies[bodies[0]].shape.size[1], thinnest(picture)) });
  }
  return chains;
}

function end(picture: Picture, poses: Float32Array, i: number, side: number): Vec3 {
  const at = 7 * i, half = 0.5 * side * picture.bodies[i].shape.size[0];
  const x = poses[at + 3], y = poses[at + 4], z = poses[at + 5], w = poses[at + 6];
  return [poses[at] + half * (1 - 2 * (y * y + z * z)), poses[at + 1] + half * 2 * (x * y + z * w), poses[at + 2] + half * 2 * (x * z - y * w)];
}

function nearest(picture: Picture, poses: Float32Array, p: Vec3, other: number): number {
  const [a, b] = [end(picture, poses, other, -1), end(picture, poses, other, 1)];
  return Math.min(Math.hypot(p[0] - a[0], p[1] - a[1], p[2] - a[2]), Math.hypot(p[0] - b[0], p[1] - b[1], p[2] - b[2]));
}

// Whether the +x end of a rod is the one that touches the rod before it.
function nearerEnd(picture: Picture, poses: Float32Array, i: number, before: number): boolean {
  return nearest(picture, poses, end(picture, poses, i, 1), before) < nearest(picture, poses, end(picture, poses, i, -1), before);
}

function pointsAway(picture: Picture, poses: Float32Array, i: number, after: number): boolean {
  return nearest(picture, poses, end(picture, poses, i, -1), after) < nearest(picture, poses, end(picture, poses, i, 1), after);
}

// Joints inside of a tube are not drawn, nor those of very many; redundant ones always are.
export function isJointDrawn(picture: Picture, joint: PictureJoint, inTube: Set<number>): boolean {
  if (joint.redundant_rows > 0) return true;
  const inside = joint.a.body >= 0 && joint.b.body >= 0 && inTube.has(joint.a.body) && inTube.has(joint.b.body);
  return !inside && picture.joints.length <= 400;
}

// Joints as pins, balls, rails, plates; supports where they are held by the world; rings for motors.
export function jointPieces(picture: Picture, colors: SceneColors, poses: Float32Array, inTube: Set<number>): Piece[] {
  const pieces: Piece[] = [];
  const supports: Vec3[] = [];
  picture.joints.forEach((joint) => {
    if (!isJointDrawn(picture, joint, inTube)) return;
    const redundant = joint.redundant_rows > 0;
    const r = jointRadius(picture, joint), marker = joint.a.body >= 0 ? joint.a : joint.b;
    const place = [...marker.point, ...quaternionOf(marker.axes)], color = redundant ? colors.redundant : colors.pin;
    const on = { body: marker.body, place, color };
    const depth = Math.max(r, thickness(picture, joint) * 1.25);
    switch (joint.glyph) {
      case 'hinge': pieces.push({ ...on, solid: 'disc', extent: [0.8 * r, 0.8 * r, depth, 0.2 * r] }); break;
      case 'ball': pieces.push({ ...on, solid: 'sphere', extent: [0, 0, 0, 1.25 * r] }); break;
      case 'slider': slider(pieces, joint, picture, r, color, colors); break;
      case 'weld': pieces.push({ ...on, solid: 'box', extent: [0.9 * r, 0.9 * r, 0.9 * r, 0.25 * r] }); break;
      case 'point': pieces.push({ ...on, solid: 'sphere', extent: [0, 0, 0, r] }); break;
      case 'curve': case 'bar': case 'rope': case 'rolling': case 'surface': case 'gear': if (redundant) pieces.push({ ...on, solid: 'sphere', extent: [0, 0, 0, r] }); break;   // the line or the contact says it
      case 'other': if (joint.rows > 1 || redundant) pieces.push({ ...on, solid: 'sphere', extent: [0, 0, 0, 0.8 * r] }); break;
      default: break;
    }
    if (joint.grounded && ['hinge', 'ball', 'weld', 'point', 'other', 'bar', 'rope'].includes(joint.glyph)) support(pieces, supports, joint, picture, poses, r, colors);
  });
  return pieces;
}

function slider(pieces: Piece[], joint: PictureJoint, picture: Picture, r: number, color: Color, colors: SceneColors): void {
  // the carriage moves with a, the rail stays with b along the z axis of its marker
  pieces.push({ solid: 'box', body: joint.a.body, place: [...joint.a.point, ...quaternionOf(joint.a.axes)], extent: [1.1 * r, 1.1 * r, 1.8 * r, 0.3 * r], color });
  const long = Math.max(8 * r, 0.22 * picture.size);
  pieces.push({ solid: 'box', body: joint.b.body, place: [...joint.b.point, ...quaternionOf(joint.b.axes)], extent: [0.35 * r, 0.35 * r, long, 0.15 * r], color: colors.support });
}

// A pyramid on a plate, on the side away from the body that it holds; one where several joints share a point.
function support(pieces: Piece[], taken: Vec3[], joint: PictureJoint, picture: Picture, poses: Float32Array, r: number, colors: SceneColors): void {
  const world = joint.b.body < 0 ? joint.b : joint.a, held = joint.b.body < 0 ? joint.a.body : joint.b.body, p = world.point;
  if (world.body >= 0 || held < 0) return;
  if (taken.some((t) => Math.hypot(t[0] - p[0], t[1] - p[1], t[2] - p[2]) < r)) return;
  if (taken.length > 200) return;
  taken.push(p);
  const up = picture.up, at = 7 * held;
  const above = (poses[at] - p[0]) * up[0] + (poses[at + 1] - p[1]) * up[1] + (poses[at + 2] - p[2]) * up[2];
  const far = Math.hypot(poses[at] - p[0], poses[at + 1] - p[1], poses[at + 2] - p[2]);
  const sign = above < -0.35 * far ? -1 : 1;
  pieces.push({ solid: 'bracket', body: -1, place: [p[0], p[1], p[2], ...turnZTo([sign * up[0], sign * up[1], sign * up[2]])], extent: [0, 0, 0, 1.5 * r], color: colors.support });
}

export function motorPieces(picture: Picture, colors: SceneColors): Piece[] {
  const pieces: Piece[] = [];
  for (const force of picture.forces) {
    if (force.glyph !== 'motor' || force.ends.length === 0) continue;
    const end = force.ends.find((e) => e.body >= 0);
    if (!end) continue;
    const joint = picture.joints.find((j) => [j.a, j.b].some((m) => m.body === end.body && Math.hypot(m.point[0] - end.point[0], m.point[1] - end.point[1], m.point[2] - end.point[2]) < 1e-3 * picture.size));
    const marker = joint ? (joint.a.body === end.body ? joint.a : joint.b) : null;
    const r = joint ? jointRadius(picture, joint) : 0.75 * glyphRadius(picture);
    const place = [...end.point, ...(marker ? quaternionOf(marker.axes) : [0, 0, 0, 1])];
    pieces.push({ solid: 'hoop', body: end.body, place, extent: [2.1 * r, 2.1 * r, 0, 0.36 * r], color: force.on ? colors.motor : colors.off });
  }
  return pieces;
}

function thickness(picture: Picture, joint: PictureJoint): number {
  let most = 0;
  for (const m of [joint.a, joint.b]) {
    const body = picture.bodies[m.body];
    if (!body) continue;
    const [a, b, c] = body.shape.size;
    if (body.shape.kind === 'rod') most = Math.max(most, b);
    if (body.shape.kind === 'disc') most = Math.max(most, 0.5 * c, 0.045 * a);
    if (body.shape.kind === 'box' && body.planar) most = Math.max(most, 0.175 * Math.min(a, b));
  }
  return Math.min(most, 0.06 * picture.size);
}

export function jointRadius(picture: Picture, joint: PictureJoint): number {
  const size = picture.size || 1;
  let r = 0;
  for (const m of [joint.a, joint.b]) {
    const body = picture.bodies[m.body];
    if (body && body.shape.kind === 'rod') r = Math.max(r, 0.95 * body.shape.size[1]);
  }
  const many = picture.joints.length > 60;
  return Math.min(Math.max(r, (many ? 0.0012 : 0.008) * size), (many ? 0.012 : 0.02) * size);
}

// Rotation matrix (row-major) to quaternion x y z w.
export function quaternionOf(m: number[]): [number, number, number, number] {
  if (m.length < 9) return [0, 0, 0, 1];
  const trace = m[0] + m[4] + m[8];
  if (trace > 0) {
    const s = 0.5 / Math.sqrt(trace + 1);
    return [(m[7] - m[5]) * s, (m[2] - m[6]) * s, (m[3] - m[1]) * s, 0.25 / s];
  }
  if (m[0] > m[4] && m[0] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[0] - m[4] - m[8]);
    return [0.25 * s, (m[1] + m[3]) / s, (m[2] + m[6]) / s, (m[7] - m[5]) / s];
  }
  if (m[4] > m[8]) {
    const s = 2 * Math.sqrt(1 + m[4] - m[0] - m[8]);
    return [(m[1] + m[3]) / s, 0.25 * s, (m[5] + m[7]) / s, (m[2] - m[6]) / s];
  }
  const s = 2 * Math.sqrt(1 + m[8] - m[0] - m[4]);
  return [(m[2] + m[6]) / s, (m[5] + m[7]) / s, 0.25 * s, (m[3] - m[1]) / s];
}

// The shortest turn that brings z to a unit direction.
function turnZTo(d: Vec3): [number, number, number, number] {
  const w = 1 + d[2];
  if (w < 1e-9) return [1, 0, 0, 0];
  const n = Math.hypot(d[0], d[1], w);
  return [-d[1] / n, d[0] / n, 0, w / n];
}
