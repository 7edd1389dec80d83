// The frame of the page: bar, stage, side panel with tabs, time at the bottom.
import { h, setPressed, svg } from './dom';
import { icon, type IconName } from './icons';
import type { Store } from './store';
import { toggleTheme } from './theme';

export type Tab = 'plots' | 'inspect' | 'drive' | 'scene';

const kTabs: [Tab, string][] = [['plots', 'Plots'], ['inspect', 'Inspect'], ['drive', 'Drive'], ['scene', 'Scene']];

export class Shell {
  readonly stage = h('main', { class: 'stage', tabindex: -1, 'aria-label': 'Model' });
  readonly menu = h('div', { class: 'menu needs-server' });
  readonly toolbar = h('div', { class: 'toolbar-build needs-server' });
  readonly transport = h('footer', { class: 'transport', 'aria-label': 'Time' });
  readonly viewTools = h('div', { class: 'view-tools', role: 'toolbar', 'aria-label': 'View' });
  readonly panels: Record<Tab, HTMLElement>;
  tab: Tab = 'plots';
  onTab: (tab: Tab) => void = () => {};
  onHelp: () => void = () => {};
  private readonly title = h('h1');
  private readonly tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels' });
  private readonly panel = h('aside', { class: 'panel', 'aria-label': 'Panels' });
  private readonly panelButton: HTMLButtonElement;

  constructor(store: Store, private readonly app: HTMLElement) {
    const names = kTabs.filter(([tab]) => store.source.live || tab !== 'drive');
    this.panels = Object.fromEntries(kTabs.map(([tab]) => [tab, h('div', { class: 'tabpanel', role: 'tabpanel', id: `panel-${tab}`, 'aria-labelledby': `tab-${tab}`, tabindex: 0, hidden: true })])) as unknown as Record<Tab, HTMLElement>;
    for (const [tab, name] of names) this.tabs.append(h('button', { role: 'tab', type: 'button', id: `tab-${tab}`, 'aria-controls': `panel-${tab}`, onClick: () => this.show(tab) }, name));
    this.tabs.addEventListener('keydown', (e) => this.arrowKeys(e));
    const close = this.iconButton('close', 'Close the panel', 'close', () => this.togglePanel(false));
    close.classList.add('close');
    this.panel.append(h('div', { class: 'tabs' }, this.tabs, close), ...names.map(([tab]) => this.panels[tab]));
    this.tabs.className = '';
    this.tabs.style.display = 'flex';

    const theme = this.iconButton('theme', 'Light or dark (T)', 'theme', () => toggleTheme(store));
    const help = this.iconButton('help', 'Keyboard and pointer (?)', 'help', () => this.onHelp());
    this.panelButton = this.iconButton('panel', 'Side panel (P)', 'panel', () => this.togglePanel());
    const logo = svg('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' }, svg('rect', { class: 'link', x: 3, y: 10.5, width: 15, height: 11, rx: 5.5 }), svg('rect', { class: 'link', x: 14, y: 10.5, width: 15, height: 11, rx: 5.5 }));
    const bar = h('header', { class: 'bar' }, h('div', { class: 'brand' }, logo, h('span', {}, 'Catena')), h('div', { class: 'divider' }), this.title, h('div', { class: 'spacer' }), this.menu, h('div', { class: 'right' }, help, theme, this.panelButton));
    this.stage.append(this.toolbar, this.viewTools);
    app.append(bar, this.stage, this.panel, this.transport);
    document.body.dataset.live = String(store.source.live);
    store.on('structure', () => {
      this.title.textContent = store.structure!.title;
      document.title = store.structure!.title ? `${store.structure!.title} – Catena` : 'Catena';
    });
    this.togglePanel(innerWidth > 820);
    this.show('plots');
  }

  get panelOpen(): boolean {
    return !this.app.classList.contains('no-panel');
  }

  isShown(tab: Tab): boolean {
    return this.panelOpen && this.tab === tab;
  }

  show(tab: Tab): void {
    this.tab = tab;
    for (const button of this.tabs.children) {
      const on = button.id === `tab-${tab}`;
      button.setAttribute('aria-selected', String(on));
      (button as HTMLElement).tabIndex = on ? 0 : -1;
    }
    for (const [name, element] of Object.entries(this.panels)) element.hidden = name !== tab;
    this.onTab(tab);
  }

  togglePanel(open = !this.panelOpen): void {
    this.app.classList.toggle('no-panel', !open);
    this.panel.hidden = !open;
    setPressed(this.panelButton, open);
    this.onTab(this.tab);
  }

  iconButton(control: string, label: string, name: IconName, act: () => void): HTMLButtonElement {
    return h('button', { class: 'button quiet icon-only', type: 'button', 'aria-label': label.replace(/ \(.\)$/, ''), title: label, 'data-control': control, onClick: act }, icon(name));
  }

  private arrowKeys(e: KeyboardEvent): void {
    const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const list = [...this.tabs.children] as HTMLElement[], at = list.findIndex((b) => b.id === `tab-${this.tab}`), next = list[(at + by + list.length) % list.length];
    e.preventDefault();
    this.show(next.id.slice(4) as Tab);
    next.focus();
  }
}
