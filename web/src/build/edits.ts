// From gestures to edits: what each tool asks the server to change. Pure functions; an array of edits is one step of undo.
import type { Structure, Vec3 } from '../source';
import { add, distance, dot, length, scale, subtract, tidy, tidyPoint, unit } from './geometry';
import type { Plane } from './plane';
import type { Anchor } from './snap';

export type Edit = { op: 'add-body' | 'connect' | 'delete' | 'set' } & Record<string, unknown>;

const kDensity = 1;          // kg per metre of a rod; so that a rod of one metre weighs one kilogram
const kSag = 0.1;            // a new spring gives way by this part of its length under the weight of its part

// Names that are not taken; several in a row differ.
export class Names {
  private taken: Set<string>;
  constructor(structure: Structure) {
    const { bodies, joints, forces } = structure.picture;
    this.taken = new Set([...bodies, ...joints, ...forces].map((thing) => thing.name));
  }
  next(base: string): string {
    for (let k = 1; ; ++k) {
      const name = `${base}${k}`;
      if (!this.taken.has(name)) { this.taken.add(name); return name; }
    }
  }
}

type End = { body: string; point: Vec3 };
const end = (anchor: Anchor): End => ({ body: anchor.name, point: tidyPoint(anchor.local) });
const isWorld = (anchor: Anchor): boolean => anchor.body < 0;

export interface Drawing {
  structure: Structure;
  plane: Plane;
}

// ---------------------------------------------------------------- parts

// Turns body x along the plane's: a box lies on the board as it was drawn.
const lying = (plane: Plane) => ({ axis: plane.normal, along: plane.x });

// `size`: radius of what was dragged out, m.
export function addPart(kind: 'particle' | 'ball' | 'box' | 'disc', at: Anchor, size: number, { structure, plane }: Drawing): Edit[] {
  const names = new Names(structure);
  const name = names.next(kind);
  const r = tidy(size);
  const sizes = { particle: [tidy(r)], ball: [r], box: [tidy(2 * r), tidy(1.5 * r), tidy(r)], disc: [r, tidy(r / 5)] };
  const edits: Edit[] = [{ op: 'add-body', kind, planar: plane.flat, name, position: tidyPoint(at.world), size: sizes[kind], mass: 1, ...lying(plane) }];
  // what is put on something is joined to it
  if (!isWorld(at))
    edits.push({ op: 'connect', kind: kind === 'particle' ? 'ball' : 'hinge', name: names.next('hinge'), a: { body: name, point: [0, 0, 0] }, b: end(at), axis: plane.normal });
  return edits;
}

// A box from one corner to the opposite one; `least` is the shortest side, m. It is as deep as it is narrow.
export function addBox(from: Anchor, corner: Vec3, least: number, { structure, plane }: Drawing): Edit[] {
  const names = new Names(structure), name = names.next('box');
  const drawn = subtract(corner, from.world), u = dot(drawn, plane.x), v = dot(drawn, plane.y);
  const width = tidy(Math.max(Math.abs(u), least)), height = tidy(Math.max(Math.abs(v), least));
  const right = u < 0 ? -1 : 1, up = v < 0 ? -1 : 1;
  const middle = add(from.world, add(scale(plane.x, right * width / 2), scale(plane.y, up * height / 2)));
  const edits: Edit[] = [{ op: 'add-body', kind: 'box', planar: plane.flat, name, position: tidyPoint(middle), size: [width, height, Math.min(width, height)], mass: 1, ...lying(plane) }];
  if (!isWorld(from))
    edits.push({ op: 'connect', kind: 'hinge', name: names.next('hinge'), a: { body: name, point: [-right * width / 2, -up * height / 2, 0] }, b: end(from), axis: plane.normal });
  return edits;
}

// A rod body from one point to another; ends on parts are hinged, the first end on the board is pinned when `pin`.
export function addRod(from: Anchor, to: Anchor, pin: boolean, { structure, plane }: Drawing): Edit[] {
  const names = new Names(structure);
  const name = names.next('rod');
  const span = distance(from.world, to.world);
  const half = tidy(span / 2);
  const edits: Edit[] = [{ op: 'add-body', kind: 'rod', planar: plane.flat, name, from: tidyPoint(from.world), to: tidyPoint(to.world), mass: tidy(Math.max(0.01, kDensity * span)) }];
  const hinge = (local: Vec3, at: Anchor) =>
    edits.push({ op: 'connect', kind: 'hinge', name: names.next('hinge'), a: { body: name, point: local }, b: end(at), axis: plane.normal });
  if (!isWorld(from) || pin) hinge([-half, 0, 0], from);
  if (!isWorld(to)) hinge([half, 0, 0], to);
  return edits;
}

// ---------------------------------------------------------------- connections

// Two ends, the first on a body; null when neither is.
function ordered(from: Anchor, to: Anchor): [Anchor, Anchor] | null {
  if (!isWorld(from)) return [from, to];
  return isWorld(to) ? null : [to, from];
}

export function addBar(from: Anchor, to: Anchor, { structure }: Drawing): Edit[] | string {
  const ends = ordered(from, to);
  if (!ends) return 'A bar needs a part at one end at least.';
  return [{ op: 'connect', kind: 'rod', name: new Names(structure).next('bar'), a: end(ends[0]), b: end(ends[1]) }];
}

