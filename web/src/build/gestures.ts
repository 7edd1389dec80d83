// From pointer to edit: one gesture begins, moves and ends; the mouse, a finger and the arrow keys all come through here.
// While a gesture lasts the simulation stands still, so that one need not aim at what runs away.
import type { Vec3 } from '../source';
import * as edits from './edits';
import type { Edit } from './edits';
import { add, distance, dot, scale, subtract } from './geometry';
import type { BuildHost } from './host';
import { spanLabel, type Overlay, type Preview } from './overlay';
import { hit, through, workingPlane, type Plane, type PlaneName } from './plane';
import { besideAnchor, bodiesAt, freePlace, metresPerPixel, snap, type Anchor } from './snap';
import { toolNamed, type Tool, type ToolName } from './tools';

export interface Settings {
  tool: ToolName;
  plane: PlaneName;
  pin: boolean;               // the first end of a rod is pinned to the board
  grid: boolean;
}

const kClick = 6;             // px; less is a click, not a drag
const kDefaultRadius = 16;    // px of a part that is clicked, not dragged out

interface Going {
  tool: Tool;
  from: Anchor;
  plane: Plane;
  start: [number, number];    // px
  here: [number, number];
  to: Anchor;
  line: Vec3[];
  resume: boolean;            // it was playing before
  touch: boolean;
}

export class Gestures {
  private going: Going | null = null;

  constructor(
    private readonly host: BuildHost,
    private readonly overlay: Overlay,
    private readonly settings: Settings,
    private readonly apply: (edits: Edit[]) => void,
    private readonly complain: (text: string) => void,
    private readonly remove: (x: number, y: number) => void,
  ) {}

  get active(): boolean { return this.going !== null; }

  plane(): Plane { return workingPlane(this.host.structure(), this.settings.plane); }

  // Shows where a gesture would begin; the camera and the page's own dragging are not touched.
  hover(x: number, y: number, touch = false, cross: [number, number] | null = null): void {
    const tool = toolNamed(this.settings.tool);
    if (this.going) { this.move(x, y, cross); return; }
    if (tool.gesture === 'none') { this.overlay.show(null, null, cross); return; }
    const anchor = this.anchor(tool, x, y, touch);
    this.overlay.show(anchor, null, cross, tool.name === 'rod' && this.settings.pin && anchor && anchor.body < 0 ? 'pinned to the board' : '');
  }

  // True when the gesture is taken; false leaves it to the camera.
  begin(x: number, y: number, touch = false): boolean {
    const tool = toolNamed(this.settings.tool);
    if (tool.gesture === 'none') return false;
    const from = this.anchor(tool, x, y, touch);
    if (!from) return false;
    const needsBody = tool.gesture === 'click' || tool.gesture === 'draw' || (tool.gesture === 'join' && tool.name === 'slider');
    if (needsBody && from.body < 0 && tool.name !== 'delete') {
      this.complain(tool.name === 'motor' ? 'Click a hinge, or a part.' : 'Begin on a part.');
      return false;
    }
    this.host.store.setHover(null);
    const resume = this.host.store.status?.playing === true;
    if (resume) this.host.source.send({ type: 'pause' });
    this.going = { tool, from, plane: through(this.plane(), from.world), start: [x, y], here: [x, y], to: from, line: [from.world], resume, touch };
    this.move(x, y);
    return true;
  }

  move(x: number, y: number, cross: [number, number] | null = null): void {
    const going = this.going;
    if (!going) return;
    going.here = [x, y];
    const except = going.tool.gesture === 'span' || going.tool.gesture === 'join' ? going.from.body : undefined;
    const clicked = this.clicked(going);
    if (going.tool.gesture === 'draw') {
      const place = hit(going.plane, this.host.ray(x, y));
      if (place && distance(place, going.line[going.line.length - 1]) > 3 * metresPerPixel(this.host, going.plane, x, y)) going.line.push(place);
    } else {
      going.to = clicked ? going.from
        : snap(this.host, going.plane, x, y, { touch: going.touch, except: except !== undefined && except >= 0 ? except : undefined, grid: this.settings.grid }) ?? going.to;
    }
    this.overlay.show(going.tool.gesture === 'place' && going.tool.name !== 'box' ? null : clicked ? going.from : going.to, this.preview(going), cross);
  }

  end(): void {
    const going = this.going;
    if (!going) return;
    this.going = null;
    this.overlay.show(null, null);
    const made = this.result(going);
    if (typeof made === 'string') this.complain(made);
    else if (made.length > 0) this.apply(made);
    if (going.resume) this.host.source.send({ type: 'play' });
  }

  cancel(): void {
    const going = this.going;
    this.going = null;
    this.overlay.show(null, null);
    if (going?.resume) this.host.source.send({ type: 'play' });
  }

  private anchor(tool: Tool, x: number, y: number, touch: boolean): Anchor | null {
    const plane = this.plane();
    if (tool.name === 'delete') return snap(this.host, plane, x, y, { touch, grid: false });
    return snap(this.host, plane, x, y, { touch, grid: this.settings.grid });
  }

