// Motors and forces switched and commanded while the simulation runs.
import { h } from '../dom';
import { number } from '../format';
import type { PictureForce } from '../source';
import type { Store } from '../store';

const kMost = 100;   // rows shown

export function mountDrive(store: Store, place: HTMLElement): void {
  const motors = h('section', { class: 'block' }), others = h('section', { class: 'block' });
  place.append(motors, others);
  let drawn = '';
  store.on('structure', () => {
    const forces = store.structure!.picture.forces;
    const text = JSON.stringify(forces.map((f) => [f.name, f.on, f.commands, f.values]));
    if (text === drawn) return;
    drawn = text;
    const row = (f: PictureForce) => forceRow(store, f);
    const [driven, plain] = [forces.filter((f) => f.commands.length > 0 || f.glyph === 'motor'), forces.filter((f) => f.commands.length === 0 && f.glyph !== 'motor')];
    motors.replaceChildren(h('h2', {}, 'Motors and commands'), ...(driven.length > 0 ? driven.slice(0, kMost).map(row) : [h('p', { class: 'muted' }, 'This model has no motors.')]));
    others.replaceChildren(h('h2', {}, 'Forces'), ...(plain.length > 0 ? plain.slice(0, kMost).map(row) : [h('p', { class: 'muted' }, 'No forces besides gravity.')]));
    if (plain.length > kMost) others.append(h('p', { class: 'muted' }, `and ${plain.length - kMost} more`));
  });
}

function forceRow(store: Store, force: PictureForce): HTMLElement {
  const toggle = h('input', { type: 'checkbox', class: 'switch', 'aria-label': `${force.name} on`, onChange: () => store.source.send({ type: 'switch', force: force.name, on: toggle.checked }) });
  toggle.checked = force.on;
  const values = force.commands.map((_, i) => force.values?.[i] ?? 0);
  const sliders = force.commands.map((name, i) => {
    const [low, high] = range(force, i);
    const slider = h('input', { type: 'range', min: low, max: high, step: (high - low) / 200, value: values[i], 'aria-label': `${force.name} ${name}` });
    const exact = h('input', { type: 'number', step: 'any', value: values[i], 'aria-label': `${force.name} ${name}, exact value` });
    const set = (value: number, from: HTMLInputElement) => {
      if (!Number.isFinite(value)) return;
      values[i] = value;
      if (from !== slider) slider.value = String(value); else exact.value = String(Number(number(value, 4).replace('−', '-')) || value);
      store.source.send({ type: 'command', force: force.name, values: [...values] });
    };
    slider.addEventListener('input', () => set(Number(slider.value), slider));
    exact.addEventListener('change', () => set(Number(exact.value), exact));
    return h('div', { class: 'command' }, h('span', {}, name), slider, exact);
  });
  return h('div', { class: 'force-row' }, h('div', { class: 'head' }, h('span', {}, force.name, h('small', {}, force.kind.replace(/_/g, ' '))), toggle), ...sliders);
}

function range(force: PictureForce, i: number): [number, number] {
  const given = force.limits?.[i];
  if (given && given[1] > given[0] && Number.isFinite(given[0]) && Number.isFinite(given[1])) return given;
  const reach = Math.max(10, 4 * Math.abs(force.values?.[i] ?? 0));
  return [-reach, reach];
}
