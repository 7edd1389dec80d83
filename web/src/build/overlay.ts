// What building draws over the picture: the ring where the pointer snaps, the part that is being drawn, and a mark on
// every joint that is redundant. One SVG above the canvas; the pointer goes through it.
import { svg } from '../dom';
import type { Vec3 } from '../source';
import { add, distance, metres, scale, toWorld } from './geometry';
import type { BuildHost } from './host';
import { gridStep, type Plane } from './plane';
import type { Anchor } from './snap';
import type { Judged } from './things';

export interface Preview {
  shape: 'span' | 'round' | 'box' | 'free' | 'point';
  points: Vec3[];               // world; span: two ends; round: centre and a point of the rim; box: its corners; free: the line
  label?: string;
  thick?: boolean;              // a body, not a connection
}

const kMostMarks = 60;
const kRefusalShown = 5000;   // ms

export class Overlay {
  private root = svg('svg', { class: 'build-overlay', 'aria-hidden': 'true' });
  private hint: Anchor | null = null;
  private preview: Preview | null = null;
  private cross: [number, number] | null = null;   // the pointer moved by keys, client px
  private note = '';                               // beside the hint: what a press there would do
  private selected: Vec3 | null = null;
  private refused: { place: Vec3; until: number } | null = null;
  private board: { plane: Plane; reach: number } | null = null;

  constructor(private readonly host: BuildHost) {
    host.stage.append(this.root);
  }

  show(hint: Anchor | null, preview: Preview | null, cross: [number, number] | null = null, note = ''): void {
    this.hint = hint;
    this.note = note;
    this.preview = preview;
    this.cross = cross;
    this.draw();
  }

  select(place: Vec3 | null): void {
    this.selected = place;
  }

  // A joint that could not be made is marked for a while where it was wanted.
  refuse(place: Vec3): void {
    this.refused = { place, until: performance.now() + kRefusalShown };
    this.draw();
    setTimeout(() => this.draw(), kRefusalShown + 20);
  }

  // The working plane, drawn where it is not the picture's own board.
  showBoard(plane: Plane | null, reach: number): void {
    this.board = plane && { plane, reach };
  }

  draw(): void {
    const box = this.host.stage.getBoundingClientRect();
    const at = (world: Vec3): [number, number] | null => {
      const [x, y, ahead] = this.host.project(world);
      return ahead ? [x - box.left, y - box.top] : null;
    };
    const parts: SVGElement[] = [...(this.board ? drawBoard(this.board.plane, this.board.reach, at) : []), ...this.marks(at)];
    if (this.preview) parts.push(...this.drawPreview(this.preview, at));
    if (this.hint) parts.push(...drawHint(this.hint, at, this.note || this.preview?.label));
    if (this.selected) {
      const place = at(this.selected);
      if (place) parts.push(svg('circle', { class: 'selected', cx: place[0], cy: place[1], r: 12 }));
    }
    if (this.refused && performance.now() < this.refused.until) {
      const place = at(this.refused.place);
      if (place) parts.push(
        svg('circle', { class: 'redundant conflict', cx: place[0], cy: place[1], r: 11 }),
        svg('text', { class: 'redundant conflict', x: place[0] + 15, y: place[1] - 9 }, 'contradicts others'));
    }
    if (this.cross) {
      const [x, y] = [this.cross[0] - box.left, this.cross[1] - box.top];
      parts.push(svg('path', { class: 'cross', d: `M${x - 14} ${y}h28M${x} ${y - 14}v28` }));
    }
    this.root.replaceChildren(...parts);
  }

  // Redundant joints say so where they are.
  private marks(at: (world: Vec3) => [number, number] | null): SVGElement[] {
    const picture = this.host.structure()?.picture;
    if (!picture || this.host.store.mode !== 'build') return [];   // the page colours such joints at all times
    const marks: SVGElement[] = [];
    for (const joint of picture.joints as Judged[]) {
      if (!(joint.redundant_rows > 0) && !joint.conflict) continue;
      const end = joint.a.body >= 0 ? joint.a : joint.b;
      const pose = end.body >= 0 ? this.host.pose(end.body) : { p: [0, 0, 0] as Vec3, q: [0, 0, 0, 1] as [number, number, number, number] };
      const place = pose && at(toWorld(pose, end.point));
      if (!place) continue;
      const all = joint.redundant_rows >= joint.rows;
      const kind = joint.conflict ? 'redundant conflict' : 'redundant';
      const text = joint.conflict ? 'contradicts others' : all ? 'redundant' : `${joint.redundant_rows} of ${joint.rows} redundant`;
      marks.push(
        svg('circle', { class: kind, cx: place[0], cy: place[1], r: 11 }),
        svg('text', { class: kind, x: place[0] + 15, y: place[1] - 9 }, text),
      );
      if (marks.length >= 2 * kMostMarks) break;
    }
    return marks;
  }

  private drawPreview(preview: Preview, at: (world: Vec3) => [number, number] | null): SVGElement[] {
    const places = preview.points.map(at).filter((place): place is [number, number] => place !== null);
    if (places.length === 0) return [];
    const [first] = places;
    const last = places[places.length - 1];
    const kind = `preview ${preview.thick ? 'thick' : ''}`;
    const reach = Math.hypot(last[0] - first[0], last[1] - first[1]);
    if (preview.shape === 'round') return [svg('circle', { class: kind, cx: first[0], cy: first[1], r: reach })];
    if (preview.shape === 'box') return [svg('polygon', { class: kind, points: places.map((place) => place.join(',')).join(' ') })];
    if (preview.shape === 'point') return [svg('circle', { class: kind, cx: first[0], cy: first[1], r: 6 })];
    return [
      svg('polyline', { class: kind, points: places.map((place) => place.join(',')).join(' ') }),
      ...[first, last].map((place) => svg('circle', { class: 'preview-end', cx: place[0], cy: place[1], r: 4 })),
    ];
  }
}

// Lines of the grid, as far as both ends are in front of the camera.
function drawBoard(plane: Plane, reach: number, at: (world: Vec3) => [number, number] | null): SVGElement[] {
  const step = gridStep(reach / 8), half = Math.ceil(reach / step);
  let path = '';
  for (let k = -half; k <= half; ++k)
    for (const [along, across] of [[plane.x, plane.y], [plane.y, plane.x]]) {
      const middle = add(plane.origin, scale(across, k * step));
      const a = at(add(middle, scale(along, -half * step))), b = at(add(middle, scale(along, half * step)));
      if (a && b) path += `M${a[0].toFixed(1)} ${a[1].toFixed(1)}L${b[0].toFixed(1)} ${b[1].toFixed(1)}`;
    }
  return [svg('path', { class: 'board', d: path })];
}

function drawHint(hint: Anchor, at: (world: Vec3) => [number, number] | null, label?: string): SVGElement[] {
  const place = at(hint.world);
  if (!place) return [];
  const [x, y] = place;
  const text = [label, hint.snapped || hint.body >= 0 ? hint.what : ''].filter(Boolean).join(' · ');
  return [
    svg('circle', { class: hint.snapped ? 'snap firm' : hint.body >= 0 ? 'snap' : 'snap faint', cx: x, cy: y, r: hint.snapped ? 9 : 5 }),
    ...(text ? [svg('text', { class: 'snap', x: x + 14, y: y + 20 }, text)] : []),
  ];
}

export const spanLabel = (from: Vec3, to: Vec3): string => metres(distance(from, to));
