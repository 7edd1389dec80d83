// The working plane: the sheet of paper on which parts are placed. Flat scenes have z = 0; in space it is upright and
// faces the viewer, or lies on the floor, and goes through the middle of what is there.
import type { Structure, Vec3 } from '../source';
import { add, cross, dot, length, scale, subtract, unit } from './geometry';

export interface Plane {
  origin: Vec3;
  normal: Vec3;               // towards the viewer; hinges turn about it
  x: Vec3;                    // to the right
  y: Vec3;                    // up, or away on the floor
  flat: boolean;              // parts are planar bodies
}

export type PlaneName = 'front' | 'side' | 'floor';

// Whether new parts shall be planar bodies: all others are, or there are none and gravity points along -y.
export function isFlat(structure: Structure): boolean {
  const { bodies, up } = structure.picture;
  return bodies.length > 0 ? bodies.every((body) => body.planar) : Math.abs(up[1]) > 0.9;
}

export function workingPlane(structure: Structure | null, name: PlaneName): Plane {
  const up: Vec3 = structure ? unit(structure.picture.up) : [0, 1, 0];
  const flat = structure ? isFlat(structure) : true;
  if (flat) return { origin: [0, 0, 0], normal: [0, 0, 1], x: [1, 0, 0], y: [0, 1, 0], flat };
  const right: Vec3 = Math.abs(up[0]) < 0.9 ? unit(subtract([1, 0, 0], scale(up, up[0]))) : [0, 1, 0];
  const front = cross(right, up);
  if (name === 'front') return { origin: [0, 0, 0], normal: front, x: right, y: up, flat };
  if (name === 'side') return { origin: [0, 0, 0], normal: right, x: scale(front, -1), y: up, flat };
  return { origin: [0, 0, 0], normal: up, x: right, y: scale(front, -1), flat };
}

// Where a ray meets the plane; null when it runs along it or away from it.
export function hit(plane: Plane, ray: { origin: Vec3; direction: Vec3 }): Vec3 | null {
  const slope = dot(ray.direction, plane.normal);
  if (Math.abs(slope) < 0.02 * length(ray.direction)) return null;
  const along = dot(subtract(plane.origin, ray.origin), plane.normal) / slope;
  return along > 0 ? add(ray.origin, scale(ray.direction, along)) : null;
}

// The same plane through a point, so that a gesture from a body stays at that body's depth.
export const through = (plane: Plane, point: Vec3): Plane => ({ ...plane, origin: plane.flat ? plane.origin : point });

// Steps of the grid are 1, 2 or 5 times a power of ten, the finest that is at least `least` wide.
export function gridStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  for (const factor of [1, 2, 5]) if (factor * power >= least * 0.999) return factor * power;
  return 10 * power;
}

export function toGrid(plane: Plane, point: Vec3, step: number): Vec3 {
  const offset = subtract(point, plane.origin);
  const u = Math.round(dot(offset, plane.x) / step) * step;
  const v = Math.round(dot(offset, plane.y) / step) * step;
  return add(plane.origin, add(scale(plane.x, u), scale(plane.y, v)));
}
