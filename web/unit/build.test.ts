import { describe, expect, it } from 'vitest';
import { addBar, addBox, addCurve, addMotor, addPart, addRod, addSlider, evenly, Names, type Drawing } from '../src/build/edits';
import { fieldsOf, parse } from '../src/build/form';
import { distance, metres, rotate, toLocal, toWorld } from '../src/build/geometry';
import { gridStep, hit, isFlat, toGrid, workingPlane } from '../src/build/plane';
import { besideAnchor, placesOf, snap, type Anchor } from '../src/build/snap';
import type { BuildHost } from '../src/build/host';
import { kTools } from '../src/build/tools';
import { thingNamed } from '../src/build/things';
import type { Picture, Structure, Vec3 } from '../src/source';

const body = (name: string, kind: string, size: Vec3, planar = true): Picture['bodies'][number] =>
  ({ name, kind: planar ? 'planar' : 'rigid', mass: 2, velocities: 3, shape: { kind, size }, planar, chain: -1, source: 'explicit' });

function structure(bodies: Picture['bodies'] = [], up: Vec3 = [0, 1, 0]): Structure {
  return { revision: 1, dof: 0, picture: { up, gravity: [0, -9.81, 0], size: 1, bodies, joints: [], forces: [], tracks: [], fixed: [], points: 0 } } as unknown as Structure;
}
const on = (body: number, name: string, local: Vec3, world: Vec3): Anchor => ({ body, name, local, world, what: '', joint: -1, snapped: true });
const board = (world: Vec3): Anchor => on(-1, 'world', world, world);
const drawing = (s: Structure): Drawing => ({ structure: s, plane: workingPlane(s, 'front') });

