// Numbers: how the model is solved and why, how well, how fast; and those of what is selected.
import { h, setText } from '../dom';
import { feltText, micros, number, quantity, seconds, vector } from '../format';
import type { Viewer } from '../scene/viewer';
import type { Selection, Store } from '../store';

type Rows = Map<string, HTMLElement>;

export class Inspector {
  private readonly selected = h('section', { class: 'block' });
  private readonly methods = h('section', { class: 'block' });
  private readonly now = h('section', { class: 'block' });
  private readonly timing = h('section', { class: 'block' });
  private readonly find = h('input', { type: 'search', list: 'names', placeholder: 'Find a body, joint or force', 'aria-label': 'Find a body, joint or force', autocomplete: 'off', spellcheck: 'false' });
  private readonly names = h('datalist', { id: 'names' });
  private readonly felt = h('p', { class: 'muted', role: 'status', 'aria-label': 'Last blow' });
  private selectedRows: Rows = new Map();
  private nowRows: Rows = new Map();
  private lastDrawn = { frames: 0, received: 0, at: performance.now(), fps: 0, stream: 0 };

  constructor(private readonly store: Store, private readonly viewer: Viewer, place: HTMLElement, private readonly visible: () => boolean) {
    place.append(this.find, this.names, this.selected, this.now, this.methods, this.timing);
    this.find.addEventListener('change', () => {
      const what = store.findByName(this.find.value.trim());
      if (what) { store.select(what); this.find.value = ''; }
    });
    store.on('structure', () => { this.showMethods(); this.showSelected(); this.fillNames(); });
    store.on('selection', () => this.showSelected());
    store.on('status', () => this.update());
    this.showSelected();
  }

  update(): void {
    this.measure();
    if (!this.visible()) return;
    this.showNow();
    this.showTiming();
    this.updateSelected();
  }

  private fillNames(): void {
    const picture = this.store.structure!.picture;
    const names = [...picture.bodies, ...picture.joints, ...picture.forces].slice(0, 500).map((x) => h('option', { value: x.name }));
    this.names.replaceChildren(...names);
  }

  private showMethods(): void {
    const s = this.store.structure!;
    const method = (name: string, what: string, why: string) => h('div', { class: 'method' }, h('b', {}, name, h('span', {}, `  ${what}`)), why && h('span', {}, why));
    this.methods.replaceChildren(h('h2', {}, 'Methods'), method(s.solver, 'solver', s.solver_reason), method(s.integrator, 'integrator', s.integrator_reason),
      list(new Map(), [['Step', quantity(s.dt, 's')], ['Degrees of freedom', number(s.dof, 7)], ['Rows of constraints', number(s.rows, 7)], ['Redundant rows', number(s.redundant_rows, 7), s.redundant_rows > 0 ? 'warn' : '']]));
  }

  private showNow(): void {
    const s = this.store.status;
    if (!s) return;
    const rows: [string, string, string?][] = [
      ['Time', `${seconds(s.time)} s`], ['Step', number(s.step, 9)], ['Constraint error', quantity(s.constraint_error, 'm', 3)], ['Residual', number(s.residual, 3)],
      ['Iterations', number(s.iterations)], ['ω·dt of the stiffest mode', number(s.omega_dt, 3), s.omega_dt > 2 ? 'bad' : s.omega_dt > 1.2 ? 'warn' : ''],
      ['Energy', quantity(s.energy.total, 'J')], ['Energy error', quantity(s.energy.numerical, 'J', 3)],
    ];
    if (this.nowRows.size === 0) this.now.replaceChildren(h('h2', {}, 'Now'), list(this.nowRows, rows));
    fill(this.nowRows, rows);
  }

  private showTiming(): void {
    const s = this.store.status;
    if (!s) return;
    const entries = Object.entries(s.micros), most = Math.max(1, ...entries.map(([, us]) => us));
    const bars = h('div', { class: 'bars' }, ...entries.map(([name, us]) =>
      h('div', { class: 'row' }, h('span', {}, name.replace(/_/g, ' ')), h('meter', { min: 0, max: most, value: us, 'aria-label': `Time for ${name}` }), h('span', {}, micros(us)))));
    const rows: [string, string, string?][] = [
      ['Faster than real time', this.store.source.live && s.real_time_factor > 0 ? `${number(s.real_time_factor, 3)}×` : '–'], ['Pictures', `${this.lastDrawn.fps.toFixed(0)} per s`], ['Frames received', `${this.lastDrawn.stream.toFixed(0)} per s`],
      ['Drawing', micros(1000 * this.viewer.drawTime)],
    ];
    this.timing.replaceChildren(h('h2', {}, 'Time per stage'), bars, list(new Map(), rows));
  }

  private measure(): void {
    const now = performance.now(), last = this.lastDrawn;
    if (now - last.at < 900) return;
    last.fps = (1000 * (this.viewer.framesDrawn - last.frames)) / (now - last.at);
    last.stream = (1000 * (this.store.framesReceived - last.received)) / (now - last.at);
    last.frames = this.viewer.framesDrawn;
    last.received = this.store.framesReceived;
    last.at = now;
  }

