import { describe, expect, it } from 'vitest';
import { boundsOf, basis, centre, cross, diagonal, emptyBounds, fitDistance, gridSpacing, include, includeSwing, viewAngles } from '../src/scene/framing';
import { pick, toLocal, toWorld } from '../src/scene/pick';
import { findChains, quaternionOf } from '../src/scene/pieces';
import { finishTube } from '../src/scene/tubes';
import { solid, type SolidKind } from '../src/scene/solids';
import type { InstancedMesh } from 'three';
import { compose, poseBetween } from '../src/scene/batch';
import { FrameClock } from '../src/scene/clock';
import { sceneColors } from '../src/scene/colors';
import { DrawnModel } from '../src/scene/model';
import type { Frame, Picture, PictureBody, Vec3 } from '../src/source';

function body(kind: string, size: Vec3, more: Partial<PictureBody> = {}): PictureBody {
  return { name: kind, kind: 'rigid', mass: 1, velocities: 6, shape: { kind, size }, planar: false, chain: -1, source: 'explicit', ...more };
}

function picture(bodies: PictureBody[], more: Partial<Picture> = {}): Picture {
  return { up: [0, 0, 1], gravity: [0, 0, -9.81], size: 2, bodies, joints: [], forces: [], tracks: [], fixed: [], points: 0, ...more };
}

const kMarker = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const ray = (origin: Vec3, direction: Vec3) => ({ origin, direction });

describe('framing', () => {
  it('bounds a turned rod by its ends', () => {
    const s = Math.SQRT1_2, b = boundsOf(picture([body('rod', [2, 0.1, 0.1])]), new Float32Array([0, 0, 0, 0, -s, 0, s]), new Float32Array());
    expect(b.high[2]).toBeCloseTo(1.1);
    expect(b.low[2]).toBeCloseTo(-1.1);
    expect(b.high[0]).toBeCloseTo(0.1);
  });
  it('expects a pendulum to swing to the other side and below its pivot', () => {
    const p = picture([body('rod', [1, 0.02, 0.02])], { joints: [{ name: 'j', kind: 'hinge', rows: 5, grounded: true, redundant_rows: 0, glyph: 'hinge', a: { body: 0, point: [-0.5, 0, 0], axes: kMarker }, b: { body: -1, point: [0, 0, 0], axes: kMarker } }] });
    const poses = new Float32Array([0.5, 0, 0, 0, 0, 0, 1]), b = boundsOf(p, poses, new Float32Array());
    includeSwing(b, p, poses);
    expect(b.low[0]).toBeLessThan(-0.99);
    expect(b.low[2]).toBeLessThan(-0.99);
    expect(b.high[2]).toBeLessThan(0.1);
  });
  it('sees every corner of a box, and no nearer than it must', () => {
    const b = emptyBounds();
    include(b, -3, -1, 0);
    include(b, 3, 1, 2);
    for (const aspect of [0.5, 1, 1.8]) {
      const angles = { azimuth: -1, elevation: 0.3 }, d = fitDistance(b, angles, [0, 0, 1], 0.6, aspect);
      expect(d).toBeGreaterThan(diagonal(b) / 2);
      expect(d).toBeLessThan(20 * diagonal(b));
    }
    expect(centre(b)).toEqual([0, 0, 1]);
  });
  it('looks at planar models straight on', () => {
    const p = picture([body('rod', [1, 0.1, 0.1], { planar: true })], { up: [0, 1, 0] });
    expect(viewAngles(p, { low: [-1, -1, 0], high: [1, 1, 0] })).toEqual({ azimuth: 0, elevation: 0 });
    const { e1, e2, e3 } = basis([0, 1, 0]);
    expect(e1).toEqual([0, 0, 1]);           // azimuth 0 is in front of the x-y plane
    expect(cross(e1, e2).map((x) => x + 0)).toEqual(e3);
  });
  it('has grids of 1, 2 and 5', () => {
    expect(gridSpacing(10)).toBeCloseTo(1);
    expect(gridSpacing(23)).toBeCloseTo(2);
    expect(gridSpacing(0.5)).toBeCloseTo(0.05);
  });
});

