// Where the camera stands, where the ground lies and how wide its grid is, from the model alone.
import type { Picture, PictureBody, Vec3 } from '../source';

export interface Bounds {
  low: Vec3;
  high: Vec3;
}

export function emptyBounds(): Bounds {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

export function isEmpty(bounds: Bounds): boolean {
  return !(bounds.low[0] <= bounds.high[0]);
}

export function include(bounds: Bounds, x: number, y: number, z: number, r = 0): void {
  if (!Number.isFinite(x + y + z)) return;
  bounds.low[0] = Math.min(bounds.low[0], x - r); bounds.high[0] = Math.max(bounds.high[0], x + r);
  bounds.low[1] = Math.min(bounds.low[1], y - r); bounds.high[1] = Math.max(bounds.high[1], y + r);
  bounds.low[2] = Math.min(bounds.low[2], z - r); bounds.high[2] = Math.max(bounds.high[2], z + r);
}

export function centre(b: Bounds): Vec3 {
  return [0.5 * (b.low[0] + b.high[0]), 0.5 * (b.low[1] + b.high[1]), 0.5 * (b.low[2] + b.high[2])];
}

export function diagonal(b: Bounds): number {
  return isEmpty(b) ? 0 : Math.hypot(b.high[0] - b.low[0], b.high[1] - b.low[1], b.high[2] - b.low[2]);
}

// Bodies with their shapes, moving points, and anchors in the world.
export function boundsOf(picture: Picture, poses: Float32Array, points: Float32Array): Bounds {
  const bounds = emptyBounds();
  for (let i = 0; i < picture.bodies.length && 7 * i + 6 < poses.length; ++i) includeBody(bounds, picture.bodies[i], poses, 7 * i);
  for (let i = 0; i + 2 < points.length; i += 3) include(bounds, points[i], points[i + 1], points[i + 2]);
  for (const joint of picture.joints) {
    if (joint.glyph === 'surface' || joint.glyph === 'rolling' || joint.glyph === 'curve') continue;   // their world marker may be anywhere
    for (const m of [joint.a, joint.b]) if (m.body < 0) include(bounds, m.point[0], m.point[1], m.point[2]);
  }
  for (const f of picture.fixed) if (f.kind === 'curve' && (f.body ?? -1) < 0) for (const p of f.points ?? []) include(bounds, p[0], p[1], p[2]);
  return bounds;
}

function includeBody(bounds: Bounds, body: PictureBody, poses: Float32Array, at: number): void {
  const x = poses[at], y = poses[at + 1], z = poses[at + 2], [a, b, c] = body.shape.size;
  if (body.shape.kind === 'none' || body.shape.kind === 'mesh-less') return;
  if (body.shape.kind === 'rod') {
    const [dx, dy, dz] = turnX(poses, at);
    include(bounds, x + 0.5 * a * dx, y + 0.5 * a * dy, z + 0.5 * a * dz, b);
    include(bounds, x - 0.5 * a * dx, y - 0.5 * a * dy, z - 0.5 * a * dz, b);
  } else if (body.shape.kind === 'box') {
    // the box turned with the body, by its corners
    const qx = poses[at + 3], qy = poses[at + 4], qz = poses[at + 5], qw = poses[at + 6];
    for (let corner = 0; corner < 8; ++corner) {
      const vx = (corner & 1 ? 0.5 : -0.5) * a, vy = (corner & 2 ? 0.5 : -0.5) * b, vz = (corner & 4 ? 0.5 : -0.5) * c;
      const tx = 2 * (qy * vz - qz * vy), ty = 2 * (qz * vx - qx * vz), tz = 2 * (qx * vy - qy * vx);
      include(bounds, x + vx + qw * tx + qy * tz - qz * ty, y + vy + qw * ty + qz * tx - qx * tz, z + vz + qw * tz + qx * ty - qy * tx);
    }
  } else if (body.shape.kind === 'disc' || body.shape.kind === 'hoop') {
    // the disc reaches r·sqrt(1 - n²) along each axis, n its normal
    const n = turnZ(poses, at);
    const reach = n.map((k) => a * Math.sqrt(Math.max(0, 1 - k * k)) + 0.5 * c * Math.abs(k));
    include(bounds, x - reach[0], y - reach[1], z - reach[2]);
    include(bounds, x + reach[0], y + reach[1], z + reach[2]);
  } else {
    include(bounds, x, y, z, Math.max(a, b, c));
  }
}

export function turnX(poses: ArrayLike<number>, at: number): Vec3 {
  const x = poses[at + 3], y = poses[at + 4], z = poses[at + 5], w = poses[at + 6];
  return [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)];
}

