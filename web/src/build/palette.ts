// The palette: the tools in groups, the line that says how to use the chosen one, what it can be told, and how the
// mechanism can move.
import { h, setPressed, setText } from '../dom';
import type { Structure } from '../source';
import type { Settings } from './gestures';
import { isFlat, type PlaneName } from './plane';
import { kTools, toolNamed, type Tool, type ToolName } from './tools';

export class Palette {
  readonly element = h('div', { class: 'build-palette' });
  readonly hint = h('p', { class: 'build-hint', role: 'status' });
  private buttons = new Map<ToolName, HTMLButtonElement>();
  private freedom = h('output', { class: 'build-freedom', 'aria-label': 'Degrees of freedom' });
  private redundancy = h('p', { class: 'build-redundancy' });
  private pin = checkbox('Pin first end', 'The first end of a rod, put on the empty board, is pinned there');
  private grid = checkbox('Snap to grid', 'Free places go to the grid');
  private plane = h('select', { class: 'field', 'aria-label': 'Working plane' },
    ...(['front', 'side', 'floor'] as const).map((name) => h('option', { value: name }, `Plane: ${name}`)));
  private options = h('div', { class: 'build-options' }, this.pin.label, this.grid.label, this.plane);

  constructor(private readonly settings: Settings, private readonly chosen: (tool: ToolName) => void) {
    const groups = (['Tools', 'Parts', 'Connections'] as const).map((group) =>
      h('div', { class: 'build-group', role: 'group', 'aria-label': group }, h('h3', {}, group), h('div', { class: 'build-tools' },
        ...kTools.filter((tool) => tool.group === group).map((tool) => this.button(tool)))));
    this.element.append(this.freedom, this.redundancy, ...groups, this.options);
    this.pin.input.addEventListener('change', () => { settings.pin = this.pin.input.checked; });
    this.grid.input.addEventListener('change', () => { settings.grid = this.grid.input.checked; });
    this.plane.addEventListener('change', () => { settings.plane = this.plane.value as PlaneName; this.chosen(settings.tool); });
    this.pin.input.checked = settings.pin;
    this.grid.input.checked = settings.grid;
    this.choose(settings.tool);
  }

  choose(name: ToolName): void {
    this.settings.tool = name;
    for (const [tool, button] of this.buttons) setPressed(button, tool === name);
    setText(this.hint, toolNamed(name).hint);
    this.pin.label.hidden = name !== 'rod';
    this.chosen(name);
  }

  show(structure: Structure | null): void {
    if (!structure) return;
    const { dof, redundant_rows: redundant } = structure;
    const empty = structure.picture.bodies.length === 0;
    setText(this.freedom, empty ? 'Nothing here yet' : `${dof} degree${dof === 1 ? '' : 's'} of freedom`);
    this.freedom.dataset.dof = String(dof);
    setText(this.redundancy, redundant > 0 ? `${redundant} condition${redundant === 1 ? '' : 's'} too many: see the marks` : '');
    this.redundancy.hidden = !(redundant > 0);
    this.plane.hidden = isFlat(structure);
  }

  private button(tool: Tool): HTMLButtonElement {
    const button = h('button', { type: 'button', class: 'build-tool', 'data-tool': tool.name, title: `${tool.hint} (key ${tool.key})`, 'aria-pressed': 'false' });
    const icon = document.createElement('span');
    icon.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${tool.icon}</svg>`;   // constant text of tools.ts
    button.append(icon.firstElementChild!, h('span', {}, tool.label));
    button.addEventListener('click', () => this.choose(tool.name));
    this.buttons.set(tool.name, button);
    return button;
  }
}

function checkbox(text: string, title: string): { label: HTMLLabelElement; input: HTMLInputElement } {
  const input = h('input', { type: 'checkbox' });
  return { label: h('label', { class: 'build-check', title }, input, text), input };
}
