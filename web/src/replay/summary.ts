// The summary of a recorded run: what `catena run` prints at its end, as a table.
import { h } from '../dom';
import { number as short } from '../format';
import type { Recording } from './codec';

type Values = Record<string, unknown>;

export function summaryOf(recording: Recording): HTMLElement {
  const { header } = recording, summary = (header.about.summary ?? {}) as Values;
  const structure = (header.about.structure ?? {}) as Values;
  const table = h('table', { class: 'summary' });
  for (const [label, text, title] of summaryRows(header.about.summary ?? {}, structure)) {
    table.append(h('tr', title ? { title } : {}, h('th', { scope: 'row' }, label), h('td', {}, text)));
  }
  const recorded = `${header.frames} frames, ${short(header.rate)} per second${header.thinned ? ' (lowered to keep the file small)' : ''}; ` +
    `positions to ${short(1000 * header.position_error)} mm, angles to ${short(header.angle_error * 180 / Math.PI)}°`;
  table.append(h('tr', {}, h('th', { scope: 'row' }, 'recording'), h('td', {}, recorded)));
  const warnings = list(summary.warnings).concat(summary.status === 'refused' || summary.status === 'interrupted' ? [String(summary.message)] : []);
  return h('section', { class: 'summary-panel', 'aria-label': 'Summary of the run' }, table,
    ...warnings.map((text) => h('p', { class: 'summary-warning' }, text)));
}

// Label, value, and an explanation for those who hover.
export function summaryRows(summary: Values, structure: Values): [string, string, string?][] {
  const rows: [string, string, string?][] = [];
  const energy = (summary.energy ?? {}) as Values, error = (summary.constraint_error ?? {}) as Values;
  const add = (label: string, text: string | false | undefined, title?: string): void => {
    if (text) rows.push(title ? [label, text, title] : [label, text]);
  };
  const number = (value: unknown, unit = '', digits = 3): string | false => (typeof value === 'number' ? short(value, digits) + (unit && ` ${unit}`) : false);
  add('ended', summary.status !== 'done' && typeof summary.status === 'string' && summary.status);
  add('model', typeof summary.bodies === 'number' && `${summary.bodies} bodies, ${summary.constraints} constraints with ${summary.rows} rows`);
  add('steps', typeof summary.steps === 'number' && `${summary.steps} of ${short(summary.dt as number)} s, to t = ${short(summary.time as number, 6)} s`);
  add('wall time', typeof summary.wall_seconds === 'number' && `${short(summary.wall_seconds)} s, ${short(summary.real_time_factor as number)} × real time`);
  add('solver', summary.solver as string, summary.solver_reason as string);
  add('integrator', summary.integrator as string, summary.integrator_reason as string);
  add('energy drift', number(energy.max_drift), `${short(energy.max_numerical as number)} J of ${short(energy.scale as number)} J exchanged: what no source of work explains`);
  add('energy', typeof energy.initial === 'number' && `${short(energy.initial, 6)} J at the start, ${short(energy.final as number, 6)} J at the end`);
  add('constraint error', number(error.max, ' at most'), 'the largest distance or angle by which a joint is open, m or rad');
  add('residual', number((summary.residual as Values | undefined)?.max, ' at most'), 'of the linear system of accelerations and constraint forces, relative');
  for (const event of list(summary.events)) add('event', event);
  const parameters = Object.entries((structure.parameters ?? {}) as Values);
  if (parameters.length > 0) add('parameters', parameters.map(([name, value]) => `${name} = ${parameterText(value)}`).join(', '));
  add('state', typeof summary.hash === 'string' && summary.hash, 'hash of the bits of the final state');
  return rows;
}

function parameterText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'value' in value) return parameterText(value.value);
  const number = Number(value);
  return value === '' || Number.isNaN(number) ? String(value) : short(number, 6);
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
