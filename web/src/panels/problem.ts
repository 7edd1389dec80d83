// A refused step explains itself: which body, which joint, which step, and the state just before.
import { h } from '../dom';
import { number, seconds } from '../format';
import { icon } from '../icons';
import type { Store } from '../store';

const kNote = 12000;   // ms

export function mountProblem(store: Store, stage: HTMLElement): void {
  const card = h('section', { class: 'problem sheet', role: 'alert', 'aria-label': 'Problem', hidden: true });
  stage.append(card);
  let timer = 0;
  store.on('problem', () => {
    const p = store.problem;
    card.hidden = !p;
    if (!p) return;
    card.classList.toggle('mild', p.what !== 'refused');
    const title = p.what === 'refused'
      ? `${p.step !== undefined ? `Step ${number(p.step, 9)}` : 'The step'} was refused${p.time !== undefined ? ` at t = ${seconds(p.time)} s` : ''}`
      : p.what === 'edit' ? 'The change was not made' : 'Note';
    // a note goes by itself; what stopped the simulation stays until it is answered
    clearTimeout(timer);
    if (p.what !== 'refused' && p.what !== 'edit') timer = window.setTimeout(() => { if (store.problem === p) store.dismissProblem(); }, kNote);
    const named = ([['body', p.body], ['joint', p.joint]] as const).filter(([, name]) => name).map(([kind, name]) =>
      h('button', { class: 'chip', type: 'button', 'aria-label': `Select ${kind} ${name}`, onClick: () => store.select(store.findByName(name!)) }, h('small', {}, kind), name!));
    const actions = h('div', { class: 'row' });
    if (p.before && p.time !== undefined && store.source.live) {
      const time = p.time;
      actions.append(h('button', { class: 'button primary', type: 'button', onClick: () => { store.source.send({ type: 'seek', time }); store.dismissProblem(); } }, 'Show the state just before'));
    }
    if (p.what === 'refused' && store.source.live) actions.append(h('button', { class: 'button', type: 'button', onClick: () => { store.source.send({ type: 'reset' }); store.dismissProblem(); } }, 'Start again'));
    card.replaceChildren(
      h('header', {}, icon('warning'), h('h2', {}, title), h('button', { class: 'button quiet icon-only', type: 'button', 'aria-label': 'Close the message', title: 'Close', onClick: () => store.dismissProblem() }, icon('close'))),
      h('p', {}, p.message), h('div', { class: 'row' }, ...named), actions);
    for (const row of card.querySelectorAll('.row')) (row as HTMLElement).hidden = row.childElementCount === 0;
  });
}
