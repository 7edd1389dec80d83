import { describe, expect, it } from 'vitest';
import { feltText, number, seconds } from '../src/format';
import { chartsOf, colorIndex } from '../src/panels/charts';
import type { Blow } from '../src/source';
import { Series } from '../src/series';

const rows = (...times: number[]) => ({ type: 'samples' as const, revision: 1, columns: ['t', 'a'], rows: times.map((t) => [t, 10 * t]) });

describe('samples', () => {
  it('are kept by column', () => {
    const s = new Series();
    s.add(rows(0, 1, 2));
    expect(s.columns).toEqual(['a']);
    expect(s.column('a')).toEqual([0, 10, 20]);
    expect(s.indexAt(1.5)).toBe(1);
    expect(s.indexAt(-1)).toBe(-1);
  });
  it('of a branch replace what came after it', () => {
    const s = new Series();
    s.add(rows(0, 1, 2, 3));
    s.add(rows(1, 1.5));
    expect(s.time).toEqual([0, 1, 1.5]);
  });
  it('are thinned, and stay in order', () => {
    const s = new Series();
    s.add(rows(...Array.from({ length: 70000 }, (_, i) => i)));
    expect(s.length).toBeLessThan(60000);
    expect(s.time.every((t, i) => i === 0 || t > s.time[i - 1])).toBe(true);
    expect(s.time[s.length - 1]).toBe(69999);
  });
  it('of many hours have no hole', () => {
    const s = new Series(), hour = 216000;
    for (let i = 0; i < 5 * hour; i += 5000) s.add(rows(...Array.from({ length: 5000 }, (_, k) => i + k)));
    expect(s.time[0]).toBe(0);
    expect(s.time.every((t, i) => i === 0 || t - s.time[i - 1] < 8 * 5 * hour / 60000)).toBe(true);
  });
});

describe('blows', () => {
  const blow: Blow = { body: 0, point: [1, 0, 0], impulse: [0, 2, 0], newton_seconds: 2, change: [0, 6, 0], mass: 1 / 3, work: 6, time: 0 };
  it('are told as the hand felt them', () => {
    expect(feltText(blow)).toBe('Blow of 2 N·s: met 0.333 kg, changed its point by 6 m/s, work 6 J');
    expect(feltText({ ...blow, change: [0, 0, 0], mass: 0, work: 0 })).toBe('Blow of 2 N·s: nothing gave way, work 0 J');
  });
});

describe('charts', () => {
  const columns = ['energy.kinetic', 'energy.total', 'energy.numerical', 'constraint_error', 'tip.x', 'tip.x~', 'tip.y', 'angle', 'angle~', 'strange'];
  const charts = chartsOf(columns, [{ name: 'tip', unit: 'm', components: ['x', 'y'] }, { name: 'angle', unit: 'rad', components: [''] }]);
  it('gather columns by what they belong to, and lose none', () => {
    expect(charts.map((c) => c.title)).toEqual(['Energy', 'Constraint error', 'Energy error', 'tip', 'angle', 'strange']);
    expect(charts.flatMap((c) => c.curves.map((x) => x.column)).sort()).toEqual([...columns].sort());
  });
  it('draw an overlay in the colour of its curve', () => {
    const tip = charts.find((c) => c.title === 'tip')!;
    expect(colorIndex(tip, 0)).toBe(colorIndex(tip, 1));
    expect(colorIndex(tip, 2)).not.toBe(colorIndex(tip, 0));
    expect(tip.curves[1].overlay).toBe(true);
  });
});

describe('numbers', () => {
  it('are written as engineers do', () => {
    expect(number(0)).toBe('0');
    expect(number(3.14159)).toBe('3.142');
    expect(number(-1234.5)).toBe('−1235');
    expect(number(3.1e-14, 3)).toBe('3.1·10⁻¹⁴');
    expect(number(undefined)).toBe('–');
    expect(number(Infinity)).toBe('∞');
    expect(seconds(1.5)).toBe('1.500');
  });
});
