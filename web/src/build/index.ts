// Build mode (tinkertoys): the page's second mode, in which parts are placed and joined while the simulation runs.
// The server keeps the scene; build mode sends edits and shows what comes back.
import './build.css';
import { h, setPressed, svg } from '../dom';
import type { Vec3 } from '../source';
import type { Edit } from './edits';
import { Files, kNewFlat, kNewInSpace } from './files';
import { Form } from './form';
import { Gallery } from './gallery';
import { toWorld } from './geometry';
import { Gestures, type Settings } from './gestures';
import type { BuildHost } from './host';
import { installInput } from './input';
import { Overlay } from './overlay';
import { Palette } from './palette';
import { placeOf, thingAt, thingNamed } from './things';

export type { BuildHost } from './host';

export function startBuildMode(host: BuildHost): BuildMode {
  return new BuildMode(host);
}

export class BuildMode {
  readonly settings: Settings = { tool: 'hand', plane: 'front', pin: true, grid: true };
  readonly overlay: Overlay;
  readonly gestures: Gestures;
  readonly palette: Palette;
  readonly files: Files;
  private form: Form;
  private gallery: Gallery;
  private selected: string | null = null;    // by name: numbers change with every edit
  private awaited: string | null = null;     // what an edit adds, to be selected when it is there
  private toFit = false;                     // another scene was opened: look at all of it when its first frame is there
  private shown = -1;                        // revision of the structure that is shown
  private empty = h('p', { class: 'build-empty', 'aria-hidden': 'true' }, 'Drag anywhere to draw a rod.', h('br'), 'Its first end is pinned to the board.');
  private buttons = {
    build: button('build', 'Build', 'Build (key B)', () => this.toggle()),
    undo: button('undo', '', 'Undo (Ctrl+Z)', () => this.undo()),
    redo: button('redo', '', 'Redo (Ctrl+Shift+Z)', () => this.redo()),
    scenes: button('scenes', 'Scenes', 'Scenes: new, open, examples (Ctrl+O)', () => this.showScenes()),
    save: button('save', 'Save', 'Save the scene as a file (Ctrl+S)', () => this.files.save()),
  };

  constructor(readonly host: BuildHost) {
    this.overlay = new Overlay(host);
    this.palette = new Palette(this.settings, () => { this.gestures?.cancel(); this.draw(); });
    this.form = new Form({ select: (name) => this.select(name), apply: (edits) => void this.apply(edits) });
    this.gestures = new Gestures(host, this.overlay, this.settings, (edits) => void this.apply(edits), (text) => this.complain(text), (x, y) => this.removeAt(x, y));
    this.files = new Files(host, () => { this.toFit = true; });
    this.gallery = new Gallery({
      newFlat: () => void this.begin(kNewFlat),
      newInSpace: () => void this.begin(kNewInSpace),
      open: () => this.files.open(),
      example: (name) => void this.request({ type: 'example', name }).then((ok) => { this.toFit ||= ok; }),
    });
    host.toolbar.append(this.palette.element, this.form.element);
    host.menu.append(...Object.values(this.buttons));
    host.stage.append(this.palette.hint, this.empty);
    host.store.on(['structure', 'mode'], () => this.show());
    host.store.on('selection', () => this.follow());
    host.store.on(['frame', 'status'], () => this.fitOnce());
    host.onDraw(() => this.draw());
    installInput(this);
    this.returnFocus(host.menu);
    this.returnFocus(host.toolbar);
    this.show();
  }

