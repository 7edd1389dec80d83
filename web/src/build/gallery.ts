// The scenes one can begin with: an empty board, empty space, a file, and the examples with pictures made from their runs.
import { h } from '../dom';
import type { Structure } from '../source';
import { kThumbnails, kTilesPerRow, kTileWidth, kTileHeight } from './thumbnails';

interface Actions {
  newFlat(): void;
  newInSpace(): void;
  open(): void;
  example(name: string): void;
}

export class Gallery {
  private cards = h('div', { class: 'gallery-cards' });
  private search = h('input', { class: 'field', type: 'search', placeholder: 'Find an example', 'aria-label': 'Find an example' });
  private dialog = h('dialog', { class: 'sheet gallery', 'aria-label': 'Scenes' });
  private filled = '';

  constructor(private readonly actions: Actions) {
    const begin = (label: string, text: string, act: () => void) =>
      h('button', { type: 'button', class: 'gallery-begin', onclick: () => { this.dialog.close(); act(); } }, h('strong', {}, label), h('span', {}, text));
    const close = h('button', { type: 'button', class: 'button icon', 'aria-label': 'Close the scenes', onclick: () => this.dialog.close() }, '×');
    this.search.addEventListener('input', () => this.filter());
    this.dialog.append(
      h('header', { class: 'gallery-head' }, h('h2', {}, 'Scenes'), this.search, close),
      h('div', { class: 'gallery-new' },
        begin('New, flat', 'An empty board: everything moves in one plane', () => actions.newFlat()),
        begin('New, in space', 'Parts in three dimensions', () => actions.newInSpace()),
        begin('Open a file', 'A scene in YAML or JSON; it may also be dropped on the page', () => actions.open())),
      this.cards);
    // a click beside the sheet closes it
    this.dialog.addEventListener('click', (event) => { if (event.target === this.dialog) this.dialog.close(); });
    document.body.append(this.dialog);
  }

  show(structure: Structure | null): void {
    this.fill(structure);
    if (!this.dialog.open) this.dialog.showModal();
  }

  private fill(structure: Structure | null): void {
    const examples = structure?.examples ?? [];
    const state = examples.map((example) => example.name).join();
    if (state === this.filled) return;
    this.filled = state;
    this.cards.replaceChildren(...examples.map((example) => {
      const picture = h('div', { class: 'gallery-picture' });
      const at = kThumbnails.indexOf(example.name);
      if (at >= 0) {
        picture.classList.add('has-picture');
        picture.style.backgroundPosition = `${-(at % kTilesPerRow) * kTileWidth}px ${-Math.floor(at / kTilesPerRow) * kTileHeight}px`;
      }
      const card = h('button', { type: 'button', class: 'gallery-card', title: example.description },
        picture, h('strong', {}, example.title), h('span', { class: 'gallery-text' }, example.description));
      card.addEventListener('click', () => { this.dialog.close(); this.actions.example(example.name); });
      card.dataset.words = `${example.name} ${example.title} ${example.description}`.toLowerCase();
      return card;
    }));
    this.filter();
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of this.cards.children) {
      const text = (card as HTMLElement).dataset.words ?? '';
      (card as HTMLElement).hidden = !words.every((word) => text.includes(word));
    }
  }
}