function turnZ(poses: ArrayLike<number>, at: number): Vec3 {
  const x = poses[at + 3], y = poses[at + 4], z = poses[at + 5], w = poses[at + 6];
  return [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)];
}

// Adds where an open, hanging structure will swing to: as far to the other side, and below its anchor by its reach.
export function includeSwing(bounds: Bounds, picture: Picture, poses: Float32Array): void {
  const up = picture.up;
  if (Math.hypot(...picture.gravity) === 0) return;
  if (picture.forces.some((f) => f.glyph === 'motor') || picture.joints.some((j) => j.driven)) return;   // held up, not hanging
  const parent = picture.bodies.map((_, i) => i);
  const find = (i: number): number => { while (parent[i] !== i) { parent[i] = parent[parent[i]]; i = parent[i]; } return i; };
  for (const j of picture.joints) if (j.a.body >= 0 && j.b.body >= 0) parent[find(j.a.body)] = find(j.b.body);

  const anchors = new Map<number, Vec3 | null>(), joints = new Map<number, number>(), members = new Map<number, number[]>();
  for (let i = 0; i < picture.bodies.length; ++i) {
    const root = find(i);
    const list = members.get(root);
    if (list) list.push(i); else members.set(root, [i]);
  }
  for (const j of picture.joints) {
    const held = j.a.body >= 0 ? j.a.body : j.b.body;
    if (held < 0) continue;
    const root = find(held);
    joints.set(root, (joints.get(root) ?? 0) + 1);
    const world = j.a.body < 0 ? j.a : j.b.body < 0 ? j.b : null;
    if (world) anchors.set(root, anchors.has(root) || !['hinge', 'ball', 'bar', 'point', 'other'].includes(j.glyph) ? null : world.point);
  }
  for (const [root, bodies] of members) {
    const anchor = anchors.get(root);
    if (!anchor || (joints.get(root) ?? 0) > bodies.length) continue;   // closed, or held more than once
    let reach = 0, height = 0, mass = 0;
    const own = emptyBounds();
    for (const i of bodies) {
      includeBody(own, picture.bodies[i], poses, 7 * i);
      const d = [0, 1, 2].map((k) => poses[7 * i + k] - anchor[k]);
      const size = picture.bodies[i].shape.size;
      reach = Math.max(reach, Math.hypot(d[0], d[1], d[2]) + (picture.bodies[i].shape.kind === 'rod' ? 0.5 * size[0] : Math.max(...size)));
      height += picture.bodies[i].mass * (d[0] * up[0] + d[1] * up[1] + d[2] * up[2]);
      mass += picture.bodies[i].mass;
    }
    if (height > 0.05 * reach * mass || isEmpty(own)) continue;   // stands on its anchor, as a top does
    for (const corner of [own.low, own.high]) {
      const along = corner.map((x, k) => (x - anchor[k]));
      const h = along[0] * up[0] + along[1] * up[1] + along[2] * up[2];
      include(bounds, anchor[0] - along[0] + 2 * h * up[0], anchor[1] - along[1] + 2 * h * up[1], anchor[2] - along[2] + 2 * h * up[2]);
    }
    include(bounds, anchor[0] - reach * up[0], anchor[1] - reach * up[1], anchor[2] - reach * up[2]);
  }
}

