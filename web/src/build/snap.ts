// Snapping: the points of the mechanism that a pointer is drawn to. Ends and centres of bodies and the places of joints
// come first; a free place on the working plane goes to the grid.
import type { Picture, Vec3 } from '../source';
import { metres, toLocal, toWorld } from './geometry';
import type { BuildHost, Pose } from './host';
import { gridStep, hit, toGrid, type Plane } from './plane';

export interface Anchor {
  body: number;               // -1: the world
  name: string;               // of the body, or "world"
  local: Vec3;                // body axes; of the world: the place itself
  world: Vec3;
  what: string;               // "end of rod1", "centre of ball2", for the hint
  joint: number;              // index of the joint that is there, or -1
  snapped: boolean;           // false: just a place on a body or on the plane
  around?: number;            // m, see placesOf
}

const kReachMouse = 14, kReachTouch = 26;   // px beyond what is drawn
const kBeside = 48;                         // px from an anchor at which one may have meant it
const kMany = 400;                          // bodies; beyond that only what is under the pointer is looked at
const kLeastGrid = 18;                      // px between grid lines

// The places of a body that others can be snapped to, in its own axes.
// `around`: how far the body is drawn beyond the place, m; a rod ends in a round cap.
export function placesOf(body: Picture['bodies'][number]): { local: Vec3; what: string; around?: number }[] {
  const [x, y, z] = body.shape.size;
  const places: { local: Vec3; what: string; around?: number }[] = [{ local: [0, 0, 0], what: 'centre' }];
  if (body.shape.kind === 'rod') {
    places.push({ local: [-x / 2, 0, 0], what: 'end', around: y }, { local: [x / 2, 0, 0], what: 'end', around: y });
  } else if (body.shape.kind === 'box') {
    for (const sx of [-1, 0, 1]) for (const sy of [-1, 0, 1])
      if (sx || sy) places.push({ local: [sx * x / 2, sy * y / 2, 0], what: sx && sy ? 'corner' : 'side' });
    if (!body.planar) places.push({ local: [0, 0, z / 2], what: 'side' }, { local: [0, 0, -z / 2], what: 'side' });
  } else if (body.shape.kind === 'disc' || body.shape.kind === 'hoop') {
    for (let k = 0; k < 8; ++k) places.push({ local: [x * Math.cos(k * Math.PI / 4), x * Math.sin(k * Math.PI / 4), 0], what: 'rim' });
  } else if (body.shape.kind === 'sphere') {
    for (const s of [-1, 1]) places.push({ local: [s * x, 0, 0], what: 'side' }, { local: [0, s * x, 0], what: 'side' });
  }
  return places;
}

// All anchors of the picture as it is drawn now.
function anchorsOf(host: BuildHost, bodies: Iterable<number>): Anchor[] {
  const picture = host.structure()!.picture;
  const anchors: Anchor[] = [];
  for (const body of bodies) {
    const pose = host.pose(body);
    const entry = picture.bodies[body];
    if (!pose || !entry) continue;
    for (const { local, what, around } of placesOf(entry))
      anchors.push({ body, name: entry.name, local, world: toWorld(pose, local), what: `${what} of ${entry.name}`, joint: -1, snapped: true, around });
  }
  return anchors;
}

function jointAnchors(host: BuildHost, among: (body: number) => boolean): Anchor[] {
  const picture = host.structure()!.picture;
  const anchors: Anchor[] = [];
  picture.joints.forEach((joint, index) => {
    for (const end of [joint.a, joint.b]) {
      if (end.body < 0 || !among(end.body)) continue;
      const pose = host.pose(end.body);
      if (!pose) continue;
      anchors.push({ body: end.body, name: picture.bodies[end.body].name, local: end.point, world: toWorld(pose, end.point), what: joint.name, joint: index, snapped: true });
    }
  });
  return anchors;
}

