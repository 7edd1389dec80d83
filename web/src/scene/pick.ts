// Which body is under the pointer: the ray against simple shapes, in plain arithmetic. Ten thousand bodies take
// well under a millisecond, which triangles would not.
import type { Picture, PictureBody, Vec3 } from '../source';

export interface Ray {
  origin: Vec3;
  direction: Vec3;     // unit
}

export interface Hit {
  body: number;
  distance: number;    // m along the ray
  world: Vec3;
  local: Vec3;         // in the body
}

// `tolerance` is the angle (rad) by which a thin thing may be missed; `glyph` the radius of bodies without a size.
export function pick(ray: Ray, picture: Picture, poses: Float32Array, points: Float32Array, glyph: number, tolerance: number): Hit | null {
  let best = Infinity, distance = Infinity, body = -1;
  const consider = (i: number, t: number, slack: number) => {
    const rank = t * (1 + 4 * slack);   // a true hit wins against a near miss at the same depth
    if (t >= 0 && rank < best) { best = rank; distance = t; body = i; }
  };
  for (let i = 0; i < picture.bodies.length && 7 * i + 6 < poses.length; ++i) {
    toBody(ray, poses, 7 * i);
    againstShape(picture.bodies[i], glyph, tolerance, i, consider);
  }
  for (const track of picture.tracks) {
    if (!track.of.startsWith('body ')) continue;
    const i = Number(track.of.slice(5));
    for (let k = 0; k + 1 < track.points.length; ++k) {
      const p = 3 * track.points[k], q = 3 * track.points[k + 1];
      kO[0] = ray.origin[0] - points[p]; kO[1] = ray.origin[1] - points[p + 1]; kO[2] = ray.origin[2] - points[p + 2];
      kD[0] = ray.direction[0]; kD[1] = ray.direction[1]; kD[2] = ray.direction[2];
      segment(points[q] - points[p], points[q + 1] - points[p + 1], points[q + 2] - points[p + 2], track.radius, tolerance, i, consider);
    }
  }
  if (body < 0) return null;
  const world: Vec3 = [ray.origin[0] + distance * ray.direction[0], ray.origin[1] + distance * ray.direction[1], ray.origin[2] + distance * ray.direction[2]];
  return { body, distance, world, local: toLocal(world, poses, 7 * body) };
}

type Consider = (body: number, distance: number, slack: number) => void;

const kO: Vec3 = [0, 0, 0], kD: Vec3 = [0, 0, 0];   // the ray in the body, to allocate nothing

function againstShape(body: PictureBody, glyph: number, tolerance: number, i: number, consider: Consider): void {
  const [a, b, c] = body.shape.size;
  switch (body.shape.kind) {
    case 'rod':
      kO[0] += 0.5 * a;
      segment(a, 0, 0, b || glyph, tolerance, i, consider);
      return;
    case 'box':
      boxHit(0.5 * a || glyph, 0.5 * b || glyph, 0.5 * c || glyph, i, consider);
      return;
    case 'disc':
      boxHit(a, a, Math.max(0.5 * c, 0.05 * a), i, (k, t, slack) => {
        const x = kO[0] + t * kD[0], y = kO[1] + t * kD[1];
        if (x * x + y * y <= a * a * 1.05) consider(k, t, slack);
      });
      return;
    case 'hoop': {
      const t = -kO[2] / (kD[2] || 1e-12), x = kO[0] + t * kD[0], y = kO[1] + t * kD[1], r = Math.hypot(x, y);
      if (t > 0 && Math.abs(r - a) < 0.12 * a) consider(i, t, 0);
      return;
    }
    case 'ellipsoid': ellipsoid(a, b, c, i, consider); return;
    case 'none': case 'mesh-less': return;
    default: ball(Math.max(a, body.shape.kind === 'point' ? glyph : 0), tolerance, i, consider);
  }
}

