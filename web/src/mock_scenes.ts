// Scenes of the mock: points held at distances, and how bodies are placed from them.
import type { PictureBody, PictureJoint, Shape, Structure, Vec3 } from './source';

export interface MockScene {
  structure: Structure;
  x: number[];                          // points × 3, at the start
  w: number[];                          // inverse masses
  links: [number, number, number][];    // two points and their distance
  bodyPoints: number[][];               // points of each body
  blowUp?: number;                      // s, when a refused step is pretended
  pose(x: Float64Array, time: number, poses: Float32Array, points: Float32Array): void;
}

export function mockScene(name: string): MockScene {
  const [kind, count] = name.split(':');
  if (kind === 'pendulum') return chain(Number(count ?? 2), true);
  if (kind === 'big') return grid(Number(count ?? 10000));
  if (kind === 'zoo') return zoo();
  const scene = chain(Number(count ?? 60), false);
  if (kind === 'blowup') scene.blowUp = 1.5;
  return scene;
}

function structure(title: string, up: Vec3, bodies: PictureBody[], joints: PictureJoint[], size: number): Structure {
  return {
    type: 'structure', revision: 1, title, description: 'A scene of the mock: it moves without a server.', file: 'mock.yaml',
    picture: { up, gravity: [-9.81 * up[0], -9.81 * up[1], -9.81 * up[2]], size, bodies, joints, forces: [], tracks: [], fixed: [], points: 0 },
    dof: 2 * bodies.length, rows: 3 * joints.length, redundant_rows: 0,
    solver: 'tree', solver_reason: 'the graph of bodies and joints has no loops, so that the linear-time factorisation applies',
    integrator: 'rattle', integrator_reason: 'the default: variational, keeps energy and joints', dt: 1 / 240,
    parameters: { links: bodies.length, mass: { value: 1, min: 0.1, max: 10, doc: 'mass of a rod in kg' } },
    probes: [{ name: 'tip', unit: 'm', components: ['x', 'y', 'z'] }, { name: 'angle', unit: 'rad', components: [''] }],
    overlays: { angle: ['sin(2*t)'] }, events: [], notes: [], can_undo: false, can_redo: false,
    examples: ['chain', 'pendulum', 'zoo', 'big'].map((e) => ({ name: e, title: e, description: '' })),
  };
}

const kIdentity = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const kHingeY = [1, 0, 0, 0, 0, 1, 0, -1, 0];   // columns x, -z, y

function body(name: string, kind: string, shape: Shape, planar: boolean, chainOf: number): PictureBody {
  return { name, kind, mass: 1, velocities: planar ? 3 : 6, shape, planar, chain: chainOf, source: 'generated' };
}

function joint(name: string, glyph: string, a: number, pa: Vec3, b: number, pb: Vec3, axes = kIdentity): PictureJoint {
  return { name, kind: glyph, rows: 3, a: { body: a, point: pa, axes }, b: { body: b, point: pb, axes }, grounded: b < 0, redundant_rows: 0, glyph };
}

// Writes the pose whose x axis points from p to q.
function poseBetween(x: ArrayLike<number>, p: number, q: number, out: Float32Array, at: number): void {
  const dx = x[3 * q] - x[3 * p], dy = x[3 * q + 1] - x[3 * p + 1], dz = x[3 * q + 2] - x[3 * p + 2];
  const d = Math.hypot(dx, dy, dz) || 1;
  for (let k = 0; k < 3; ++k) out[at + k] = 0.5 * (x[3 * p + k] + x[3 * q + k]);
  // the shortest turn from x to the direction
  const w = 1 + dx / d;
  if (w < 1e-9) { out[at + 3] = 0; out[at + 4] = 0; out[at + 5] = 1; out[at + 6] = 0; return; }
  const qy = -dz / d, qz = dy / d, norm = Math.hypot(qy, qz, w);
  out[at + 3] = 0; out[at + 4] = qy / norm; out[at + 5] = qz / norm; out[at + 6] = w / norm;
}