// What the pointer means: an anchor within reach, else a place on a body, else a place on the plane (null: none there).
// `except`: a body that does not count, the one that is being connected. `grid`: whether free places go to the grid.
export function snap(host: BuildHost, plane: Plane, x: number, y: number, options: { touch?: boolean; except?: number; grid?: boolean } = {}): Anchor | null {
  const structure = host.structure();
  if (!structure) return null;
  const reach = options.touch ? kReachTouch : kReachMouse;
  const picked = host.pick(x, y);
  const count = structure.picture.bodies.length;
  const near = count <= kMany ? Array.from({ length: count }, (_, i) => i) : picked ? [picked.body] : [];
  const counts = (body: number) => body !== options.except && (count <= kMany || body === picked?.body);

  const perPixel = metresPerPixel(host, plane, x, y);
  let best: Anchor | null = null;
  let bestScore = reach;
  for (const anchor of [...jointAnchors(host, counts), ...anchorsOf(host, near.filter(counts))]) {
    const [px, py, ahead] = host.project(anchor.world);
    if (!ahead) continue;
    // the body under the pointer is preferred to others that lie behind or beside it, and ends to centres of edges
    const score = Math.max(0, Math.hypot(px - x, py - y) - (anchor.around ?? 0) / perPixel) + (picked && anchor.body !== picked.body ? 3 : 0) + (anchor.joint >= 0 ? -1 : 0);
    if (score < bestScore) { best = anchor; bestScore = score; }
  }
  if (best) return best;
  if (picked && picked.body !== options.except) {
    const name = structure.picture.bodies[picked.body].name;
    const pose = host.pose(picked.body);
    // a particle has no points but its own
    if (pose && structure.picture.bodies[picked.body].kind.startsWith('particle'))
      return { body: picked.body, name, local: [0, 0, 0], world: pose.p, what: name, joint: -1, snapped: true };
    const world = onPlane(host, plane, x, y, picked.world);
    const local = pose ? toLocal(pose, world) : picked.local;
    return { body: picked.body, name, local, world, what: name, joint: -1, snapped: false };
  }
  return freePlace(host, plane, x, y, options.grid !== false);
}

// The anchor that somebody may have meant who pressed beside it on the board; null when none is near.
export function besideAnchor(host: BuildHost, x: number, y: number): Anchor | null {
  const structure = host.structure();
  if (!structure || structure.picture.bodies.length > kMany) return null;
  let best: Anchor | null = null, nearest = kBeside;
  for (const anchor of [...jointAnchors(host, () => true), ...anchorsOf(host, structure.picture.bodies.keys())]) {
    const [px, py, ahead] = host.project(anchor.world), d = Math.hypot(px - x, py - y);
    if (ahead && d < nearest) { best = anchor; nearest = d; }
  }
  return best;
}

// A hit on the front of a thick body means the point in its middle plane, else hinges would sit on its skin.
function onPlane(host: BuildHost, plane: Plane, x: number, y: number, fallback: Vec3): Vec3 {
  return hit({ ...plane, origin: plane.flat ? plane.origin : fallback }, host.ray(x, y)) ?? fallback;
}

export function freePlace(host: BuildHost, plane: Plane, x: number, y: number, grid: boolean): Anchor | null {
  const place = hit(plane, host.ray(x, y));
  if (!place) return null;
  const step = gridStep(kLeastGrid * metresPerPixel(host, plane, x, y));
  const world = grid ? toGrid(plane, place, step) : place;
  return { body: -1, name: 'world', local: world, world, what: grid ? `grid of ${metres(step)}` : '', joint: -1, snapped: false };
}

export function metresPerPixel(host: BuildHost, plane: Plane, x: number, y: number): number {
  const here = hit(plane, host.ray(x, y)), there = hit(plane, host.ray(x + 8, y));
  if (!here || !there) return 0.01;
  return Math.hypot(there[0] - here[0], there[1] - here[1], there[2] - here[2]) / 8 || 0.01;
}

// Every body that has a place within `reach` metres of a point: what a hinge clicked there joins.
export function bodiesAt(host: BuildHost, point: Vec3, reach: number): Anchor[] {
  const structure = host.structure();
  if (!structure) return [];
  const found = new Map<number, Anchor>();
  const near = (world: Vec3) => Math.hypot(world[0] - point[0], world[1] - point[1], world[2] - point[2]) <= reach;
  const all = structure.picture.bodies.map((_, i) => i);
  for (const anchor of [...jointAnchors(host, () => true), ...anchorsOf(host, all)])
    if (near(anchor.world) && !found.has(anchor.body)) found.set(anchor.body, anchor);
  return [...found.values()];
}

export const anchorAt = (pose: Pose, body: number, name: string, world: Vec3): Anchor =>
  ({ body, name, local: toLocal(pose, world), world, what: name, joint: -1, snapped: false });
