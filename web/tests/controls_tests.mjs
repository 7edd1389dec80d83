// Every control of the page does something and says what it is.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {lookAt, openPage, until, withPicture} from './browser.mjs';
import {act, chooseAnother, controlsOf, installSignature} from './controls.mjs';
import {startServer} from './server.mjs';

const kScene = 'geared-arm';   // has motors, parameters, probes and events: the most controls
const kMostAlike = 2;          // of a long row of the same, such as the cards of the gallery

describe('controls', () => {
  let server;
  let page;
  let files = 0;               // downloads begun, choosers of files opened
  const tried = new Map();     // id → what changed
  before(async () => {
    server = await startServer(`examples/${kScene}.yaml`);
    page = await openPage(server.url, {viewport: {width: 1200, height: 760}});
    page.on('download', () => files++);
    page.on('filechooser', () => files++);
    await installSignature(page);
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });

  // Standing still: nothing changes by itself. No dialog is open but those of `where`.
  async function calm(where) {
    const quiet = () => page.evaluate((dialog) => {
      const {status} = window.catena.store;
      if (status.playing) window.catena.source.send({type: 'pause'});
      const open = document.querySelector('dialog[open]');
      return [!status.playing, !open || (dialog && open.matches(dialog))];
    }, where?.dialog ?? '');
    for (let i = 0; i < 100; ++i) {
      const [still, closed] = await quiet();
      if (still && closed) return;
      if (!closed) await page.keyboard.press('Escape');
      await page.waitForTimeout(30);
    }
    throw new Error('it does not come to rest');
  }
  // A moment after the start, with a past behind it and something selected: everything can change.
  async function prepare() {
    await calm();
    const before = await page.evaluate(() => window.catena.store.structure.revision);
    await page.evaluate((name) => { window.catena.source.send({type: 'example', name}); }, kScene);
    await until(page, (old) => window.catena.store.structure.revision !== old && window.catena.frame().revision === window.catena.store.structure.revision, before);
    await page.evaluate(() => {
      const {store, source, viewer} = window.catena;
      store.select({kind: 'body', index: 0});
      viewer.orbit.orbit(0.3, 0.1);      // so that framing the model changes the view
      viewer.touchCamera();
      source.send({type: 'play'});
    });
    await until(page, () => window.catena.store.status.time > 0.2 && window.catena.store.status.playing);
    await calm();
  }

  async function changes(control) {
    const start = await page.evaluate(() => window.signature());
    const before = files;
    if (!await act(page, control)) return 'not there';
    const changed = await page.waitForFunction((old) => window.signature() !== old, start, {timeout: 1500, polling: 40}).catch(() => null);
    if (changed) return 'state';
    if (files > before) return 'file';
    const picture = await lookAt(page);
    await act(page, control);
    await page.waitForTimeout(300);
    return (await lookAt(page)).hash !== picture.hash ? 'pixels' : 'nothing';
  }

  async function tryAll(where) {
    const dead = [];
    const alike = new Map();
    const todo = (await controlsOf(page)).filter((control) => {
      const count = (alike.get(control.alike) ?? 0) + 1;
      alike.set(control.alike, count);
      return !control.disabled && !control.noEffect && !tried.has(control.id) && (!control.alike || count <= kMostAlike);
    });
    for (const control of todo) {
      tried.set(control.id, 'trying');
      let what = await changes(control);
      if (what === 'not there') {
        // an earlier control hid or disabled this one
        await prepare();
        await where.open();
        await controlsOf(page);
        what = await changes(control);
      }
      if (what === 'nothing' && control.chosen && await chooseAnother(page, control)) what = await changes(control);
      tried.set(control.id, what);
      if (what === 'nothing' || what === 'not there') dead.push(`${control.id}: ${what} (${control.html})`);
      await calm(where);
      await where.open();
      await controlsOf(page);
    }
    assert.deepEqual(dead, [], `controls of ${where.name} without effect`);
  }

  const stateOf = () => page.evaluate(() => ({mode: window.catena.store.mode, dialog: document.querySelector('dialog[open]')?.className ?? null,
    tab: [...document.querySelectorAll('[role=tab][aria-selected=true]')].find((tab) => tab.checkVisibility())?.textContent ?? ''}));
  async function open(mode, tab) {
    const now = await stateOf();
    if (now.mode !== mode) {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press('b');
      await until(page, (m) => window.catena.store.mode === m, mode);
    }
    if (mode !== 'watch') return;
    if (!now.tab) await page.keyboard.press('p');
    if (tab && now.tab !== tab) await page.evaluate((name) => [...document.querySelectorAll('[role=tab]')].find((one) => one.textContent === name).click(), tab);
  }
  const openDialog = async (key) => { if ((await stateOf()).dialog === null) { await page.keyboard.press(key); await page.locator('dialog[open]').waitFor(); } };
  const places = [
    {name: 'the page', open: () => open('watch')},
    ...['Plots', 'Inspect', 'Drive', 'Scene'].map((name) => ({name: `the panel ${name}`, open: () => open('watch', name)})),
    {name: 'build mode', open: () => open('build')},
    {name: 'the scenes', dialog: 'dialog.gallery', open: () => openDialog('Control+o')},
    {name: 'the help', dialog: 'dialog:not(.gallery)', open: () => openDialog('?')},
  ];
  for (const where of places)
    it(`of ${where.name}: each changes the state or the picture`, () => withPicture(page, `controls ${where.name}`, async () => {
      await prepare();
      await where.open();
      await tryAll(where);
    }));

  it('all have names, and no two that are seen together share one', () => withPicture(page, 'names', async () => {
    for (const where of places) {
      await calm();
      await where.open();
      const controls = await controlsOf(page);
      assert.deepEqual(controls.filter((control) => control.name.length < 2).map((control) => control.html), [], `without a name, in ${where.name}`);
      if (where.name === 'the scenes') continue;
      const names = controls.map((control) => `${control.tag} ${control.name}`);
      assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), [], `names used twice, in ${where.name}`);
    }
    await calm();
  }));

  it('no errors in the console', () => {
    assert.ok(tried.size > 40, `only ${tried.size} controls were found`);
    assert.deepEqual(page.errors, []);
  });
});
