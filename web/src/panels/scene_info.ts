// What the scene is: its description, its parameters to change, what the engine says about it.
import { h } from '../dom';
import type { Parameter } from '../source';
import type { Store } from '../store';

export function mountSceneInfo(store: Store, place: HTMLElement): void {
  const about = h('section', { class: 'block' }), parameters = h('section', { class: 'block needs-server' }), notes = h('section', { class: 'block' }), overlays = h('section', { class: 'block' });
  place.append(about, notes, parameters, overlays);
  let drawn = '';
  store.on('structure', () => {
    const s = store.structure!;
    about.replaceChildren(h('h2', {}, 'Scene'), h('b', {}, s.title || 'Untitled'), s.description ? h('p', { class: 'description' }, s.description.trim()) : '', s.file ? h('p', { class: 'mono muted' }, s.file) : '');
    notes.hidden = s.notes.length === 0;
    notes.replaceChildren(h('h2', {}, 'Notes'), ...s.notes.map((n) => h('p', { class: 'note' }, n)));
    const analytic = Object.entries(s.overlays ?? {}).filter(([, list]) => list.length > 0);
    overlays.hidden = analytic.length + s.events.length === 0;
    overlays.replaceChildren(
      ...(analytic.length > 0 ? [h('h2', {}, 'Analytic overlays'), ...analytic.map(([probe, list]) => h('p', { class: 'mono' }, `${probe} = ${list.join(', ')}`))] : []),
      ...(s.events.length > 0 ? [h('h2', {}, 'Events'), h('p', {}, s.events.join(', '))] : []));
    const text = JSON.stringify(s.parameters);
    if (text === drawn) return;
    drawn = text;
    const entries = Object.entries(s.parameters ?? {});
    parameters.hidden = entries.length === 0;
    parameters.replaceChildren(h('h2', {}, 'Parameters'), ...entries.map(([name, p]) => parameterField(store, name, typeof p === 'object' ? p : { value: p })),
      h('p', { class: 'muted' }, 'A change builds the scene anew and starts it again.'));
  });
}

function parameterField(store: Store, name: string, p: Parameter): HTMLElement {
  const send = (value: number | string) => store.source.send({ type: 'parameter', name, value });
  const label = h('span', { class: 'label', title: p.doc ?? '' }, name);
  if (p.choices && p.choices.length > 0) {
    const select = h('select', { 'aria-label': name, onChange: () => send(select.value) }, ...p.choices.map((c) => h('option', { value: c }, c)));
    select.value = String(p.value);
    return h('div', { class: 'field' }, label, select);
  }
  const numeric = typeof p.value === 'number';
  const input = h('input', { type: numeric ? 'number' : 'text', step: 'any', value: numeric ? tidy(p.value as number) : p.value, min: p.min, max: p.max, 'aria-label': name });
  input.addEventListener('change', () => {
    if (numeric && !Number.isFinite(input.valueAsNumber)) return;
    send(numeric ? input.valueAsNumber : input.value);
  });
  return h('div', { class: 'field' }, label, input);
}

function tidy(x: number): string {
  return String(Number(x.toPrecision(10)));
}