function toBody(ray: Ray, poses: Float32Array, at: number): void {
  const x = -poses[at + 3], y = -poses[at + 4], z = -poses[at + 5], w = poses[at + 6];
  turn(x, y, z, w, ray.origin[0] - poses[at], ray.origin[1] - poses[at + 1], ray.origin[2] - poses[at + 2], kO);
  turn(x, y, z, w, ray.direction[0], ray.direction[1], ray.direction[2], kD);
}

function turn(x: number, y: number, z: number, w: number, vx: number, vy: number, vz: number, out: Vec3): void {
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + y * tz - z * ty;
  out[1] = vy + w * ty + z * tx - x * tz;
  out[2] = vz + w * tz + x * ty - y * tx;
}

export function toLocal(world: Vec3, poses: Float32Array, at: number): Vec3 {
  const out: Vec3 = [0, 0, 0];
  turn(-poses[at + 3], -poses[at + 4], -poses[at + 5], poses[at + 6], world[0] - poses[at], world[1] - poses[at + 1], world[2] - poses[at + 2], out);
  return out;
}

export function toWorld(local: Vec3, poses: ArrayLike<number>, at: number): Vec3 {
  const out: Vec3 = [0, 0, 0];
  turn(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6], local[0], local[1], local[2], out);
  return [out[0] + poses[at], out[1] + poses[at + 1], out[2] + poses[at + 2]];
}

function ball(radius: number, tolerance: number, i: number, consider: Consider): void {
  const b = kO[0] * kD[0] + kO[1] * kD[1] + kO[2] * kD[2];
  const miss = Math.sqrt(Math.max(0, kO[0] * kO[0] + kO[1] * kO[1] + kO[2] * kO[2] - b * b));
  if (miss <= radius) consider(i, -b - Math.sqrt(radius * radius - miss * miss), 0);
  else if (miss - radius < tolerance * -b) consider(i, -b, (miss - radius) / -b);
}

function ellipsoid(a: number, b: number, c: number, i: number, consider: Consider): void {
  const ox = kO[0] / a, oy = kO[1] / b, oz = kO[2] / c, dx = kD[0] / a, dy = kD[1] / b, dz = kD[2] / c;
  const A = dx * dx + dy * dy + dz * dz, B = ox * dx + oy * dy + oz * dz, C = ox * ox + oy * oy + oz * oz - 1;
  const disc = B * B - A * C;
  if (disc >= 0) consider(i, (-B - Math.sqrt(disc)) / A, 0);
}

function boxHit(a: number, b: number, c: number, i: number, consider: Consider): void {
  let near = -Infinity, far = Infinity;
  const half = [a, b, c];
  for (let k = 0; k < 3; ++k) {
    const inverse = 1 / (kD[k] || 1e-12), t0 = (-half[k] - kO[k]) * inverse, t1 = (half[k] - kO[k]) * inverse;
    near = Math.max(near, Math.min(t0, t1));
    far = Math.min(far, Math.max(t0, t1));
  }
  if (near <= far && far > 0) consider(i, Math.max(near, 0), 0);
}

// Ray (kO, kD) against the capsule from the origin to (x, y, z).
function segment(x: number, y: number, z: number, radius: number, tolerance: number, i: number, consider: Consider): void {
  const ee = x * x + y * y + z * z, ed = x * kD[0] + y * kD[1] + z * kD[2], eo = x * kO[0] + y * kO[1] + z * kO[2];
  const od = kO[0] * kD[0] + kO[1] * kD[1] + kO[2] * kD[2];
  // nearest points of the ray (t) and of the segment (s)
  const det = ee - ed * ed;
  let s = det > 1e-12 * ee ? (eo - ed * od) / det : 0;
  s = Math.min(1, Math.max(0, s));
  const t = s * ed - od;
  if (t <= 0) return;
  const miss = Math.hypot(kO[0] + t * kD[0] - s * x, kO[1] + t * kD[1] - s * y, kO[2] + t * kD[2] - s * z);
  if (miss <= radius) consider(i, Math.max(0, t - Math.sqrt(radius * radius - miss * miss)), 0);
  else if (miss - radius < tolerance * t) consider(i, t, (miss - radius) / t);
}
