// The page: one source, one store, and what shows them.
import './style.css';
import { startBuildMode } from './build';
import { h, setPressed } from './dom';
import type { IconName } from './icons';
import { LiveSource } from './live';
import { mountDrive } from './panels/drive';
import { key, mountHelp, type Shortcut } from './panels/help';
import { Inspector } from './panels/inspector';
import { Overlay } from './panels/overlay';
import { Plots } from './panels/plots';
import { mountProblem } from './panels/problem';
import { mountSceneInfo } from './panels/scene_info';
import { changeSpeed, goLive, mountTransport, stepBack, stepOnce, togglePlay } from './panels/transport';
import { openReplay } from './replay';
import { PointerControl } from './scene/pointer';
import { Viewer } from './scene/viewer';
import { Shell } from './shell';
import type { Source } from './source';
import { Store } from './store';
import { isDark, startTheme, toggleTheme } from './theme';

async function chooseSource(): Promise<Source> {
  const recording = document.getElementById('recording');
  if (recording) return openReplay(recording);
  const mock = new URLSearchParams(location.search).get('mock');
  if (import.meta.env.MODE === 'mock' && mock !== null) return new (await import('./mock')).MockSource(mock || 'chain');
  return LiveSource.fromLocation(location);
}

// Toggles at the edge of the 3D view, and the same by key.
function mountViewTools(store: Store, shell: Shell, viewer: Viewer): Record<string, () => void> {
  const acts: Record<string, () => void> = {
    fit: () => viewer.fit(),
    arrows: () => store.source.send({ type: 'arrows', on: !store.status?.arrows }),
    kinematic: () => store.source.send({ type: 'kinematic', on: !store.status?.kinematic }),
    names: () => store.setView({ names: !store.view.names }),
    joints: () => store.setView({ joints: !store.view.joints }),
    grid: () => store.setView({ grid: !store.view.grid }),
  };
  const tool = (control: IconName, label: string, server = false) => {
    const button = shell.iconButton(control, label, control, () => acts[control]());
    if (server) button.classList.add('needs-server');
    shell.viewTools.append(button);
    return button;
  };
  tool('fit', 'Frame the model (F)');
  const kinematic = tool('kinematic', 'Kinematic mode: drag without inertia, exactly (K)', true);
  const arrows = tool('arrows', 'Constraint forces as arrows (A)', true);
  const names = tool('names', 'Names (N)'), joints = tool('joints', 'Joints (J)'), grid = tool('grid', 'Grid (G)');
  const show = () => {
    setPressed(kinematic, store.status?.kinematic ?? false);
    setPressed(arrows, store.status?.arrows ?? false);
    setPressed(names, store.view.names);
    setPressed(joints, store.view.joints);
    setPressed(grid, store.view.grid);
  };
  store.on(['status', 'view'], show);
  show();
  return acts;
}

function shortcuts(store: Store, shell: Shell, acts: Record<string, () => void>, help: () => void): Shortcut[] {
  return [
    { keys: ['Space'], what: 'Play or pause', match: key(' '), act: () => togglePlay(store) },
    { keys: ['.', ','], what: 'One step on, one frame back', match: key('.'), act: () => stepOnce(store) },
    { keys: ['Home'], what: 'Reset to the start', match: key('Home'), act: () => store.source.send({ type: 'reset' }) },
    { keys: ['+', '−'], what: 'Faster, slower', match: key('+', '='), act: () => changeSpeed(store, 1) },
    { keys: ['C'], what: 'Continue from the past shown', server: true, match: key('c'), act: () => { if (store.status && !store.status.live) store.source.send({ type: 'branch' }); } },
    { keys: ['L'], what: 'Back to the newest moment', server: true, match: key('l'), act: () => goLive(store) },
    { keys: ['F'], what: 'Frame the model', match: key('f'), act: acts.fit },
    { keys: ['A'], what: 'Constraint forces as arrows', server: true, match: key('a'), act: acts.arrows },
    { keys: ['K'], what: 'Kinematic mode', server: true, match: key('k'), act: acts.kinematic },
    { keys: ['N'], what: 'Names', match: key('n'), act: acts.names },
    { keys: ['J'], what: 'Joints', match: key('j'), act: acts.joints },
    { keys: ['G'], what: 'Grid', match: key('g'), act: acts.grid },
    { keys: ['P'], what: 'Side panel', match: key('p'), act: () => shell.togglePanel() },
    { keys: ['T'], what: 'Light or dark', match: key('t'), act: () => toggleTheme(store) },
    { keys: ['Esc'], what: 'Select nothing', match: key('Escape'), act: () => { store.select(null); store.dismissProblem(); } },
    { keys: ['B'], what: 'Build mode; in it 1 … 9 choose a tool, Delete deletes', server: true },
    { keys: ['Ctrl Z', 'Ctrl Y'], what: 'Undo, redo a change of the structure', server: true },
    { keys: ['Ctrl S', 'Ctrl O'], what: 'Save, open a scene', server: true },
    { keys: ['?'], what: 'This list', match: key('?'), act: help },
    { keys: ['←', '→', '↑', '↓'], what: 'Turn the camera; with Shift move it' },
    { keys: ['Page ↑', 'Page ↓'], what: 'Zoom' },
    { keys: ['Drag'], what: 'Turn; on a body: pull it', },
    { keys: ['Ctrl drag'], what: 'On a body: strike it', server: true },
    { keys: ['Right drag'], what: 'Move the camera (also Shift, two fingers)' },
    { keys: ['Wheel'], what: 'Zoom (also pinch)' },
    { keys: ['Double click'], what: 'Frame the model' },
  ];
}

