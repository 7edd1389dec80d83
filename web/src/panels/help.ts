// Keyboard shortcuts, and the list of them.
import { h } from '../dom';
import { icon } from '../icons';

export interface Shortcut {
  keys: string[];            // as shown
  what: string;
  match?: (e: KeyboardEvent) => boolean;
  act?: () => void;
  server?: boolean;          // only with a running simulation
}

export function mountHelp(shortcuts: Shortcut[], unlisted: Shortcut[], overlay: HTMLElement, live: boolean): () => void {
  const close = h('button', { class: 'button quiet icon-only', type: 'button', 'aria-label': 'Close', title: 'Close', onClick: () => dialog.close() }, icon('close'));
  const list = h('dl', { class: 'shortcuts' }, ...shortcuts.filter((s) => live || !s.server).map((s) =>
    h('div', {}, h('dt', {}, ...s.keys.flatMap((k, i) => [i > 0 ? ' ' : '', h('kbd', {}, k)])), h('dd', {}, s.what))));
  const dialog = h('dialog', { 'aria-label': 'Keyboard and pointer' }, h('header', {}, h('h2', {}, 'Keyboard and pointer'), close), list);
  dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
  overlay.append(dialog);

  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    const target = e.target as HTMLElement;
    if (target.closest('input:not([type=range]):not([type=checkbox]), select, textarea, [contenteditable]')) return;
    if (document.querySelector('dialog[open]')) return;
    // Space and Enter belong to a focused button
    if ((e.key === ' ' || e.key === 'Enter') && target.closest('button, summary, a, [role=tab], input')) return;
    // so do the arrows and Home to a slider
    if (target.closest('input[type=range]') && /^(Arrow|Home|End|Page)/.test(e.key)) return;
    // letters and digits that choose tools in build mode
    if (document.body.dataset.mode === 'build' && /^[0-9msjwvx]$/i.test(e.key)) return;
    const hit = [...shortcuts, ...unlisted].find((s) => s.act && (live || !s.server) && s.match?.(e));
    if (!hit) return;
    e.preventDefault();
    hit.act!();
  });
  return () => dialog.showModal();
}

export function key(...keys: string[]): (e: KeyboardEvent) => boolean {
  return (e) => keys.includes(e.key) || keys.includes(e.key.toLowerCase());
}