// A right-handed basis with the given up direction: e1 × e2 = up. For z up it is x, y; for y up z, x, so that azimuth 0
// looks at the x-y plane from in front.
export function basis(up: Vec3): { e1: Vec3; e2: Vec3; e3: Vec3 } {
  const n = Math.hypot(...up) || 1;
  const e3: Vec3 = [up[0] / n, up[1] / n, up[2] / n];
  const start: Vec3 = Math.abs(e3[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1];
  const dot = start[0] * e3[0] + start[1] * e3[1] + start[2] * e3[2];
  const e1 = normalize([start[0] - dot * e3[0], start[1] - dot * e3[1], start[2] - dot * e3[2]]);
  return { e1, e2: cross(e3, e1), e3 };
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function normalize(a: Vec3): Vec3 {
  const n = Math.hypot(...a) || 1;
  return [a[0] / n, a[1] / n, a[2] / n];
}

export interface Angles {
  azimuth: number;     // rad, about up, from e1
  elevation: number;
}

// Planar models are looked at straight on, flat ones nearly so, others from the side and above.
export function viewAngles(picture: Picture, bounds: Bounds): Angles {
  const { e1, e2, e3 } = basis(picture.up);
  if (isPlanar(picture)) return { azimuth: Math.abs(e3[2]) > 0.9 ? -Math.PI / 2 : 0, elevation: Math.abs(e3[2]) > 0.9 ? 1.5 : 0 };
  const extent = (e: Vec3) => Math.abs(e[0]) * (bounds.high[0] - bounds.low[0]) + Math.abs(e[1]) * (bounds.high[1] - bounds.low[1]) + Math.abs(e[2]) * (bounds.high[2] - bounds.low[2]);
  const [a, b, c] = isEmpty(bounds) ? [1, 1, 1] : [extent(e1), extent(e2), extent(e3)];
  const most = Math.max(a, b, c);
  const zUp = Math.abs(e3[2]) > 0.9;
  if (a > 0.3 * most && b > 0.3 * most && c < 0.25 * most) return { azimuth: zUp ? -1.05 : 0.55, elevation: 0.6 };   // lies on the ground
  if (b < 0.22 * most && a >= b) return { azimuth: -Math.PI / 2 + 0.42, elevation: 0.16 };   // in the e1-up plane
  if (a < 0.22 * most) return { azimuth: 0.42, elevation: 0.16 };                           // in the e2-up plane
  return { azimuth: zUp ? -1.05 : 0.55, elevation: 0.32 };
}

// An empty scene with gravity along -y is a board for flat mechanisms.
export function isPlanar(picture: Picture): boolean {
  return picture.bodies.length > 0 ? picture.bodies.every((b) => b.planar) : Math.abs(picture.up[1]) > 0.9;
}

// Distance from which a box is seen whole: its corners, in the directions of the view, inside of both angles.
export function fitDistance(bounds: Bounds, angles: Angles, up: Vec3, fovY: number, aspect: number): number {
  if (isEmpty(bounds)) return 5;
  const { e1, e2, e3 } = basis(up);
  const ca = Math.cos(angles.azimuth), sa = Math.sin(angles.azimuth), ce = Math.cos(angles.elevation), se = Math.sin(angles.elevation);
  const back = [0, 1, 2].map((k) => ce * (ca * e1[k] + sa * e2[k]) + se * e3[k]) as Vec3;
  const right = [0, 1, 2].map((k) => -sa * e1[k] + ca * e2[k]) as Vec3;
  const top = cross(back, right);
  const tanY = Math.tan(fovY / 2), tanX = tanY * aspect, c = centre(bounds);
  let distance = 0;
  for (let corner = 0; corner < 8; ++corner) {
    const d = [0, 1, 2].map((k) => (corner & (1 << k) ? bounds.high[k] : bounds.low[k]) - c[k]);
    const x = Math.abs(d[0] * right[0] + d[1] * right[1] + d[2] * right[2]), y = Math.abs(d[0] * top[0] + d[1] * top[1] + d[2] * top[2]);
    const z = d[0] * back[0] + d[1] * back[1] + d[2] * back[2];
    distance = Math.max(distance, z + x / tanX, z + y / tanY);
  }
  return Math.max(distance, 1e-6);
}

// Cells of 1, 2 or 5 times a power of ten, about ten of them across the model.
export function gridSpacing(size: number): number {
  const raw = Math.max(size, 1e-9) / 10, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
  return power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
}