export function addSpring(from: Anchor, to: Anchor, { structure }: Drawing): Edit[] | string {
  const ends = ordered(from, to);
  if (!ends) return 'A spring needs a part at one end at least.';
  const span = distance(from.world, to.world);
  const gravity = length(structure.picture.gravity) || 9.81;
  const mass = ends.reduce((sum, anchor) => sum + (structure.picture.bodies[anchor.body]?.mass ?? 0), 0);
  const stiffness = Number((mass * gravity / (kSag * span)).toPrecision(1));
  // damped to about a tenth of critical, so that it swings and comes to rest
  const damping = Number((0.2 * Math.sqrt(stiffness * mass)).toPrecision(1));
  return [{ op: 'connect', kind: 'spring', name: new Names(structure).next('spring'), a: end(ends[0]), b: end(ends[1]), stiffness, damping }];
}

export function addJoint(kind: 'hinge' | 'ball' | 'weld', from: Anchor, to: Anchor, { structure, plane }: Drawing): Edit[] | string {
  const ends = ordered(from, to);
  if (!ends) return 'Begin on a part.';
  if (ends[0].body === ends[1].body) return 'Both ends are on the same part; go on to another, or to the board.';
  const base = kind === 'ball' ? 'ball-joint' : kind;
  return [{ op: 'connect', kind, name: new Names(structure).next(base), a: end(ends[0]), b: end(ends[1]), axis: plane.normal }];
}

export function addSlider(from: Anchor, to: Anchor, drawn: Vec3, { structure, plane }: Drawing): Edit[] | string {
  const ends = ordered(from, to);
  if (!ends) return 'Begin on a part.';
  const [a, b] = ends;
  // in the plane, and along its x when it was hardly dragged
  const inPlane = subtract(drawn, scale(plane.normal, dot(drawn, plane.normal)));
  const axis = length(inPlane) > 1e-9 ? unit(inPlane) : plane.x;
  const other = a.body === b.body || isWorld(b) ? { body: 'world', point: tidyPoint(a.world) } : end(b);
  return [{ op: 'connect', kind: 'slider', name: new Names(structure).next('slider'), a: end(a), b: other, axis: tidyPoint(axis) }];
}

// Between the two parts of a hinge; on a part without one, against the world.
export function addMotor(at: Anchor, { structure, plane }: Drawing): Edit[] | string {
  if (isWorld(at)) return 'Click a hinge, or a part.';
  const { bodies, joints } = structure.picture;
  const joint = at.joint >= 0 ? joints[at.joint] : null;
  const nameOf = (body: number) => bodies[body]?.name ?? 'world';
  const a = joint ? { body: nameOf(joint.a.body), point: tidyPoint(joint.a.point) } : end(at);
  const b = joint ? { body: nameOf(joint.b.body), point: tidyPoint(joint.b.point) } : { body: 'world', point: tidyPoint(at.world) };
  if (a.body === 'world') return addMotorOf(b, a, structure, plane);
  return addMotorOf(a, b, structure, plane);
}

function addMotorOf(a: End, b: End, structure: Structure, plane: Plane): Edit[] {
  const body = structure.picture.bodies.find((one) => one.name === a.body);
  const reach = Math.max(...(body?.shape.size ?? [1]), 0.1);
  const gain = Number((20 * (body?.mass ?? 1) * reach * reach).toPrecision(1));
  return [{ op: 'connect', kind: 'motor', name: new Names(structure).next('motor'), a, b, axis: plane.normal, speed: 3, gain }];
}

export function addNail(at: Anchor, { structure }: Drawing): Edit[] | string {
  if (isWorld(at)) return 'Click a point of a part.';
  return [{ op: 'connect', kind: 'nail', name: new Names(structure).next('nail'), a: end(at), b: { body: 'world', point: tidyPoint(at.world) } }];
}

// A spline through a drawn line that begins at a point of a part.
export function addCurve(at: Anchor, drawn: Vec3[], { structure }: Drawing): Edit[] | string {
  if (isWorld(at)) return 'Begin on a part: it will slide along what you draw.';
  const total = drawn.slice(1).reduce((sum, point, i) => sum + distance(point, drawn[i]), 0);
  if (drawn.length < 3 || total < 1e-6) return 'Keep the button pressed and draw the wire.';
  const closed = distance(drawn[0], drawn[drawn.length - 1]) < 0.12 * total;
  const points = evenly([at.world, ...drawn.slice(1)], closed ? 16 : 12, total, closed).map(tidyPoint);
  return [{ op: 'connect', kind: 'curve', name: new Names(structure).next('curve'), a: end(at), b: { body: 'world', point: tidyPoint(at.world) }, curve: { kind: 'spline', points, closed } }];
}

// `count` points at equal distances along a drawn line; a hand's tremble does not become part of the wire.
export function evenly(line: Vec3[], count: number, total: number, closed: boolean): Vec3[] {
  const step = total / (closed ? count : count - 1);
  const points: Vec3[] = [line[0]];
  let next = step, gone = 0;
  for (let i = 1; i < line.length && points.length < count; ++i) {
    const piece = distance(line[i], line[i - 1]);
    while (piece > 0 && gone + piece >= next - 1e-9 && points.length < count) {
      const t = (next - gone) / piece;
      points.push([0, 1, 2].map((k) => line[i - 1][k] + t * (line[i][k] - line[i - 1][k])) as Vec3);
      next += step;
    }
    gone += piece;
  }
  return points;
}