  private clicked(going: Going): boolean {
    return Math.hypot(going.here[0] - going.start[0], going.here[1] - going.start[1]) < kClick;
  }

  private radius(going: Going): number {
    const { plane, here, start } = going;
    const pixel = metresPerPixel(this.host, plane, ...start);
    if (this.clicked(going)) return pixel * (going.tool.name === 'particle' ? 0.5 : 1) * kDefaultRadius;
    return pixel * Math.max(4, Math.hypot(here[0] - start[0], here[1] - start[1]));
  }

  private preview(going: Going): Preview {
    const { tool, from, to } = going;
    if (tool.gesture === 'draw') return { shape: 'free', points: going.line };
    if (tool.gesture === 'place') {
      if (tool.name === 'particle') return { shape: 'point', points: [from.world], thick: true };
      if (tool.name === 'box') return { shape: 'box', points: this.corners(going), thick: true };
      const rim = freePlace(this.host, going.plane, ...going.here, false)?.world ?? from.world;
      const away = this.clicked(going) ? offset(from.world, going.plane.x, this.radius(going)) : rim;
      return { shape: 'round', points: [from.world, away], thick: true };
    }
    if (tool.gesture === 'click') return { shape: 'point', points: [from.world] };
    return { shape: 'span', points: [from.world, to.world], label: spanLabel(from.world, to.world), thick: tool.name === 'rod' };
  }

  private result(going: Going): Edit[] | string {
    const structure = this.host.structure();
    if (!structure) return [];
    const drawing: edits.Drawing = { structure, plane: going.plane };
    const { tool, from, to } = going;
    const clicked = this.clicked(going);
    switch (tool.name) {
      case 'box':
        if (!clicked) return edits.addBox(from, to.world, 4 * metresPerPixel(this.host, going.plane, ...going.start), drawing);
        return edits.addPart('box', from, this.radius(going), drawing);
      case 'particle': case 'ball': case 'disc':
        return edits.addPart(tool.name, from, this.radius(going), drawing);
      case 'rod':
        if (clicked) return 'Keep the button pressed and drag to the other end.';
        this.warnOfPin(going);
        return edits.addRod(from, to, this.settings.pin, drawing);
      case 'bar': case 'spring':
        if (clicked) return 'Keep the button pressed and drag to the other point.';
        return tool.name === 'bar' ? edits.addBar(from, to, drawing) : edits.addSpring(from, to, drawing);
      case 'hinge': case 'ball-joint': case 'weld': {
        const kind = tool.name === 'ball-joint' ? 'ball' : tool.name;
        return clicked ? this.joinHere(kind, going, drawing) : edits.addJoint(kind, from, to, drawing);
      }
      case 'slider': return edits.addSlider(from, to, clicked ? [0, 0, 0] : subtract(to.world, from.world), drawing);
      case 'motor': return edits.addMotor(from, drawing);
      case 'nail': return edits.addNail(from, drawing);
      case 'curve': return edits.addCurve(from, going.line, drawing);
      case 'delete': this.remove(...going.start); return [];
      case 'hand': return [];
    }
  }

  // A click: about the point, as addPart makes it. A drag: from corner to corner.
  private corners(going: Going): Vec3[] {
    const { plane, from } = going, r = this.radius(going);
    const drawn = subtract(going.to.world, from.world), clicked = this.clicked(going);
    const [u, v] = clicked ? [2 * r, 1.5 * r] : [dot(drawn, plane.x), dot(drawn, plane.y)];
    const start = clicked ? add(from.world, add(scale(plane.x, -u / 2), scale(plane.y, -v / 2))) : from.world;
    return [[0, 0], [u, 0], [u, v], [0, v]].map(([a, b]) => add(start, add(scale(plane.x, a), scale(plane.y, b))));
  }

  // Who presses just beside a part's end may have meant it: that the rod hangs on the board instead must not pass in silence.
  private warnOfPin(going: Going): void {
    if (!this.settings.pin || going.from.body >= 0) return;
    const near = besideAnchor(this.host, ...going.start);
    if (near) this.host.toast(`Pinned to the board beside ${near.joint >= 0 ? near.what : `the ${near.what}`}, not joined to it. To join them, undo and begin where the ring is firm.`, 'info');
  }

  // A click joins the first two parts that meet there; a single part is joined to the board.
  private joinHere(kind: 'hinge' | 'ball' | 'weld', going: Going, drawing: edits.Drawing): Edit[] | string {
    const { from } = going;
    if (from.body < 0) return 'Click a part, or where two parts meet.';
    const reach = 8 * metresPerPixel(this.host, going.plane, ...going.start);
    const other = bodiesAt(this.host, from.world, reach).find((anchor) => anchor.body !== from.body);
    const board: Anchor = { body: -1, name: 'world', local: from.world, world: from.world, what: 'board', joint: -1, snapped: false };
    return edits.addJoint(kind, from, other ?? board, drawing);
  }
}

const offset = (point: Vec3, along: Vec3, by: number): Vec3 => [point[0] + along[0] * by, point[1] + along[1] * by, point[2] + along[2] * by];
