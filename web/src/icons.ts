// Icons, drawn for this page: strokes on a field of 20.
import { svg } from './dom';

const kPaths = {
  play: 'M6 4.2v11.6a.6.6 0 0 0 .9.5l9.3-5.8a.6.6 0 0 0 0-1L6.9 3.7a.6.6 0 0 0-.9.5z',
  pause: 'M6.5 4v12M13.5 4v12',
  step: 'M5 4.5v11l7.5-5.5zM15.5 4.5v11',
  back: 'M15 4.5v11L7.5 10zM4.5 4.5v11',
  reset: 'M4 4v4.5h4.5M4.4 8.3A6.3 6.3 0 1 1 3.8 11',
  branch: 'M5 3.5v13M5 11c0-4 3-4.5 6-4.5h4M12.5 3.8 15.5 6.5l-3 2.7',
  live: 'M10 10h.01M6.5 6.5a5 5 0 0 0 0 7M13.5 6.5a5 5 0 0 1 0 7M4 4a8.5 8.5 0 0 0 0 12M16 4a8.5 8.5 0 0 1 0 12',
  arrows: 'M4 16 15 5M15 5H9.2M15 5v5.8M4 11.2V16h4.8',
  kinematic: 'M3.5 10h13M10 3.5v13M3.5 10l2-2M3.5 10l2 2M16.5 10l-2-2M16.5 10l-2 2M10 3.5l-2 2M10 3.5l2 2M10 16.5l-2-2M10 16.5l2-2',
  fit: 'M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4M10 10h.01',
  grid: 'M3 8h14M3 12.5h14M7.5 3.5v13M12.5 3.5v13',
  joints: 'M10 7.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM12.2 8.2 16.5 4M7.8 11.8 3.5 16',
  names: 'M4 15 8.2 4.5h.6L13 15M5.4 11.5h6.2M15 15h2',
  panel: 'M3.5 4.5h13v11h-13zM12 4.5v11',
  theme: 'M10 3.5a6.5 6.5 0 1 0 0 13zM10 3.5a6.5 6.5 0 0 1 0 13',
  help: 'M7.4 7.3A2.7 2.7 0 0 1 10 5c1.6 0 2.7 1 2.7 2.4 0 2-2.7 2.2-2.7 4.1M10 14.6h.01',
  close: 'M5 5l10 10M15 5 5 15',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  warning: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.6M10 14.3h.01',
} as const;

export type IconName = keyof typeof kPaths;

export function icon(name: IconName): SVGElement {
  return svg('svg', { viewBox: '0 0 20 20', class: `icon icon-${name}`, 'aria-hidden': 'true' }, svg('path', { d: kPaths[name] }));
}