  private showSelected(): void {
    const what = this.store.selection;
    this.selectedRows = new Map();
    const rows = this.rowsOf(what);
    if (!what || rows.length === 0) {
      this.selected.replaceChildren(h('h2', {}, 'Selected'), h('p', { class: 'muted' }, 'Click a body or a joint to see its numbers.'));
      return;
    }
    this.selected.replaceChildren(h('h2', {}, what.kind), h('b', {}, this.store.nameOf(what)), list(this.selectedRows, rows));
    if (what.kind === 'body' && this.store.source.live) this.selected.append(this.strikeForm(what.index), this.felt);
    const note = what.kind === 'joint' ? this.store.structure?.picture.joints[what.index]?.note : '';
    if (note) this.selected.append(h('p', { class: 'note' }, note));
  }

  // An exact impulse at the centre.
  private strikeForm(body: number): HTMLElement {
    const fields = ['x', 'y', 'z'].map((axis, k) => h('input', { type: 'number', step: 'any', value: k === 0 ? 1 : 0, 'aria-label': `Impulse along ${axis}, N·s` }));
    const strike = h('button', { class: 'button', type: 'submit' }, 'Strike');
    const form = h('form', { class: 'strike', 'aria-label': 'Impulse, N·s' }, h('span', {}, 'Impulse, N·s'), ...fields, strike);
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      const impulse = fields.map((f) => Number(f.value)) as [number, number, number];
      if (impulse.every(Number.isFinite)) this.store.source.send({ type: 'strike', body, local: [0, 0, 0], impulse });
    });
    return form;
  }

  private updateSelected(): void {
    const blow = this.store.status?.blow;
    setText(this.felt, blow && blow.body === (this.store.selection?.kind === 'body' ? this.store.selection.index : -1) ? feltText(blow) : '');
    if (this.selectedRows.size > 0) fill(this.selectedRows, this.rowsOf(this.store.selection));
  }

  private rowsOf(what: Selection): [string, string, string?][] {
    const picture = this.store.structure?.picture;
    if (!what || !picture) return [];
    if (what.kind === 'body') {
      const body = picture.bodies[what.index], pose = this.viewer.pose(what.index);
      if (!body) return [];
      return [
        ['Kind', body.kind], ['Mass', quantity(body.mass, 'kg')], ['Velocities', String(body.velocities)], ['Shape', body.shape.kind === 'none' ? '–' : body.shape.kind],
        ['Position', pose ? `${vector(pose.p)} m` : '–'], ['Orientation x y z w', pose ? vector(pose.q) : '–'], ['Speed', this.speedOf(what.index)],
        ['Joints', String(picture.joints.filter((j) => j.a.body === what.index || j.b.body === what.index).length)],
      ];
    }
    const nameOf = (i: number) => (i < 0 ? 'world' : picture.bodies[i]?.name ?? '–');
    if (what.kind === 'joint') {
      const joint = picture.joints[what.index];
      if (!joint) return [];
      return [
        ['Kind', joint.kind], ['Between', `${nameOf(joint.a.body)}, ${nameOf(joint.b.body)}`], ['Rows', String(joint.rows)],
        ['Redundant rows', String(joint.redundant_rows), joint.redundant_rows > 0 ? 'warn' : ''], ['Force', this.forceOf(what.index)], ...(joint.driven ? [['Driven', 'by a function of time'] as [string, string]] : []), ...(joint.conflict ? [['Conflict', 'contradicts others', 'bad'] as [string, string, string]] : []),
      ];
    }
    const force = picture.forces[what.index];
    return force ? [['Kind', force.kind], ['On', force.ends.map((e) => nameOf(e.body)).join(', ')], ['Switched', force.on ? 'on' : 'off']] : [];
  }

  private speedOf(body: number): string {
    const v = this.viewer.clock.speedOf(body);
    return v === null ? '–' : quantity(v, 'm/s', 3);
  }

  private forceOf(joint: number): string {
    const frame = this.store.frame;
    if (!frame || frame.arrowJoints.length === 0) return 'shown with arrows on';
    let sum = -1;
    for (let i = 0; i < frame.arrowJoints.length; ++i) {
      if (frame.arrowJoints[i] === joint) sum = Math.max(sum, Math.hypot(frame.arrows[6 * i + 3], frame.arrows[6 * i + 4], frame.arrows[6 * i + 5]));
    }
    return sum < 0 ? '–' : quantity(sum, 'N');
  }
}

function list(into: Rows, rows: [string, string, string?][]): HTMLElement {
  const dl = h('dl', { class: 'facts-list' });
  for (const [name, value, mark] of rows) {
    const dd = h('dd', { class: mark ?? '' }, value);
    into.set(name, dd);
    dl.append(h('dt', {}, name), dd);
  }
  return dl;
}

function fill(into: Rows, rows: [string, string, string?][]): void {
  for (const [name, value, mark] of rows) {
    const dd = into.get(name);
    if (!dd) continue;
    setText(dd, value);
    if (dd.className !== (mark ?? '')) dd.className = mark ?? '';
  }
}
