// The decoder of recordings on bytes written by hand, and the numbers of the summary.
import { describe, expect, it } from 'vitest';
import { decodeChunk, interpolate, type Section } from '../src/replay/codec';
import { summaryRows } from '../src/replay/summary';

const section: Section = {
  picture: { up: [0, 0, 1], gravity: [0, 0, -9.81], size: 1, bodies: [], joints: [], forces: [], tracks: [], fixed: [], points: 2 },
  position_grid: 0.5, rotation_grid: 0.25, turns: [1], point_body: [0, -2], point_local: [0, 2, 0, 0, 0, 0],
};

function varint(value: number): number[] {
  let bits = value < 0 ? -2 * value - 1 : 2 * value;
  const out: number[] = [];
  while (bits >= 128) { out.push(0x80 | (bits % 128)); bits = Math.floor(bits / 128); }
  return [...out, bits];
}

describe('chunks', () => {
  // x = 3, 5, 7 by first differences; y by second ones; z far away; w of the quaternion left out
  const bytes = Uint8Array.from([
    3, 1, 2, 0, 0, 0, 0, 0, 0, 0,
    ...varint(3), ...varint(2), ...varint(2),
    ...varint(1), ...varint(-1), ...varint(4),
    ...varint(2 ** 45), ...varint(-(2 ** 45)), ...varint(-1),
    ...[0, 0, 0, 0, 0, 0].flatMap(varint), ...[0, 2, 4].flatMap(varint),
    ...[8, 8, 8].flatMap(varint), ...[0, 0, 0].flatMap(varint), ...[0, 0, 0].flatMap(varint),
  ]);

  it('are integers on a grid, as differences of any order', () => {
    const chunk = decodeChunk(section, bytes, 3);
    const column = (c: number) => [0, 1, 2].map((k) => chunk.poses[7 * k + c]);
    expect(column(0)).toEqual([1.5, 2.5, 3.5]);
    expect(column(1)).toEqual([0.5, 0, 1.5]);
    expect(column(2)).toEqual([2 ** 44, -(2 ** 44), -0.5]);
    expect(column(5)).toEqual([0, 0.5, 1]);
    expect(column(6)[1]).toBeCloseTo(Math.sqrt(0.75), 6);
    expect(chunk.points[0]).toBe(4);
  });

  it('place points that are fixed to a body, and keep rotations normal in between', () => {
    const chunk = decodeChunk(section, bytes, 3);
    const { poses, points } = interpolate(section, chunk, 0, chunk, 1, 0.5);
    expect(poses[0]).toBe(2);
    expect(Math.hypot(poses[3], poses[4], poses[5], poses[6])).toBeCloseTo(1, 6);
    // turned by half of 60° about z
    expect(points[0] - poses[0]).toBeCloseTo(-2 * Math.sin(Math.PI / 6), 4);
    expect(points[1] - poses[1]).toBeCloseTo(2 * Math.cos(Math.PI / 6), 4);
    expect(points[3]).toBe(4);
  });

  it('are refused when they end too soon', () => {
    for (const end of [5, 12, bytes.length - 1]) expect(() => decodeChunk(section, bytes.slice(0, end), 3)).toThrow('damaged');
  });
});

it('the summary leaves out what a run does not have', () => {
  expect(summaryRows({}, {}).map(([label]) => label)).toEqual([]);
  const rows = summaryRows({ solver: 'tree', solver_reason: 'a forest', energy: { max_drift: 1e-8 } }, { parameters: { links: '100' } });
  expect(rows.map(([label]) => label)).toEqual(['solver', 'energy drift', 'parameters']);
  expect(rows[2][1]).toBe('links = 100');
});
