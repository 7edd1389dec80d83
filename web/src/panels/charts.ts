// Which charts there can be: the columns of the samples gathered by what they belong to.
import type { Probe } from '../source';

export interface Curve {
  column: string;
  label: string;
  overlay: boolean;      // an analytic value, drawn dashed in the colour of the curve it belongs to
}

export interface Chart {
  key: string;
  title: string;
  unit: string;
  log: boolean;
  curves: Curve[];
}

const kEnergy = 'energy.', kOverlay = '~';

export function chartsOf(columns: string[], probes: Probe[]): Chart[] {
  const charts: Chart[] = [], left = new Set(columns);
  const take = (name: string) => left.delete(name);
  const energy = columns.filter((c) => c.startsWith(kEnergy) && c !== 'energy.numerical');
  if (energy.length > 0) {
    energy.forEach(take);
    charts.push({ key: 'energy', title: 'Energy', unit: 'J', log: false, curves: energy.map((c) => curve(c, c.slice(kEnergy.length))) });
  }
  if (take('constraint_error')) charts.push({ key: 'constraint_error', title: 'Constraint error', unit: 'm', log: true, curves: [curve('constraint_error', 'largest')] });
  if (take('energy.numerical')) charts.push({ key: 'energy.numerical', title: 'Energy error', unit: 'J', log: false, curves: [curve('energy.numerical', 'numerical')] });
  for (const probe of probes) {
    const own = columns.filter((c) => left.has(c) && belongs(c, probe.name));
    own.forEach(take);
    if (own.length > 0) charts.push({ key: `probe:${probe.name}`, title: probe.name, unit: probe.unit, log: false, curves: withOverlays(own, probe.name) });
  }
  // whatever else was sent, by the part before the dot
  const groups = new Map<string, string[]>();
  for (const c of left) {
    const name = plain(c).split('.')[0];
    groups.set(name, [...(groups.get(name) ?? []), c]);
  }
  for (const [name, own] of groups) charts.push({ key: `other:${name}`, title: name, unit: '', log: false, curves: withOverlays(own, name) });
  return charts;
}

function belongs(column: string, probe: string): boolean {
  const name = plain(column);
  return name === probe || (name.startsWith(probe + '.') && !name.slice(probe.length + 1).includes('.'));
}

function plain(column: string): string {
  return column.endsWith(kOverlay) ? column.slice(0, -1) : column;
}

function withOverlays(columns: string[], name: string): Curve[] {
  const label = (c: string) => (plain(c) === name ? name : plain(c).slice(name.length + 1));
  return columns.map((c) => ({ column: c, label: c.endsWith(kOverlay) ? `${label(c)} analytic` : label(c), overlay: c.endsWith(kOverlay) }));
}

function curve(column: string, label: string): Curve {
  return { column, label, overlay: false };
}

// The colour of a curve: an overlay has that of the curve it lies over.
export function colorIndex(chart: Chart, i: number): number {
  const c = chart.curves[i];
  const base = c.overlay ? chart.curves.findIndex((other) => other.column === plain(c.column)) : i;
  const solid = chart.curves.slice(0, Math.max(0, base < 0 ? i : base)).filter((other) => !other.overlay).length;
  return solid % 6;
}