describe('edits', () => {
  it('names are new, also several in a row and next to those of joints and forces', () => {
    const names = new Names(structure([body('rod1', 'rod', [1, 0.1, 0.1]), body('rod3', 'rod', [1, 0.1, 0.1])]));
    expect([names.next('rod'), names.next('rod'), names.next('rod')]).toEqual(['rod2', 'rod4', 'rod5']);
  });

  it('a rod on the empty board is pinned at its first end: one gesture is a pendulum', () => {
    const made = addRod(board([0, 0, 0]), board([2, 0, 0]), true, drawing(structure()));
    expect(made.map((edit) => edit.op)).toEqual(['add-body', 'connect']);
    expect(made[0]).toMatchObject({ kind: 'rod', planar: true, from: [0, 0, 0], to: [2, 0, 0], mass: 2 });
    expect(made[1]).toMatchObject({ kind: 'hinge', a: { body: 'rod1', point: [-1, 0, 0] }, b: { body: 'world', point: [0, 0, 0] }, axis: [0, 0, 1] });
    expect(addRod(board([0, 0, 0]), board([2, 0, 0]), false, drawing(structure()))).toHaveLength(1);
  });

  it('a rod between two parts is hinged to both, at their points', () => {
    const s = structure([body('rod1', 'rod', [2, 0.1, 0.1]), body('rod2', 'rod', [2, 0.1, 0.1])]);
    const made = addRod(on(0, 'rod1', [1, 0, 0], [0, 0, 0]), on(1, 'rod2', [1, 0, 0], [3, 0, 0]), true, drawing(s));
    expect(made.slice(1).map((edit) => edit.b)).toEqual([{ body: 'rod1', point: [1, 0, 0] }, { body: 'rod2', point: [1, 0, 0] }]);
    expect(made.slice(1).map((edit) => edit.a)).toEqual([{ body: 'rod3', point: [-1.5, 0, 0] }, { body: 'rod3', point: [1.5, 0, 0] }]);
  });

  it('what is put on a part is joined to it; what is put on the board is free', () => {
    const s = structure([body('rod1', 'rod', [2, 0.1, 0.1])]);
    expect(addPart('disc', on(0, 'rod1', [1, 0, 0], [1, 0, 0]), 0.3, drawing(s))[1]).toMatchObject({ op: 'connect', kind: 'hinge' });
    expect(addPart('particle', board([1, 0, 0]), 0.3, drawing(s))).toHaveLength(1);
  });

  it('a box goes from corner to corner, whichever way it is drawn, and has the sides that were drawn', () => {
    for (const [from, to] of [[[1, 2, 0], [4, 3, 0]], [[4, 3, 0], [1, 2, 0]], [[1, 3, 0], [4, 2, 0]]] as [Vec3, Vec3][])
      expect(addBox(board(from), to, 0.01, drawing(structure()))).toMatchObject([{ kind: 'box', position: [2.5, 2.5, 0], size: [3, 1, 1], along: [1, 0, 0] }]);
    expect(addBox(board([0, 0, 0]), [3, 0, 0], 0.2, drawing(structure()))).toMatchObject([{ size: [3, 0.2, 0.2] }]);
  });

  it('a box that begins on a part is hinged to it at that corner', () => {
    const s = structure([body('rod1', 'rod', [2, 0.1, 0.1])]);
    const made = addBox(on(0, 'rod1', [1, 0, 0], [1, 0, 0]), [0, -2, 0], 0.01, drawing(s));
    expect(made[1]).toMatchObject({ kind: 'hinge', a: { body: 'box1', point: [0.5, 1, 0] }, b: { body: 'rod1', point: [1, 0, 0] } });
  });

  it('connections between nothing and nothing say what is missing', () => {
    expect(addBar(board([0, 0, 0]), board([1, 0, 0]), drawing(structure()))).toMatch(/needs a part/);
  });

  it('a slider goes along the drawn direction, within the working plane', () => {
    const s = structure([body('box1', 'box', [1, 1, 1])]);
    const made = addSlider(on(0, 'box1', [0, 0, 0], [0, 0, 0]), board([3, 4, 0]), [3, 4, 5], drawing(s));
    expect(made).toMatchObject([{ kind: 'slider', axis: [0.6, 0.8, 0], b: { body: 'world', point: [0, 0, 0] } }]);
  });

  it('a motor on a hinge drives the two parts of that hinge', () => {
    const s = structure([body('rod1', 'rod', [2, 0.1, 0.1])]);
    s.picture.joints.push({ name: 'hinge1', kind: 'hinge', rows: 2, a: { body: -1, point: [5, 0, 0], axes: [] }, b: { body: 0, point: [1, 0, 0], axes: [] }, grounded: true, redundant_rows: 0, glyph: 'hinge' });
    const made = addMotor({ ...on(0, 'rod1', [1, 0, 0], [5, 0, 0]), joint: 0 }, drawing(s));
    expect(made).toMatchObject([{ kind: 'motor', a: { body: 'rod1', point: [1, 0, 0] }, b: { body: 'world', point: [5, 0, 0] } }]);
  });

  it('a drawn wire has points at equal distances, begins at its part, and closes when its ends meet', () => {
    const circle = Array.from({ length: 101 }, (_, i): Vec3 => [Math.cos(i * Math.PI / 50), Math.sin(i * Math.PI / 50), 0]);
    const made = addCurve(on(0, 'bead', [0, 0, 0], [1, 0, 0]), circle, drawing(structure([body('bead', 'point', [0, 0, 0])])));
    const curve = (made as unknown as { curve: { points: Vec3[]; closed: boolean } }[])[0].curve;
    expect(curve.closed).toBe(true);
    expect(curve.points).toHaveLength(16);
    expect(curve.points[0]).toEqual([1, 0, 0]);
    const steps = curve.points.slice(1).map((point, i) => distance(point, curve.points[i]));
    expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(1.01);
    expect(evenly([[0, 0, 0], [1, 0, 0], [1, 1, 0]], 5, 2, false)).toEqual([[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 0.5, 0], [1, 1, 0]]);
  });
});

