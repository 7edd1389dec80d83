// Play, pause, step, speed, reset; the time line over the recorded past; continue from there or go back to now.
import { h, setText } from '../dom';
import { number, seconds } from '../format';
import { icon } from '../icons';
import type { Store } from '../store';

export const kSpeeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export function mountTransport(store: Store, place: HTMLElement): void {
  const send = store.source.send.bind(store.source);
  const button = (name: string, label: string, key: string, inside: SVGElement, act: () => void, more = '') =>
    h('button', { class: `button quiet icon-only ${more}`, type: 'button', 'aria-label': label, title: `${label} (${key})`, 'data-control': name, onClick: act }, inside);

  const playIcon = icon('play'), pauseIcon = icon('pause');
  const play = h('button', { class: 'button primary round', type: 'button', 'data-control': 'play', onClick: () => togglePlay(store) }, playIcon);
  const reset = button('reset', 'Reset to the start', 'Home', icon('reset'), () => send({ type: 'reset' }));
  const back = button('back', 'One frame back', ',', icon('back'), () => stepBack(store));
  const step = button('step', 'One step', '.', icon('step'), () => stepOnce(store));
  const speed = h('select', { 'aria-label': 'Speed', title: 'Speed (+ and −)', 'data-control': 'speed', onChange: () => send({ type: 'speed', value: Number(speed.value) }) },
    ...kSpeeds.map((s) => h('option', { value: s }, `${number(s)}×`)));
  speed.value = '1';
  const line = h('input', { type: 'range', min: 0, max: 1, step: 'any', value: 0, 'aria-label': 'Time line', 'data-control': 'timeline' });
  const clock = h('output', { class: 'clock', 'aria-label': 'Time' });
  const branch = h('button', { class: 'button needs-server', type: 'button', 'data-control': 'branch', title: 'Continue the simulation from the moment shown, and forget what came after (C)', onClick: () => send({ type: 'branch' }) }, icon('branch'), 'Continue from here');
  const live = h('button', { class: 'button quiet needs-server', type: 'button', 'data-control': 'live', title: 'Back to the newest moment (L)', onClick: () => goLive(store) }, icon('live'), 'Live');
  const past = h('div', { class: 'past', hidden: true }, branch, live);

  place.append(h('div', { class: 'keys' }, reset, back, play, step), h('label', { class: 'speed' }, speed), h('div', { class: 'timeline' }, line, clock), past);

  // scrubbing asks for at most one moment per picture
  let wanted: number | null = null, scrubbing = false;
  line.addEventListener('input', () => {
    scrubbing = true;
    const idle = wanted === null;
    wanted = Number(line.value);
    if (idle) requestAnimationFrame(() => { if (wanted !== null) send({ type: 'seek', time: wanted }); wanted = null; });
  });
  line.addEventListener('change', () => { scrubbing = false; });
  line.addEventListener('pointermove', (e) => {
    const box = line.getBoundingClientRect(), range = store.status?.recorded ?? [0, 0];
    store.setCursor(range[0] + Math.min(1, Math.max(0, (e.clientX - box.left - 7) / (box.width - 14))) * (range[1] - range[0]));
  });
  line.addEventListener('pointerleave', () => store.setCursor(null));

  store.on('status', () => {
    const s = store.status!;
    play.replaceChildren(s.playing ? pauseIcon : playIcon);
    play.setAttribute('aria-label', s.playing ? 'Pause' : 'Play');
    play.title = `${s.playing ? 'Pause' : 'Play'} (Space)`;
    const choice = String(s.speed);
    if (speed.value !== choice) {
      if (![...speed.options].some((o) => o.value === choice)) speed.append(h('option', { value: choice }, `${number(s.speed)}×`));
      speed.value = choice;
    }
    const [from, to] = s.recorded;
    line.min = String(from);
    line.max = String(Math.max(to, from + 1e-9));
    if (!scrubbing) line.value = String(s.time);
    line.setAttribute('aria-valuetext', `${seconds(s.time)} s`);
    const done = to > from ? (100 * (Number(line.value) - from)) / (to - from) : 100;
    line.style.setProperty('--track', `linear-gradient(to right, var(--accent) ${done}%, var(--line) ${done}%)`);
    if (clock.childElementCount === 0) clock.append(h('span'), h('small', {}, ' s'));
    setText(clock.firstElementChild!, seconds(s.time));
    past.hidden = s.live;
    place.classList.toggle('is-past', !s.live && store.source.live);
    back.disabled = s.time <= from;
  });
}

export function togglePlay(store: Store): void {
  store.source.send({ type: store.status?.playing ? 'pause' : 'play' });
}

export function stepOnce(store: Store): void {
  const s = store.status;
  // in the past a step goes along the recording
  if (s && !s.live && s.time < s.recorded[1]) store.source.send({ type: 'seek', time: Math.min(s.recorded[1], s.time + 1 / 60) });
  else store.source.send({ type: 'step', count: 1 });
}

export function stepBack(store: Store): void {
  const s = store.status;
  if (s) store.source.send({ type: 'seek', time: Math.max(s.recorded[0], s.time - 1 / 60) });
}

export function goLive(store: Store): void {
  const s = store.status;
  if (!s) return;
  store.source.send({ type: 'seek', time: s.recorded[1] });
}

export function changeSpeed(store: Store, by: number): void {
  const now = store.status?.speed ?? 1;
  let k = kSpeeds.findIndex((s) => s >= now - 1e-9);
  if (k < 0) k = kSpeeds.length - 1;
  store.source.send({ type: 'speed', value: kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, k + by))] });
}
