// The form of what is selected: its numbers as the scene has them, each of which may be changed while it runs.
import { h, setText } from '../dom';
import type { Structure } from '../source';
import type { Edit } from './edits';
import { tidy } from './geometry';
import { entriesOf, thingNamed, thingsOf, type Judged, type Thing } from './things';

interface Field {
  key: string;                // as in the scene
  label: string;
  unit: string;
  value: string;
}

const kUnits: Record<string, [label: string, unit: string]> = {
  mass: ['Mass', 'kg'], length: ['Length', 'm'], radius: ['Radius', 'm'], stiffness: ['Stiffness', 'N/m'], damping: ['Damping', 'N·s/m'],
  rest_length: ['Rest length', 'm'], speed: ['Speed', 'rad/s'], gain: ['Gain', 'N·m·s/rad'], limit: ['Limit', 'N·m'], torque: ['Torque', 'N·m'],
  force: ['Force', 'N'], ratio: ['Ratio', ''], pitch: ['Pitch', 'm'], thickness: ['Thickness', 'm'], size: ['Size', 'm'], gear_ratio: ['Gear ratio', ''],
};
// Keys that say where something is or what it is joined to; the picture is where one changes these.
const kNotInForm = new Set(['name', 'kind', 'section', 'a', 'b', 'point', 'point_a', 'point_b', 'position', 'orientation', 'velocity', 'angular_velocity', 'from', 'to',
  'axis', 'axis_a', 'axis_b', 'curve', 'shape', 'bodies', 'points', 'breaks_at', 'target', 'planar']);
// What may be given although the scene does not yet.
const kOptional: Record<string, string[]> = { spring: ['stiffness', 'damping', 'rest_length'], 'velocity-motor': ['speed', 'gain', 'limit'], distance: ['length'], motor: ['torque', 'limit'] };

export function fieldsOf(structure: Structure, thing: Thing): Field[] {
  const entry = entriesOf(structure)[thing.name];
  const field = (key: string, value: unknown): Field =>
    ({ key, label: kUnits[key]?.[0] ?? key.replace(/_/g, ' '), unit: kUnits[key]?.[1] ?? '', value: show(value) });
  const fields = new Map<string, Field>();
  if (thing.kind === 'body') {
    const body = structure.picture.bodies[thing.index];
    fields.set('mass', field('mass', entry?.mass ?? tidy(body.mass)));
    const [x, y, z] = body.shape.size;
    if (body.shape.kind === 'rod') fields.set('length', field('length', tidy(x)));
    else if (body.shape.kind === 'box') fields.set('size', field('size', (body.planar ? [x, y] : [x, y, z]).map(tidy)));
    else if (body.shape.kind === 'disc' || body.shape.kind === 'sphere') fields.set('radius', field('radius', tidy(x)));
  }
  if (entry) {
    for (const [key, value] of Object.entries(entry))
      if (!kNotInForm.has(key) && !fields.has(key) && (typeof value === 'number' || (typeof value === 'string' && key in kUnits))) fields.set(key, field(key, value));
    for (const key of kOptional[entry.kind] ?? []) if (!fields.has(key)) fields.set(key, field(key, ''));
  }
  return [...fields.values()];
}

const show = (value: unknown): string => Array.isArray(value) ? value.map((x) => String(x)).join(', ') : typeof value === 'number' ? String(tidy(value)) : String(value ?? '');

// What was typed: a number, a list of numbers, or an expression that the server reads.
export function parse(text: string): number | number[] | string {
  const parts = text.split(/[,;]\s*|\s+/).filter(Boolean);
  const numbers = parts.map(Number);
  if (parts.length > 1 && numbers.every(Number.isFinite)) return numbers;
  return parts.length === 1 && Number.isFinite(numbers[0]) ? numbers[0] : text.trim();
}

export class Form {
  readonly element = h('section', { class: 'build-form', 'aria-label': 'Selected part' });
  private list = h('select', { class: 'field', 'aria-label': 'Selected part' });
  private fields = h('div', { class: 'build-fields' });
  private note = h('p', { class: 'build-note' });
  private remove = h('button', { class: 'button', type: 'button', 'aria-label': 'Delete the selected part' }, 'Delete');
  private shown = '';

  constructor(private readonly actions: { select(name: string | null): void; apply(edits: Edit[]): void }) {
    this.list.addEventListener('change', () => actions.select(this.list.value || null));
    this.remove.addEventListener('click', () => { if (this.list.value) actions.apply([{ op: 'delete', name: this.list.value }]); });
    this.element.append(h('div', { class: 'build-form-head' }, this.list, this.remove), this.fields, this.note);
  }

  show(structure: Structure | null, name: string | null): void {
    if (!structure) return;
    const thing = name ? thingNamed(structure, name) : null;
    const state = JSON.stringify([structure.revision, name, structure.picture.joints.map((joint) => joint.redundant_rows)]);
    if (state === this.shown) return;
    this.shown = state;
    this.fillList(structure, thing);
    this.remove.disabled = !thing;
    this.element.toggleAttribute('data-empty', !thing);
    const typing = this.fields.contains(document.activeElement) ? (document.activeElement as HTMLInputElement).name : '';
    this.fields.replaceChildren(...(thing ? fieldsOf(structure, thing).map((field) => this.input(thing, field)) : []));
    if (typing) this.fields.querySelector<HTMLInputElement>(`input[name="${CSS.escape(typing)}"]`)?.focus();
    setText(this.note, thing ? noteOn(structure, thing) : '');
  }

  private fillList(structure: Structure, thing: Thing | null): void {
    const option = (value: string, text: string) => h('option', { value }, text);
    this.list.replaceChildren(option('', 'Nothing selected'), ...thingsOf(structure).slice(0, 1000).map((one) => option(one.name, `${one.name} (${one.what})`)));
    this.list.value = thing?.name ?? '';
  }

  private input(thing: Thing, field: Field): HTMLElement {
    const input = h('input', { class: 'field', name: field.key, value: field.value, autocomplete: 'off', spellcheck: 'false', inputmode: 'decimal', 'aria-label': `${field.label} of ${thing.name}` });
    input.addEventListener('change', () => {
      if (input.value.trim() && input.value !== field.value) this.actions.apply([{ op: 'set', name: thing.name, key: field.key, value: parse(input.value) }]);
    });
    return h('label', { class: 'build-field' }, h('span', {}, field.label), input, h('span', { class: 'unit' }, field.unit));
  }
}

function noteOn(structure: Structure, thing: Thing): string {
  if (thing.kind === 'body')
    return structure.picture.bodies[thing.index].source === 'generated' ? 'Made by a generator of the scene: it can be connected to, but not be deleted on its own.' : '';
  if (thing.kind === 'force') return '';
  const joint: Judged = structure.picture.joints[thing.index];
  if (joint.note) return joint.note;
  if (!(joint.redundant_rows > 0)) return `Holds ${joint.rows} of the motions.`;
  return joint.redundant_rows >= joint.rows
    ? 'Redundant: what it holds is held by others already. Its share of the force is not determined; nothing moves less without it.'
    : `${joint.redundant_rows} of its ${joint.rows} conditions follow from those of other joints.`;
}