describe('picking', () => {
  const shapes: [string, Vec3, number][] = [['sphere', [0.5, 0.5, 0.5], 0.5], ['box', [1, 1, 0.6], 0.3], ['rod', [1, 0.1, 0.1], 0.1], ['disc', [0.5, 0.5, 0.2], 0.1], ['ellipsoid', [1, 1, 0.25], 0.25]];
  it.each(shapes)('hits a %s from above at its surface', (kind, size, height) => {
    const hit = pick(ray([5.1, 0.02, 10], [0, 0, -1]), picture([body(kind, size)]), new Float32Array([5, 0, 0, 0, 0, 0, 1]), new Float32Array(), 0.02, 0);
    expect(hit).not.toBeNull();
    expect(hit!.world[2]).toBeGreaterThan(0.8 * height);
    expect(hit!.world[2]).toBeLessThan(1.01 * height);
    expect(hit!.local[0]).toBeCloseTo(0.1);
  });
  it('takes the nearer of two, and nothing where there is nothing', () => {
    const p = picture([body('sphere', [1, 1, 1]), body('sphere', [1, 1, 1])]), poses = new Float32Array([0, 0, 0, 0, 0, 0, 1, 0, 0, 5, 0, 0, 0, 1]);
    expect(pick(ray([0, 0, 20], [0, 0, -1]), p, poses, new Float32Array(), 0.1, 0)?.body).toBe(1);
    expect(pick(ray([9, 0, 20], [0, 0, -1]), p, poses, new Float32Array(), 0.1, 0)).toBeNull();
  });
  it('forgives a near miss of a thin rod', () => {
    const p = picture([body('rod', [1, 0.001, 0.001])]), poses = new Float32Array([0, 0, 0, 0, 0, 0, 1]);
    expect(pick(ray([0, 0.02, 5], [0, 0, -1]), p, poses, new Float32Array(), 0.01, 0.01)?.body).toBe(0);
    expect(pick(ray([0, 0.2, 5], [0, 0, -1]), p, poses, new Float32Array(), 0.01, 0.01)).toBeNull();
  });
  it('goes to the body and back', () => {
    const poses = new Float32Array([1, 2, 3, 0.1, 0.2, 0.3, Math.sqrt(1 - 0.14)]), p: Vec3 = [0.3, -0.4, 0.5];
    toWorld(toLocal(p, poses, 0), poses, 0).forEach((x, k) => expect(x).toBeCloseTo(p[k], 5));
  });
});

describe('solids', () => {
  const kinds: SolidKind[] = ['sphere', 'capsule', 'box', 'disc', 'hoop', 'coil', 'arrow', 'bracket'];
  it.each(kinds)('%s has unit normals and whole faces in every detail', (kind) => {
    for (const detail of ['fine', 'medium', 'coarse'] as const) {
      const g = solid(kind, detail), n = g.getAttribute('normal'), count = g.getAttribute('position').count;
      for (let i = 0; i < n.count; ++i) expect(Math.hypot(n.getX(i), n.getY(i), n.getZ(i))).toBeCloseTo(1);
      expect(g.getIndex()!.count % 3).toBe(0);
      for (const v of g.getIndex()!.array) expect(v).toBeLessThan(count);
      expect(g.getAttribute('spread').count).toBe(count);
    }
  });
  it.each(['sphere', 'capsule', 'box', 'disc'] as SolidKind[])('%s is closed: its volume by the divergence theorem is that of the shape', (kind) => {
    const g = solid(kind, 'fine'), p = g.getAttribute('position'), s = g.getAttribute('spread'), index = g.getIndex()!.array;
    const extent = { sphere: [0, 0, 0], capsule: [2, 0, 0], box: [2, 1, 0.5], disc: [2, 2, 0.5] }[kind as 'sphere'], r = 0.5;
    const at = (i: number): Vec3 => [p.getX(i) * r + s.getX(i) * extent[0], p.getY(i) * r + s.getY(i) * extent[1], p.getZ(i) * r + s.getZ(i) * extent[2]];
    let volume = 0;
    for (let f = 0; f < index.length; f += 3) {
      const [a, b, c] = [at(index[f]), at(index[f + 1]), at(index[f + 2])], n = cross(b, c);
      volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
    }
    const ball = (4 / 3) * Math.PI * r ** 3;
    const outer = kind === 'box' ? 5 * 3 * 2 : Math.PI * 2.5 ** 2 * 2;   // without the rounding
    if (kind === 'sphere') expect(volume / ball).toBeGreaterThan(0.97);
    if (kind === 'capsule') expect(volume / (ball + 4 * Math.PI * r * r)).toBeCloseTo(1, 1);
    if (kind === 'box' || kind === 'disc') { expect(volume).toBeLessThan(outer); expect(volume).toBeGreaterThan(0.75 * outer); }
  });
});

