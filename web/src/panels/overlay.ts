// What lies over the 3D view: names, the force of the hand, the scale of arrows, facts, problems, messages.
import { h, setText } from '../dom';
import { feltText, number, quantity } from '../format';
import { icon } from '../icons';
import type { PointerControl } from '../scene/pointer';
import type { Viewer } from '../scene/viewer';
import type { Store } from '../store';

const kMostNames = 80;

export class Overlay {
  private readonly tip = h('div', { class: 'tip', role: 'tooltip', hidden: true });
  private readonly forceTip = h('div', { class: 'tip force', role: 'status', 'aria-label': 'Force of the hand', hidden: true });
  private readonly facts = h('div', { class: 'facts', 'aria-label': 'Model' });
  private readonly legend = h('div', { class: 'legend', hidden: true }, h('i'), h('span'));
  private readonly lost = h('div', { class: 'notice sheet lost', role: 'alert', hidden: true });
  private readonly away = h('div', { class: 'notice sheet away', role: 'status', hidden: true }, h('span', {}, 'The model is out of view. Press ', h('kbd', {}, 'F'), ' to frame it.'));
  private readonly toasts = h('div', { class: 'toasts', 'aria-live': 'polite' });
  private readonly names = h('div', { class: 'names', 'aria-hidden': 'true' });
  private readonly first = h('div', { class: 'first' }, 'Waiting for the simulation …');
  private readonly tags: HTMLElement[] = [];
  private failures = 0;
  private seenBlow: string | null = null;  // the last one that was shown; null before the first status

  constructor(private readonly store: Store, private readonly viewer: Viewer, private readonly pointer: PointerControl, stage: HTMLElement) {
    stage.append(this.first, this.names, h('div', { class: 'corner' }, this.legend, this.facts), this.tip, this.forceTip, this.lost, this.away, this.toasts);
    store.on('hover', () => this.showTip());
    store.on('status', () => { this.showForce(); this.showBlow(); this.showFacts(); });
    store.on('structure', () => this.showFacts());
    store.on('connection', () => this.showConnection());
    store.on(['view', 'structure'], () => this.makeNames());
    viewer.onDraw(() => this.drawn());
    pointer.onRefused = (why) => this.toast(why, 'info');
  }

  toast(text: string, kind: 'info' | 'error'): void {
    const element = h('div', { class: `toast sheet ${kind}`, role: kind === 'error' ? 'alert' : 'status' }, text);
    this.toasts.append(element);
    while (this.toasts.childElementCount > 3) this.toasts.firstElementChild!.remove();
    setTimeout(() => element.remove(), 3000 + 40 * text.length);
  }

  private drawn(): void {
    if (!this.first.hidden && this.viewer.model) this.first.hidden = true;
    if ((this.pointer.aiming || !this.forceTip.hidden) && this.store.status) this.showForce();   // while time stands no status comes, nor when a pointer is lost
    this.place(this.tip);
    this.place(this.forceTip);
    const scale = this.viewer.model?.arrowScale ?? 0;
    this.legend.hidden = scale === 0;
    if (scale > 0) this.drawLegend(scale);
    this.away.hidden = !this.viewer.isAway;
    if (this.store.view.names) this.placeNames();
  }

