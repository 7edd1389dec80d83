// The little vector arithmetic that building needs, on plain triples.
import type { Vec3 } from '../source';
import type { Pose } from './host';

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, s: number): Vec3 => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vec3): number => Math.sqrt(dot(a, a));
export const distance = (a: Vec3, b: Vec3): number => length(subtract(a, b));
export const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a: Vec3): Vec3 => scale(a, 1 / (length(a) || 1));

// q v q*: body axes to world axes.
export function rotate(q: Pose['q'], v: Vec3): Vec3 {
  const u: Vec3 = [q[0], q[1], q[2]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[3])), cross(u, t));
}

export const toWorld = (pose: Pose, local: Vec3): Vec3 => add(pose.p, rotate(pose.q, local));
export const toLocal = (pose: Pose, world: Vec3): Vec3 =>
  rotate([-pose.q[0], -pose.q[1], -pose.q[2], pose.q[3]], subtract(world, pose.p));

// A number that a person would write: three digits, and no more of a 0.30000000000000004.
export const tidy = (x: number): number => Number(x.toPrecision(6));
export const tidyPoint = (a: Vec3): Vec3 => [round(a[0]), round(a[1]), round(a[2])];
const round = (x: number): number => Math.round(x * 1e6) / 1e6 || 0;

// Metres as one says them: 1.25 m, 40 cm, 3.5 mm.
export function metres(x: number): string {
  if (x >= 1) return `${Number(x.toPrecision(3))} m`;
  return x >= 0.01 ? `${Number((100 * x).toPrecision(3))} cm` : `${Number((1000 * x).toPrecision(2))} mm`;
}
