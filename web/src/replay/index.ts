// A recording embedded in the page, as a source.
import type { Source } from '../source';

export function openReplay(_element: HTMLElement): Source {
  throw new Error('this page cannot open recordings yet');
}
