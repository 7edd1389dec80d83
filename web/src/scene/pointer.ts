// Hands on the 3D view. One pointer on a body pulls it, with Ctrl strikes it, on nothing turns the camera; two fingers, the right button
// or Shift move it; wheel and pinch zoom. A press without a move selects.
import { Vector3 } from 'three';
import type { PictureBody, Vec3 } from '../source';
import type { Store } from '../store';
import { toWorld, type Hit } from './pick';
import type { Viewer } from './viewer';

const kClick = 4;          // px a pointer may move and still click
const kTurn = 0.006;       // rad per px

export class PointerControl {
  pointer: [number, number] = [0, 0];     // client coordinates, for what is shown beside it
  grabbed: Hit | null = null;
  aiming = false;                         // what is grabbed will be struck, not pulled
  onRefused: (why: string) => void = () => {};
  private readonly down = new Map<number, { x: number; y: number }>();
  private start: { x: number; y: number; hit: Hit | null; button: number; strikes: boolean; moved: boolean } | null = null;
  private pinch = 0;
  private plane = { point: new Vector3(), normal: new Vector3() };
  private readonly offset: Vec3 = [0, 0, 0];   // from the pointer to the held point
  private dragPending = false;
  private hoverPending = false;

  constructor(private readonly viewer: Viewer, private readonly store: Store) {
    const canvas = viewer.canvas;
    canvas.addEventListener('pointerdown', (e) => this.pressed(e));
    canvas.addEventListener('pointermove', (e) => this.moved(e));
    canvas.addEventListener('pointerup', (e) => this.lifted(e));
    canvas.addEventListener('pointercancel', (e) => this.lifted(e));
    canvas.addEventListener('pointerleave', () => { if (!this.start) this.store.setHover(null); });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('dblclick', () => { this.viewer.fit(); });
    canvas.addEventListener('wheel', (e) => this.wheeled(e), { passive: false });
    canvas.addEventListener('keydown', (e) => this.keyed(e));
  }

  private pressed(e: PointerEvent): void {
    this.viewer.canvas.classList.add('pointed');   // the ring of the focus is for keys
    this.viewer.canvas.focus({ preventScroll: true });
    this.viewer.canvas.setPointerCapture(e.pointerId);
    this.down.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.pointer = [e.clientX, e.clientY];
    if (this.down.size === 2) {
      this.letGo();
      this.start = null;
      this.pinch = this.fingersApart();
      return;
    }
    const hit = e.button === 0 && !e.shiftKey ? this.viewer.pick(e.clientX, e.clientY, e.pointerType === 'touch' ? 14 : 5) : null;
    this.start = { x: e.clientX, y: e.clientY, hit, button: e.shiftKey ? 2 : e.button, strikes: e.ctrlKey || e.metaKey, moved: false };
  }

  private moved(e: PointerEvent): void {
    this.pointer = [e.clientX, e.clientY];
    const before = this.down.get(e.pointerId);
    if (!before) {
      this.hoverSoon();
      return;
    }
    const dx = e.clientX - before.x, dy = e.clientY - before.y;
    before.x = e.clientX;
    before.y = e.clientY;
    if (this.down.size === 2) {
      this.twoFingers(dx, dy);
      return;
    }
    if (!this.start) return;
    if (!this.start.moved && Math.hypot(e.clientX - this.start.x, e.clientY - this.start.y) < kClick) return;
    if (!this.start.moved) {
      this.start.moved = true;
      if (this.start.hit) this.grab(this.start.hit);
    }
    if (this.grabbed) this.dragSoon();
    else if (this.start.button === 0) {
      this.viewer.orbit.orbit(-kTurn * dx, kTurn * dy);
      this.viewer.touchCamera();
    } else {
      this.viewer.orbit.pan(dx, dy, this.viewer.canvas.clientHeight);
      this.viewer.touchCamera();
    }
  }

  private lifted(e: PointerEvent): void {
    this.down.delete(e.pointerId);
    if (this.aiming && e.type === 'pointerup') this.strike();
    if (this.start && !this.start.moved && e.type === 'pointerup' && this.start.button === 0) this.store.select(this.viewer.under(e.clientX, e.clientY));
    this.letGo();
    this.start = null;
    this.pinch = 0;
  }

  private grab(hit: Hit): void {
    if (!this.store.source.live) { this.start!.hit = null; return; }
    if (this.store.status && !this.store.status.live) {
      this.onRefused('This is the recorded past. Press “Continue from here” to touch it.');
      this.start!.hit = null;
      return;
    }
    // a planar body is held in its plane and a particle at its centre; the pointer keeps its distance from there
    const body = this.viewer.model!.picture.bodies[hit.body], local = heldPoint(body, hit.local), held = toWorld(local, this.viewer.clock.poses, 7 * hit.body);
    this.grabbed = hit;
    for (let k = 0; k < 3; ++k) this.offset[k] = held[k] - hit.world[k];
    this.plane.point.set(...hit.world);
    this.viewer.orbit.camera.getWorldDirection(this.plane.normal);
    this.viewer.hand.grab(hit.body, local);
    copy(held, this.viewer.hand.target);
    this.store.setHover({ kind: 'body', index: hit.body });
    this.viewer.canvas.classList.add('grabbing');
    this.aiming = this.start!.strikes;
    if (!this.aiming) this.store.source.send({ type: 'grab', body: hit.body, local, target: held });
  }