function chain(links: number, planar: boolean): MockScene {
  const length = planar ? 1 : 6 / links, radius = planar ? 0.04 : 0.05;
  const up: Vec3 = planar ? [0, 1, 0] : [0, 0, 1];
  const bodies: PictureBody[] = [], joints: PictureJoint[] = [], x: number[] = [0, 0, 0], w = [0], pairs: [number, number, number][] = [], bodyPoints: number[][] = [];
  for (let i = 0; i < links; ++i) {
    bodies.push(body(`link${i + 1}`, planar ? 'planar' : 'rigid', { kind: 'rod', size: [length, radius, radius] }, planar, links > 3 ? 0 : -1));
    const pa: Vec3 = [-length / 2, 0, 0], pb: Vec3 = i === 0 ? [0, 0, 0] : [length / 2, 0, 0];
    joints.push(joint(`joint${i + 1}`, planar ? 'hinge' : 'ball', i, pa, i - 1, pb));
    x.push(length * (i + 1) * (planar ? 1 : 0.8), 0, planar ? 0 : -length * (i + 1) * 0.6);
    w.push(1);
    pairs.push([i, i + 1, length]);
    bodyPoints.push([i, i + 1]);
  }
  if (!planar) {
    bodies.push(body('load', 'rigid', { kind: 'sphere', size: [0.4, 0.4, 0.4] }, false, -1));
    bodyPoints.push([links]);
    w[links] = 0.02;
  }
  const s = structure(planar ? 'Double pendulum' : 'Chain with a load', up, bodies, joints, planar ? links : 6);
  if (planar) s.picture.forces.push({ name: 'motor', kind: 'torque-motor', ends: [{ body: 0, point: [-0.5, 0, 0] }], glyph: 'motor', on: true, commands: ['torque'], values: [0], limits: [[-10, 10]] });
  return {
    structure: s, x, w, links: pairs, bodyPoints,
    pose(points, _time, poses) {
      for (let i = 0; i < links; ++i) poseBetween(points, i, i + 1, poses, 7 * i);
      if (!planar) poses.set([points[3 * links], points[3 * links + 1], points[3 * links + 2], 0, 0, 0, 1], 7 * links);
    },
  };
}

// Many free bodies on a wave: for the speed of drawing.
function grid(count: number): MockScene {
  const side = Math.ceil(Math.sqrt(count)), bodies: PictureBody[] = [], kinds = ['sphere', 'box', 'rod', 'disc'];
  for (let i = 0; i < count; ++i) {
    const kind = kinds[i % 4];
    bodies.push(body(`body${i + 1}`, 'rigid', { kind, size: kind === 'rod' ? [0.5, 0.1, 0.1] : kind === 'box' ? [0.4, 0.3, 0.2] : kind === 'disc' ? [0.25, 0.25, 0.1] : [0.2, 0.2, 0.2] }, false, -1));
  }
  return {
    structure: structure(`${count} bodies`, [0, 0, 1], bodies, [], 0.7 * side), x: [0, 0, 0, 0, 0, -1], w: [0, 1], links: [[0, 1, 1]], bodyPoints: bodies.map(() => [1]),
    pose(_x, time, poses) {
      for (let i = 0; i < count; ++i) {
        const a = (i % side) - side / 2, b = Math.floor(i / side) - side / 2, phase = time * 2 - 0.15 * Math.hypot(a, b);
        poses[7 * i] = 0.7 * a; poses[7 * i + 1] = 0.7 * b; poses[7 * i + 2] = Math.sin(phase);
        poses[7 * i + 3] = 0; poses[7 * i + 4] = Math.sin(phase / 2); poses[7 * i + 5] = 0; poses[7 * i + 6] = Math.cos(phase / 2);
      }
    },
  };
}