  // After a click with the mouse keys belong to the picture again, so that Space plays and does not undo once more.
  // After a choice of a tool by key they do so too: the arrows then move a cross over the board.
  private returnFocus(where: HTMLElement): void {
    where.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button && (event.detail > 0 || button.dataset.tool) && !document.querySelector('dialog[open]')) this.host.stage.focus({ preventScroll: true });
    });
  }

  get on(): boolean { return this.host.store.mode === 'build'; }

  toggle(on = !this.on): void {
    this.gestures.cancel();
    this.host.store.setMode(on ? 'build' : 'watch');
    if (!on) this.palette.choose('hand');
  }

  undo(): void { void this.request({ type: 'undo' }); }
  redo(): void { void this.request({ type: 'redo' }); }
  showScenes(): void { this.gallery.show(this.host.structure()); }

  select(name: string | null): void {
    const structure = this.host.structure();
    const thing = structure && name ? thingNamed(structure, name) : null;
    this.selected = thing?.name ?? null;
    this.host.store.select(thing && { kind: thing.kind, index: thing.index });
    this.form.show(structure, this.selected);
  }

  selectAt(x: number, y: number): void {
    const thing = thingAt(this.host, x, y);
    if (thing) this.select(thing.name);
  }

  removeSelected(): void {
    if (this.selected) void this.apply([{ op: 'delete', name: this.selected }]);
  }

  complain(text: string): void {
    this.host.toast(text, 'error');
  }

  // Every edit is answered; a refusal says why, and nothing has changed.
  async apply(edits: Edit[]): Promise<void> {
    const added = edits.find((edit) => edit.op === 'add-body' || edit.op === 'connect');
    this.awaited = added ? String(added.name) : null;
    const ok = await this.request(edits.length === 1 ? { type: 'edit', ...edits[0] } : { type: 'edit', edits });
    if (ok) return;
    this.awaited = null;
    const joint = edits.find((edit) => edit.op === 'connect');
    const place = joint && this.placeOfEnd(joint.a as { body: string; point: Vec3 });
    if (place) this.overlay.refuse(place);
  }

  private placeOfEnd(end: { body: string; point: Vec3 }): Vec3 | null {
    const body = this.host.structure()?.picture.bodies.findIndex((one) => one.name === end.body) ?? -1;
    const pose = body >= 0 ? this.host.pose(body) : null;
    return pose && toWorld(pose, end.point);
  }

  private async request(message: Parameters<BuildHost['store']['ask']>[0]): Promise<boolean> {
    const { store } = this.host;
    const reply = await store.ask(message);
    // the page shows problems of edits itself; what was refused before is settled by the next edit that is made
    if (!reply.ok && store.problem?.message !== reply.message) this.complain(reply.message);
    if (reply.ok && store.problem?.what === 'edit') store.dismissProblem();
    return reply.ok;
  }

  // A new scene stands still until one lets it go: nothing falls while one draws.
  private async begin(text: string): Promise<void> {
    this.host.source.send({ type: 'pause' });
    if (!await this.files.load(text)) return;
    this.host.source.send({ type: 'pause' });
    this.toggle(true);
    this.palette.choose('rod');
  }

  private removeAt(x: number, y: number): void {
    const thing = thingAt(this.host, x, y);
    if (thing) void this.apply([{ op: 'delete', name: thing.name }]);
    else this.complain('Nothing is there to delete.');
  }

  private show(): void {
    const structure = this.host.structure();
    setPressed(this.buttons.build, this.on);
    this.buttons.undo.disabled = !structure?.can_undo;
    this.buttons.redo.disabled = !structure?.can_redo;
    this.palette.hint.hidden = !this.on;
    this.empty.hidden = !(this.on && structure && structure.picture.bodies.length === 0);
    if (!structure) return;
    // nothing was asked for: one chooses
    if (this.shown < 0 && !structure.file && !structure.can_undo && !structure.can_redo && structure.picture.bodies.length === 0) this.showScenes();
    this.shown = structure.revision;
    this.palette.show(structure);
    const wanted = this.awaited && thingNamed(structure, this.awaited) ? this.awaited : this.selected;
    if (wanted === this.awaited) this.awaited = null;
    this.select(wanted && thingNamed(structure, wanted) ? wanted : null);
  }

  // The page selects too, by a click of the hand; that it forgets the selection with every new structure does not count.
  private follow(): void {
    const { store } = this.host;
    if (store.structure?.revision !== this.shown) return;
    const name = store.nameOf(store.selection) || null;
    if (name === this.selected) return;
    this.selected = name;
    this.form.show(this.host.structure(), name);
  }

  private fitOnce(): void {
    const { store } = this.host;
    if (!this.toFit || !store.frame || store.frame.revision !== store.structure?.revision) return;
    this.toFit = false;
    this.host.fit();
  }

  private draw(): void {
    const structure = this.host.structure();
    const thing = this.on && structure && this.selected ? thingNamed(structure, this.selected) : null;
    this.overlay.select(thing && thing.kind !== 'body' ? placeOf(this.host, thing) : null);
    const plane = this.on && this.settings.tool !== 'hand' ? this.gestures.plane() : null;
    this.overlay.showBoard(plane?.flat ? null : plane, Math.max(1, 0.75 * (structure?.picture.size ?? 1)));
    this.overlay.draw();
  }
}

const kIcons = {
  build: 'M3.5 16.5l7-7M8.5 5l6.5 6.5M9.5 4l2-1.5 6 6L16 10.5z',
  undo: 'M7.5 4.5 4 8l3.5 3.5M4.5 8H12a4 4 0 0 1 0 8H8.5',
  redo: 'M12.5 4.5 16 8l-3.5 3.5M15.5 8H8a4 4 0 0 0 0 8h3.5',
  scenes: 'M3.5 4h5.5v5H3.5zM11 4h5.5v5H11zM3.5 11.5h5.5v5H3.5zM11 11.5h5.5v5H11z',
  save: 'M10 3.5v9M6.5 9.5 10 13l3.5-3.5M4 16.5h12',
};

function button(icon: keyof typeof kIcons, text: string, name: string, act: () => void): HTMLButtonElement {
  const drawing = svg('svg', { viewBox: '0 0 20 20', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: kIcons[icon] }));
  const element = h('button', { type: 'button', class: `button build-${icon}`, title: name, 'aria-label': name.replace(/ \(.*|:.*/, '') }, drawing, text && h('span', {}, text));
  element.addEventListener('click', act);
  return element;
}