  private strike(): void {
    const hit = this.grabbed!, local = heldPoint(this.viewer.model!.picture.bodies[hit.body], hit.local);
    this.follow();
    this.store.source.send({ type: 'strike', body: hit.body, local, target: [...this.viewer.hand.target] });
  }

  // at most one message per picture
  private dragSoon(): void {
    if (this.dragPending) return;
    this.dragPending = true;
    requestAnimationFrame(() => {
      this.dragPending = false;
      if (!this.grabbed) return;
      const target = this.follow();
      if (!this.aiming) this.store.source.send({ type: 'drag', target });
    });
  }

  // The mark of the hand goes where the pointer is, in the plane that faces the camera.
  private follow(): Vec3 {
    const ray = this.viewer.ray(...this.pointer), o = new Vector3(...ray.origin), d = new Vector3(...ray.direction);
    const t = this.plane.point.clone().sub(o).dot(this.plane.normal) / (d.dot(this.plane.normal) || 1e-9);
    const target = o.addScaledVector(d, t).toArray() as Vec3;
    for (let k = 0; k < 3; ++k) target[k] += this.offset[k];
    copy(target, this.viewer.hand.target);
    this.viewer.refresh();
    return target;
  }

  private letGo(): void {
    if (!this.grabbed) return;
    this.grabbed = null;
    this.viewer.hand.release();
    this.viewer.refresh();
    this.viewer.canvas.classList.remove('grabbing');
    if (!this.aiming) this.store.source.send({ type: 'release' });
    this.aiming = false;
  }

  private hoverSoon(): void {
    if (this.hoverPending) return;
    this.hoverPending = true;
    requestAnimationFrame(() => {
      this.hoverPending = false;
      if (this.start) return;
      const what = this.viewer.under(...this.pointer);
      this.store.setHover(what);
      this.viewer.canvas.classList.toggle('over-body', what?.kind === 'body' && this.store.source.live);
    });
  }

  private fingersApart(): number {
    const [a, b] = [...this.down.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  private twoFingers(dx: number, dy: number): void {
    const apart = this.fingersApart();
    if (this.pinch > 0 && apart > 0) this.viewer.orbit.zoom(this.pinch / apart);
    this.pinch = apart;
    this.viewer.orbit.pan(0.5 * dx, 0.5 * dy, this.viewer.canvas.clientHeight);
    this.viewer.touchCamera();
  }

  private wheeled(e: WheelEvent): void {
    e.preventDefault();
    const lines = e.deltaMode === 1 ? 18 : 1;
    const factor = Math.exp(Math.min(120, Math.max(-120, e.deltaY * lines)) * (e.ctrlKey ? 0.006 : 0.0016));
    // towards what is under the pointer: the point at the depth of the target
    const ray = this.viewer.ray(e.clientX, e.clientY), orbit = this.viewer.orbit;
    const forward = orbit.camera.getWorldDirection(new Vector3()), d = new Vector3(...ray.direction);
    const at = new Vector3(...ray.origin).addScaledVector(d, orbit.distance / Math.max(0.1, d.dot(forward)));
    orbit.zoom(factor, at);
    this.viewer.touchCamera();
  }

  private keyed(e: KeyboardEvent): void {
    this.viewer.canvas.classList.remove('pointed');
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { orbit, canvas } = this.viewer, s = e.shiftKey ? 24 : 0.09;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => (e.shiftKey ? orbit.pan(s, 0, canvas.clientHeight) : orbit.orbit(-s, 0)),
      ArrowRight: () => (e.shiftKey ? orbit.pan(-s, 0, canvas.clientHeight) : orbit.orbit(s, 0)),
      ArrowUp: () => (e.shiftKey ? orbit.pan(0, s, canvas.clientHeight) : orbit.orbit(0, s)),
      ArrowDown: () => (e.shiftKey ? orbit.pan(0, -s, canvas.clientHeight) : orbit.orbit(0, -s)),
      PageUp: () => orbit.zoom(0.85),
      PageDown: () => orbit.zoom(1 / 0.85),
    };
    const move = moves[e.key];
    if (!move) return;
    e.preventDefault();
    move();
    this.viewer.touchCamera();
  }
}

export function heldPoint(body: PictureBody, local: Vec3): Vec3 {
  if (body.kind.startsWith('particle') || body.kind === 'bead') return [0, 0, 0];
  return body.planar ? [local[0], local[1], 0] : local;
}

function copy(from: Vec3, to: Vec3): void {
  to[0] = from[0]; to[1] = from[1]; to[2] = from[2];
}