async function start(): Promise<void> {
  const app = document.getElementById('app')!;
  const source = await chooseSource();
  const store = new Store(source);
  startTheme(store);
  const shell = new Shell(store, app);
  const viewer = new Viewer(store, shell.stage, isDark(store));
  shell.stage.prepend(viewer.canvas);
  const pointer = new PointerControl(viewer, store);
  const overlay = new Overlay(store, viewer, pointer, shell.stage);
  store.on('theme', () => viewer.setDark(isDark(store)));

  mountProblem(store, shell.stage);
  mountTransport(store, shell.transport);
  const acts = mountViewTools(store, shell, viewer);
  const plots = new Plots(store, shell.panels.plots, () => shell.isShown('plots'));
  const inspector = new Inspector(store, viewer, shell.panels.inspect, () => shell.isShown('inspect'));
  mountDrive(store, shell.panels.drive);
  mountSceneInfo(store, shell.panels.scene);
  shell.onTab = () => { if (shell.isShown('plots')) plots.refresh(true); else inspector.update(); };
  // what is selected is read in the inspector; a panel that is closed stays closed
  store.on('selection', () => { if (store.selection && shell.panelOpen && shell.tab !== 'drive') shell.show('inspect'); });

  const dialogs = h('div');
  document.body.append(dialogs);
  let help = () => {};
  const list = shortcuts(store, shell, acts, () => help());
  const unlisted: Shortcut[] = [
    { keys: [], what: '', match: key(','), act: () => stepBack(store) },
    { keys: [], what: '', match: key('-', '−'), act: () => changeSpeed(store, -1) },
  ];
  help = mountHelp(list, unlisted, dialogs, source.live);
  shell.onHelp = help;

  let build: unknown = null;
  if (source.live) {
    build = startBuildMode({
      source, store, stage: shell.stage, toolbar: shell.toolbar, menu: shell.menu,
      ray: (x, y) => viewer.ray(x, y), project: (p) => viewer.project(p), pick: (x, y) => viewer.pick(x, y), pose: (body) => viewer.pose(body),
      structure: () => store.structure, onDraw: (f) => viewer.onDraw(f), toast: (text, kind) => overlay.toast(text, kind), fit: () => viewer.fit(),
    });
  }
  showSummary(source, shell);
  exposeTestHook(store, viewer, build);
  source.start();
}

// A recording may bring a summary of its run.
function showSummary(source: Source, shell: Shell): void {
  const summary = (source as { summary?: () => HTMLElement | null }).summary?.();
  if (summary) shell.panels.scene.prepend(h('section', { class: 'block' }, h('h2', {}, 'Summary'), summary));
}

// For the tests in a real browser: what the page knows, and where things are on the screen.
function exposeTestHook(store: Store, viewer: Viewer, build: unknown): void {
  Object.assign(window, {
    catena: {
      source: store.source,
      store,
      viewer,
      build,
      pick: (x: number, y: number) => viewer.pick(x, y),
      frame: () => store.frame,
      project: (p: [number, number, number]) => viewer.project(p),
      state: () => ({
        structure: store.structure, status: store.status, problem: store.problem, connection: store.connection, selection: store.selection, mode: store.mode, view: { ...store.view },
        frames: store.framesReceived, pictures: viewer.framesDrawn, drawTime: viewer.drawTime, samples: store.series.length,
        camera: { azimuth: viewer.orbit.azimuth, elevation: viewer.orbit.elevation, distance: viewer.orbit.distance, target: viewer.orbit.target.toArray() },
      }),
    },
  });
}

start().catch((error: unknown) => {
  // without WebGL, or with a recording that cannot be read, say so instead of showing nothing
  const text = error instanceof Error ? error.message : String(error);
  const why = /webgl/i.test(text) ? 'This browser offers no WebGL 2, which the 3D view needs. Switch hardware acceleration on, or use another browser.' : 'The page could not start.';
  document.getElementById('app')!.replaceChildren(h('div', { class: 'failed', role: 'alert' }, h('h1', {}, why), h('p', { class: 'muted' }, text)));
});
