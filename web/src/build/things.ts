// The things that can be pointed at, edited and deleted: bodies, joints, forces. All are known by their names, because
// numbers change with every edit.
import type { Structure, Vec3 } from '../source';
import { toWorld } from './geometry';
import type { BuildHost } from './host';

export type Kind = 'body' | 'joint' | 'force';

export interface Thing {
  kind: Kind;
  index: number;
  name: string;
  what: string;                 // "rod", "hinge", "spring", in words
}

// An entry of the scene as it is written there, when the server tells.
export type Entries = Record<string, { section: string; kind: string } & Record<string, unknown>>;
export const entriesOf = (structure: Structure): Entries => (structure as Structure & { entries?: Entries }).entries ?? {};

// What the server says of a joint beyond the picture: whether it contradicts others, and what to do about it.
export type Judged = Structure['picture']['joints'][number] & { conflict?: boolean; note?: string };

export function thingsOf(structure: Structure): Thing[] {
  const { bodies, joints, forces } = structure.picture;
  return [
    ...bodies.map((body, index): Thing => ({ kind: 'body', index, name: body.name, what: wordFor(body.shape.kind, body.kind) })),
    ...joints.map((joint, index): Thing => ({ kind: 'joint', index, name: joint.name, what: joint.kind })),
    ...forces.map((force, index): Thing => ({ kind: 'force', index, name: force.name, what: force.kind })),
  ];
}

const wordFor = (shape: string, kind: string): string =>
  shape === 'point' || kind.startsWith('particle') ? 'particle' : shape === 'none' ? kind : shape === 'sphere' ? 'ball' : shape;

export const thingNamed = (structure: Structure, name: string): Thing | null => thingsOf(structure).find((thing) => thing.name === name) ?? null;

// A point of the thing in the world, as it is drawn now.
export function placeOf(host: BuildHost, thing: Thing): Vec3 | null {
  const picture = host.structure()?.picture;
  if (!picture) return null;
  const ends = thing.kind === 'body' ? [{ body: thing.index, point: [0, 0, 0] as Vec3 }]
    : thing.kind === 'joint' ? [picture.joints[thing.index].a, picture.joints[thing.index].b]
    : picture.forces[thing.index].ends;
  const places = ends.map((end) => placeOfEnd(host, end)).filter((place): place is Vec3 => place !== null);
  if (places.length === 0) return null;
  if (thing.kind === 'joint') return places[0];
  return [0, 1, 2].map((k) => places.reduce((sum, place) => sum + place[k], 0) / places.length) as Vec3;
}

function placeOfEnd(host: BuildHost, end: { body: number; point: Vec3 }): Vec3 | null {
  if (end.body < 0) return end.point;
  const pose = host.pose(end.body);
  return pose && toWorld(pose, end.point);
}

const kJointReach = 11, kLineReach = 9;   // px
const kMany = 2000;

// What a click means: the joint at that place, else the body under it, else the spring or bar that runs by.
export function thingAt(host: BuildHost, x: number, y: number): Thing | null {
  const structure = host.structure();
  if (!structure) return null;
  const { joints, forces } = structure.picture;
  const things = thingsOf(structure);
  const bodies = structure.picture.bodies.length;
  const segment = (ends: { body: number; point: Vec3 }[]): [number, number][] =>
    ends.map((end) => placeOfEnd(host, end)).filter((place): place is Vec3 => place !== null).map((place) => host.project(place)).filter((p) => p[2]).map((p) => [p[0], p[1]]);
  if (joints.length + forces.length <= kMany) {
    for (const [index, joint] of joints.entries()) {
      const far = joint.glyph === 'bar' || joint.glyph === 'rope';   // these are lines, see below
      const [place] = far ? [] : segment([joint.a.body >= 0 ? joint.a : joint.b]);
      if (place && Math.hypot(place[0] - x, place[1] - y) < kJointReach) return things[bodies + index];
    }
  }
  const picked = host.pick(x, y);
  if (picked) return things[picked.body];
  if (joints.length + forces.length > kMany) return null;
  for (const [index, joint] of joints.entries())
    if (near(segment([joint.a, joint.b]), x, y)) return things[bodies + index];
  for (const [index, force] of forces.entries())
    if (near(segment(force.ends), x, y)) return things[bodies + joints.length + index];
  return null;
}

// Whether a point is close to a line through places on the screen.
function near(places: [number, number][], x: number, y: number): boolean {
  for (let i = 0; i < places.length; ++i) {
    const a = places[Math.max(0, i - 1)], b = places[i];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const t = Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1)));
    if (Math.hypot(a[0] + t * dx - x, a[1] + t * dy - y) < kLineReach) return true;
  }
  return false;
}