describe('tubes', () => {
  it('carry a direction that is across the tube and does not jump', () => {
    const n = 40, data = new Float32Array(8 * (n + 3));
    for (let i = 0; i < n; ++i) data.set([Math.cos(i / 5), Math.sin(i / 5), i / 20], 8 * (i + 1));
    finishTube(data, 1, n, false);
    for (let i = 0; i < n; ++i) {
      const at = 8 * (i + 1), across = data.slice(at + 4, at + 7), t = [0, 1, 2].map((k) => data[at + 8 + k] - data[at - 8 + k]);
      expect(Math.hypot(...across)).toBeCloseTo(1);
      expect(across[0] * t[0] + across[1] * t[1] + across[2] * t[2]).toBeCloseTo(0);
      if (i > 0) expect(across[0] * data[at - 4] + across[1] * data[at - 3] + across[2] * data[at - 2]).toBeGreaterThan(0.9);
    }
  });
  it('survive a chain folded onto itself', () => {
    const data = new Float32Array(8 * 6);
    [[0, 0, 0], [1, 0, 0], [0, 0, 0]].forEach((p, i) => data.set(p, 8 * (i + 1)));
    finishTube(data, 1, 3, false);
    expect([...data].every(Number.isFinite)).toBe(true);
  });
  it('go through rods in order, whichever way they point', () => {
    const bodies = Array.from({ length: 7 }, () => body('rod', [1, 0.05, 0.05], { chain: 0 }));
    const poses = new Float32Array(49);
    for (let i = 0; i < 7; ++i) poses.set(i % 2 ? [i, 0, 0, 0, 0, 1, 0] : [i, 0, 0, 0, 0, 0, 1], 7 * i);
    const [chain] = findChains(picture(bodies), poses);
    expect(chain.flip).toEqual([false, true, false, true, false, true, false]);
    expect(chain.closed).toBe(false);
  });
});

describe('placing', () => {
  it('turns a matrix into the same rotation', () => {
    for (const m of [[0, -1, 0, 1, 0, 0, 0, 0, 1], [1, 0, 0, 0, -1, 0, 0, 0, -1], [-1, 0, 0, 0, 1, 0, 0, 0, -1], [0, 0, 1, 1, 0, 0, 0, 1, 0]]) {
      const pose = new Float32Array([0, 0, 0, ...quaternionOf(m)]);
      for (let k = 0; k < 3; ++k) {
        const e: Vec3 = [0, 0, 0];
        e[k] = 1;
        toWorld(e, pose, 0).forEach((x, row) => expect(x).toBeCloseTo(m[3 * row + k], 6));
      }
    }
  });
  it('composes poses, and points between two points', () => {
    const a = [1, 2, 3, 0, 0, Math.SQRT1_2, Math.SQRT1_2], b = [1, 0, 0, 0, 0, Math.SQRT1_2, Math.SQRT1_2], out = new Float64Array(7);
    compose(a, 0, b, 0, out);
    [1, 3, 3, 0, 0, 1, 0].forEach((x, k) => expect(out[k]).toBeCloseTo(x));
    expect(poseBetween(1, 1, 1, 1, 1, 4, out, 0)).toBeCloseTo(3);
    const tip = toWorld([1.5, 0, 0], out, 0);
    [1, 1, 4].forEach((x, k) => expect(tip[k]).toBeCloseTo(x));
  });
});

// A body at x with a force on its joint there.
const frameAt = (time: number, x: number, more: Partial<Frame> = {}): Frame =>
  ({ revision: 1, time, past: false, playing: true, poses: new Float32Array([x, 0, 0, 0, 0, 0, 1]), points: new Float32Array(),
    arrows: new Float32Array([x, 0, 0, 0, 0, 10 * x]), arrowJoints: new Uint32Array([0]), ...more });

describe('the clock of frames', () => {
  it('shows a force where its body is shown, not where the newest frame has it', () => {
    const clock = new FrameClock();
    for (let k = 0; k < 6; ++k) {
      clock.push(frameAt(0.02 * k, 0.3 * k), 20 * k);
      clock.advance(20 * k + 5, 0.02);
    }
    expect(clock.poses[0]).toBeLessThan(0.3 * 5 - 0.05);   // a moment behind
    expect(clock.arrows[0]).toBeCloseTo(clock.poses[0], 5);
    expect(clock.arrows[5]).toBeCloseTo(10 * clock.poses[0], 4);
  });
  it('takes the arrows of one frame where the other has none', () => {
    const clock = new FrameClock();
    clock.push(frameAt(0, 0, { arrows: new Float32Array(), arrowJoints: new Uint32Array() }), 0);
    clock.push(frameAt(0.02, 1), 20);
    clock.advance(21, 0.001);
    expect(clock.arrows).toHaveLength(0);
    clock.push(frameAt(0.02, 1, { playing: false }), 40);
    clock.advance(41, 0.02);
    expect([...clock.arrows]).toEqual([1, 0, 0, 0, 0, 10]);
  });
});

describe('the drawn model', () => {
  it('rings what is selected where it is, also while nothing moves', () => {
    const model = new DrawnModel(picture([body('box', [1, 1, 1])]), frameAt(0, 7), sceneColors(false));
    model.highlight({ kind: 'body', index: 0 }, null);
    const rings: number[] = [];
    model.group.traverse((object) => {
      const mesh = object as InstancedMesh;
      if (mesh.isInstancedMesh && mesh.visible && mesh.renderOrder === 5) rings.push(mesh.instanceMatrix.array[12]);
    });
    expect(rings).toEqual([7]);
  });
});