describe('working plane', () => {
  it('is z = 0 when all parts are planar, upright otherwise', () => {
    expect(isFlat(structure([]))).toBe(true);
    expect(isFlat(structure([], [0, 0, 1]))).toBe(false);
    expect(isFlat(structure([body('a', 'box', [1, 1, 1], false)]))).toBe(false);
    for (const name of ['front', 'side', 'floor'] as const) {
      const plane = workingPlane(structure([], [0, 0, 1]), name);
      // right-handed: x × y = normal
      expect([plane.x[1] * plane.y[2] - plane.x[2] * plane.y[1], plane.x[2] * plane.y[0] - plane.x[0] * plane.y[2], plane.x[0] * plane.y[1] - plane.x[1] * plane.y[0]].map((x) => x + 0)).toEqual(plane.normal.map((x) => x + 0));
    }
  });

  it('is hit from either side, and never behind the viewer', () => {
    const plane = workingPlane(structure(), 'front');
    expect(hit(plane, { origin: [1, 2, 5], direction: [0, 0, -1] })).toEqual([1, 2, 0]);
    expect(hit(plane, { origin: [1, 2, 5], direction: [0, 0, 1] })).toBeNull();
    expect(hit(plane, { origin: [1, 2, 5], direction: [1, 0, 0] })).toBeNull();
  });

  it('has a grid of 1, 2, 5 times powers of ten', () => {
    expect([0.011, 0.02, 0.03, 0.06, 3, 7].map(gridStep)).toEqual([0.02, 0.02, 0.05, 0.1, 5, 10]);
    expect(toGrid(workingPlane(structure(), 'front'), [0.26, 0.74, 0], 0.5)).toEqual([0.5, 0.5, 0]);
  });
});

describe('geometry, places and the form', () => {
  it('toLocal undoes toWorld', () => {
    const s = Math.sqrt(0.5);
    const pose = { p: [1, 2, 3] as Vec3, q: [0, 0, s, s] as [number, number, number, number] };
    expect(rotate(pose.q, [1, 0, 0]).map((x) => Math.round(x * 1e9) / 1e9 + 0)).toEqual([0, 1, 0]);
    expect(distance(toLocal(pose, toWorld(pose, [0.3, -0.2, 0.7])), [0.3, -0.2, 0.7])).toBeLessThan(1e-12);
  });

  it('a rod offers its centre and its two ends', () => {
    expect(placesOf(body('rod1', 'rod', [2, 0.1, 0.1])).map((place) => place.local)).toEqual([[0, 0, 0], [-1, 0, 0], [1, 0, 0]]);
  });

  it('lengths are said as people say them', () => {
    expect([1.2345, 0.4, 0.0035].map(metres)).toEqual(['1.23 m', '40 cm', '3.5 mm']);
  });

  it('the form shows mass and length of a rod, and what is typed is read as number, list or expression', () => {
    const s = structure([body('rod1', 'rod', [2, 0.1, 0.1])]);
    expect(fieldsOf(s, thingNamed(s, 'rod1')!).map((field) => [field.key, field.value])).toEqual([['mass', '2'], ['length', '2']]);
    expect([parse('2.5'), parse('1, 2,3'), parse('2*pi')]).toEqual([2.5, [1, 2, 3], '2*pi']);
  });

  it('tools have different names and keys, none of them a key of the player', () => {
    for (const key of ['name', 'key', 'label'] as const) expect(new Set(kTools.map((tool) => tool[key])).size).toBe(kTools.length);
    expect(kTools.filter((tool) => 'fakgntplcbj?.,+-'.includes(tool.key))).toEqual([]);
  });
});

// A board seen from straight above, 100 pixels a metre, nothing under the pointer.
const boardOf = (s: Structure): BuildHost => ({
  structure: () => s, pick: () => null, pose: () => ({ p: [0, 0, 0], q: [0, 0, 0, 1] }),
  project: (p: Vec3) => [100 * p[0], -100 * p[1], true], ray: (x: number, y: number) => ({ origin: [x / 100, -y / 100, 5], direction: [0, 0, -1] }),
}) as unknown as BuildHost;

describe('pressing near the end of a rod', () => {
  const s = structure([body('rod1', 'rod', [2, 0.2, 0.2])]), host = boardOf(s), plane = workingPlane(s, 'front');
  it('means the end, as far as it is drawn and a few pixels more', () => {
    for (const x of [100, 119, 130]) expect(snap(host, plane, x, 0)).toMatchObject({ body: 0, local: [1, 0, 0], what: 'end of rod1' });
    expect(snap(host, plane, 140, 0)!.body).toBe(-1);
  });
  it('is noticed where it no longer does', () => {
    expect(besideAnchor(host, 140, 0)).toMatchObject({ what: 'end of rod1' });
    expect(besideAnchor(host, 200, 0)).toBeNull();
  });
});
