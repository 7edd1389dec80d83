// Pointer and keys of build mode. Gestures are taken in the capture phase, before the camera sees them; what build mode
// does not want goes on to the camera and to the page's own dragging.
import type { BuildMode } from './index';
import { kTools } from './tools';

const kKeyStep = 20, kKeyFineStep = 4;   // px that an arrow key moves the pointer
const kSelectReach = 5;                  // px; a press and release closer than this is a click

export function installInput(mode: BuildMode): void {
  installPointer(mode);
  installKeys(mode);
}

function installPointer(mode: BuildMode): void {
  const { stage } = mode.host;
  const pointers = new Set<number>();
  let pressed: { id: number; x: number; y: number; taken: boolean } | null = null;
  const ours = (event: PointerEvent) => mode.on && event.target instanceof HTMLCanvasElement;
  const stop = (event: Event) => { event.stopImmediatePropagation(); event.preventDefault(); };

  stage.addEventListener('pointerdown', (event) => {
    if (!ours(event)) return;
    pointers.add(event.pointerId);
    if (pointers.size > 1) { mode.gestures.cancel(); pressed = null; return; }   // two fingers are the camera's
    if (event.button !== 0) return;
    const touch = event.pointerType === 'touch';
    const taken = mode.gestures.begin(event.clientX, event.clientY, touch);
    pressed = { id: event.pointerId, x: event.clientX, y: event.clientY, taken };
    if (!taken) return;
    (event.target as Element).setPointerCapture(event.pointerId);
    mode.host.stage.focus({ preventScroll: true });
    stop(event);
  }, true);

  stage.addEventListener('pointermove', (event) => {
    if (!mode.on) return;
    if (pressed?.taken && event.pointerId === pressed.id) {
      mode.gestures.move(event.clientX, event.clientY);
      stop(event);
    } else if (!pressed && ours(event) && event.pointerType !== 'touch') {
      mode.gestures.hover(event.clientX, event.clientY);
    }
  }, true);

  const finish = (event: PointerEvent, done: boolean) => {
    pointers.delete(event.pointerId);
    if (!pressed || event.pointerId !== pressed.id) return;
    const { x, y, taken } = pressed;
    pressed = null;
    if (taken) {
      if (done) { mode.gestures.move(event.clientX, event.clientY); mode.gestures.end(); } else mode.gestures.cancel();
      stop(event);
    } else if (done && mode.on && Math.hypot(event.clientX - x, event.clientY - y) < kSelectReach) {
      mode.selectAt(event.clientX, event.clientY);
    }
  };
  stage.addEventListener('pointerup', (event) => finish(event, true), true);
  stage.addEventListener('pointercancel', (event) => finish(event, false), true);
  stage.addEventListener('pointerleave', () => { if (!mode.gestures.active) mode.overlay.show(null, null); });
}

function installKeys(mode: BuildMode): void {
  let cross: [number, number] | null = null;   // the pointer that the arrow keys move
  const typing = (target: EventTarget | null) => target instanceof HTMLElement && target.matches('input:not([type=checkbox]), select, textarea');

  window.addEventListener('keydown', (event) => {
    const taken = event.ctrlKey || event.metaKey ? withControl(mode, event) : !typing(event.target) && plain(event);
    if (!taken) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  function plain(event: KeyboardEvent): boolean {
    if (document.querySelector('dialog[open]') || event.altKey) return false;
    if (event.key.toLowerCase() === 'b') { mode.toggle(); return true; }
    if (!mode.on) return false;
    if (event.key === 'Escape' && (mode.gestures.active || mode.settings.tool !== 'hand')) {
      mode.gestures.active ? mode.gestures.cancel() : mode.palette.choose('hand');
      cross = null;
      mode.overlay.show(null, null);
      return true;
    }
    if (event.key === 'Delete' || event.key === 'Backspace') { mode.removeSelected(); return true; }
    const tool = kTools.find((one) => one.key === event.key.toLowerCase());
    if (tool && !event.shiftKey) { mode.palette.choose(tool.name); mode.host.stage.focus({ preventScroll: true }); return true; }
    return byArrows(event);
  }

  // Arrow keys move a cross over the board, Enter presses and releases: everything can be built without a mouse.
  function byArrows(event: KeyboardEvent): boolean {
    if (mode.settings.tool === 'hand' || event.target instanceof HTMLButtonElement) return false;
    const step = event.shiftKey ? kKeyFineStep : kKeyStep;
    const by = ({ ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] } as Record<string, [number, number]>)[event.key];
    if (!by && event.key !== 'Enter') return false;
    const box = mode.host.stage.getBoundingClientRect();
    cross ??= [box.left + box.width / 2, box.top + box.height / 2];
    if (by) {
      cross = [clamp(cross[0] + by[0], box.left, box.right), clamp(cross[1] + by[1], box.top, box.bottom)];
      mode.gestures.hover(cross[0], cross[1], false, cross);
    } else if (mode.gestures.active) {
      mode.gestures.end();
    } else {
      mode.gestures.begin(...cross);
    }
    return true;
  }
}

function withControl(mode: BuildMode, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox' && key === 'z') return false;   // the field's own undo
  if (key === 'z') { event.shiftKey ? mode.redo() : mode.undo(); return true; }
  if (key === 'y') { mode.redo(); return true; }
  if (key === 's') { mode.files.save(); return true; }
  if (key === 'o') { mode.showScenes(); return true; }
  return false;
}

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