  // beside the pointer, or on its other side where there is no room
  private place(element: HTMLElement): void {
    if (element.hidden) return;
    const box = this.viewer.canvas.getBoundingClientRect(), [x, y] = this.pointer.pointer;
    const left = Math.max(8, Math.min(x - box.left + 14, box.width - element.offsetWidth - 8)), top = Math.max(8, Math.min(y - box.top + 16, box.height - element.offsetHeight - 8));
    element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  private showTip(): void {
    const what = this.store.hover, picture = this.store.structure?.picture;
    this.tip.hidden = !what || this.pointer.grabbed !== null;
    if (!what || !picture) return;
    const detail = what.kind === 'body' ? `${picture.bodies[what.index].kind}, ${quantity(picture.bodies[what.index].mass, 'kg')}`
      : what.kind === 'joint' ? `${picture.joints[what.index].kind}, ${picture.joints[what.index].rows} rows${picture.joints[what.index].redundant_rows > 0 ? `, ${picture.joints[what.index].redundant_rows} redundant` : ''}`
      : picture.forces[what.index].kind;
    this.tip.replaceChildren(this.store.nameOf(what), h('small', {}, detail));
    this.place(this.tip);
  }

  private showForce(): void {
    const { hand, playing, kinematic } = this.store.status!, { aiming } = this.pointer;
    this.forceTip.hidden = !(hand || aiming) || !this.pointer.grabbed;
    if (this.forceTip.hidden) return;
    this.tip.hidden = true;
    setText(this.forceTip, aiming ? 'let go to strike' : playing && !kinematic ? quantity(hand!.newton, 'N', 3) : 'posed: no time goes by');
    this.place(this.forceTip);
  }

  // Once per blow, for as long as it takes to read.
  private showBlow(): void {
    const blow = this.store.status?.blow, key = blow ? `${blow.time} ${blow.impulse.join(' ')} ${blow.work}` : '';
    if (key === this.seenBlow) return;
    const isOld = this.seenBlow === null;   // struck before this page was opened
    this.seenBlow = key;
    if (blow && !isOld) this.toast(feltText(blow), 'info');
  }

  private showFacts(): void {
    const s = this.store.structure, status = this.store.status;
    if (!s) return;
    const parts: [string, string, boolean][] = [
      [number(s.picture.bodies.length, 7), s.picture.bodies.length === 1 ? 'body' : 'bodies', false],
      [number(s.dof, 7), s.dof === 1 ? 'degree of freedom' : 'degrees of freedom', false],
    ];
    if (s.redundant_rows > 0) parts.push([String(s.redundant_rows), s.redundant_rows === 1 ? 'redundant row' : 'redundant rows', true]);
    if (status && this.store.source.live && status.playing && status.live && status.real_time_factor < 0.95 * status.speed) parts.push([`${number(status.real_time_factor, 2)}×`, 'real time: slower than asked', true]);
    const text = parts.map((p) => p.join(' ')).join('|');
    if (this.facts.dataset.text === text) return;
    this.facts.dataset.text = text;
    this.facts.replaceChildren(...parts.map(([value, label, warn]) => h('span', { class: warn ? 'warn' : '' }, h('b', {}, value), ` ${label}`)));
  }

  private showConnection(): void {
    const state = this.store.connection;
    if (state === 'open') {
      this.lost.hidden = true;
      this.failures = 0;
    }
    if (state === 'lost') {
      this.failures += 1;
      this.lost.hidden = false;
      if (this.lost.childElementCount === 0) this.lost.append(icon('warning'), h('span'));
      setText(this.lost.lastElementChild!, this.failures < 5 ? 'No connection to the simulation. Trying again …' : 'No connection. If catena view was started again, open the address it printed.');
    }
  }

  // The arrow in the legend is as long as a round force is in the middle of the view.
  private drawLegend(newtonPerMetre: number): void {
    const perPixel = (2 * this.viewer.orbit.distance * Math.tan((this.viewer.orbit.camera.fov * Math.PI) / 360)) / this.viewer.canvas.clientHeight;
    const raw = 60 * perPixel * newtonPerMetre, power = 10 ** Math.floor(Math.log10(raw)), m = raw / power;
    const round = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
    const [line, label] = [this.legend.children[0] as HTMLElement, this.legend.children[1]];
    line.style.width = `${Math.round((round / newtonPerMetre) / perPixel)}px`;
    setText(label, round >= 1000 ? quantity(round / 1000, 'kN') : quantity(round, 'N'));
  }

  private makeNames(): void {
    const bodies = this.store.view.names ? this.store.structure?.picture.bodies ?? [] : [];
    this.tags.length = 0;
    // of many bodies only some are named, evenly spread
    const every = Math.max(1, Math.ceil(bodies.length / kMostNames));
    for (let i = 0; i < bodies.length; i += every) {
      const tag = h('span', { class: 'name-tag' }, bodies[i].name);
      tag.dataset.body = String(i);
      this.tags.push(tag);
    }
    this.names.replaceChildren(...this.tags);
    this.viewer.refresh();
  }

  private placeNames(): void {
    const box = this.viewer.canvas.getBoundingClientRect();
    for (const tag of this.tags) {
      const pose = this.viewer.pose(Number(tag.dataset.body));
      if (!pose) continue;
      const [x, y, front] = this.viewer.project(pose.p);
      tag.hidden = !front;
      tag.style.transform = `translate(${Math.round(x - box.left + 8)}px, ${Math.round(y - box.top - 8)}px)`;
    }
  }
}
