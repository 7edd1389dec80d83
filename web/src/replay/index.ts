// A recording embedded in the page, as a source.
import { ReplaySource } from './replay_source';

export { ReplaySource } from './replay_source';

export function openReplay(element: HTMLElement): ReplaySource {
  const text = element.textContent ?? '';
  element.remove();   // the text is kept by the source alone
  return new ReplaySource(text);
}