// One of each kind of thing the page can draw.
function zoo(): MockScene {
  const shapes: Shape[] = [
    { kind: 'point', size: [0, 0, 0] }, { kind: 'rod', size: [0.9, 0.06, 0.06] }, { kind: 'sphere', size: [0.3, 0.3, 0.3] }, { kind: 'box', size: [0.7, 0.5, 0.4] },
    { kind: 'disc', size: [0.4, 0.4, 0.1] }, { kind: 'hoop', size: [0.4, 0.4, 0] }, { kind: 'ellipsoid', size: [0.45, 0.25, 0.18] }, { kind: 'none', size: [0, 0, 0] },
  ];
  const glyphs = ['hinge', 'ball', 'slider', 'weld', 'point', 'gear', 'rolling', 'other'];
  const bodies = shapes.map((shape) => body(shape.kind, 'rigid', shape, false, -1));
  const joints = glyphs.map((glyph, i) => ({ ...joint(`${glyph}-joint`, glyph, i, [0, 0, 0.8], -1, [i * 1.2, 0, 1.8], kHingeY), redundant_rows: i === 3 ? 2 : 0 }));
  const s = structure('Zoo', [0, 0, 1], bodies, joints, 9);
  s.picture.points = 2 + 30 + 3;
  s.picture.tracks = [
    { of: 'force 0', closed: false, radius: 0.12, kind: 'spring', name: 'spring', points: [0, 1] },
    { of: 'joint 0', closed: false, radius: 0.03, kind: 'rope', name: 'rope', points: Array.from({ length: 30 }, (_, i) => 2 + i) },
    { of: 'joint 1', closed: false, radius: 0.02, kind: 'bar', name: 'bar', points: [32, 33, 34] },
  ];
  s.picture.forces = [
    { name: 'spring', kind: 'spring', ends: [{ body: 0, point: [0, 0, 0] }, { body: 1, point: [0, 0, 0] }], glyph: 'spring', on: true, commands: [] },
    { name: 'drive', kind: 'velocity-motor', ends: [{ body: 4, point: [0, 0, 0] }], glyph: 'motor', on: true, commands: ['speed'], values: [2] },
    { name: 'wind', kind: 'load', ends: [{ body: 3, point: [0, 0, 0] }], glyph: 'load', on: false, commands: [] },
  ];
  s.picture.fixed = [
    { kind: 'plane', point: [0, 0, 0], normal: [0, 0, 1] }, { kind: 'sphere', point: [2, -2.5, 0.6], radius: 0.6 }, { kind: 'cylinder', point: [4, -2.5, 0.7], axis: [0, 0, 1], radius: 0.4 },
    { kind: 'ellipsoid', point: [6, -2.5, 0.5], size: [0.8, 0.5, 0.5], axes: kIdentity },
    { kind: 'curve', closed: true, points: Array.from({ length: 60 }, (_, i): Vec3 => [8 + Math.cos(i * Math.PI / 30), -2.5, 1 + 0.6 * Math.sin(i * Math.PI / 15)]) },
  ];
  s.notes = ['2 of the rows of weld-joint say what others say already.'];
  s.redundant_rows = 2;
  return {
    structure: s, x: [0, 0, 0, 0, 0, -1], w: [0, 1], links: [[0, 1, 1]], bodyPoints: bodies.map(() => [1]),
    pose(_x, time, poses, points) {
      for (let i = 0; i < bodies.length; ++i) {
        const angle = 0.3 * Math.sin(time + i);
        poses.set([1.2 * i + 0.8 * Math.sin(angle) , 0, 1.8 - 0.8 * Math.cos(angle), 0, -Math.sin(angle / 2), 0, Math.cos(angle / 2)], 7 * i);
      }
      points.set([0, 2, 2, 0, 2, 1 + 0.4 * Math.sin(3 * time)], 0);
      for (let i = 0; i < 30; ++i) points.set([1 + i * 0.12, 2, 1.5 - Math.sin(i * Math.PI / 29) * (0.6 + 0.2 * Math.sin(2 * time))], 6 + 3 * i);
      points.set([5.5, 2, 1.8, 6, 2, 1 + 0.2 * Math.sin(time), 7, 2, 1.6], 96);
    },
  };
}
