// Every control of the page does something and says what it is.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';
import {lookAt, openPage, until, withPicture} from './browser.mjs';
import {act, controlsOf, signature} from './controls.mjs';
import {startServer} from './server.mjs';

describe('controls', () => {
  let server;
  let page;
  let downloads = 0;
  const tried = new Map();   // id → what changed
  before(async () => {
    server = await startServer('examples/geared-arm.yaml');
    page = await openPage(server.url, {viewport: {width: 1280, height: 760}});
    page.on('download', () => downloads++);
    page.on('filechooser', () => downloads++);
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });

  // Standing still at a time after the start: nothing changes by itself, and everything can change.
  async function calm() {
    for (let i = 0; i < 3 && await page.locator('dialog[open]').count(); ++i) await page.keyboard.press('Escape');
    await page.evaluate(() => { window.catena.source.send({type: 'pause'}); });
    await until(page, () => window.catena.store.status.playing === false);
  }
  async function prepare() {
    await page.evaluate(() => { window.catena.source.send({type: 'example', name: 'geared-arm'}); window.catena.source.send({type: 'play'}); });
    await until(page, () => window.catena.store.status.time > 0.3 && window.catena.store.structure.title.length > 0);
    await calm();
  }

  async function changes(control) {
    const before = await signature(page);
    const picture = await lookAt(page);
    const files = downloads;
    if (!await act(page, control)) return 'not there';
    for (const end = Date.now() + 1500; Date.now() < end; await wait(30)) {
      if (await signature(page) !== before) return 'state';
      if (downloads > files) return 'file';
    }
    return (await lookAt(page)).hash !== picture.hash ? 'pixels' : 'nothing';
  }

  async function tryAll(where) {
    const dead = [];
    const todo = (await controlsOf(page)).filter((control) => !control.disabled && !control.noEffect && !tried.has(control.id));
    for (const control of todo) {
      tried.set(control.id, 'trying');
      let what = await changes(control);
      if (what === 'not there') {
        // an earlier control hid this one: open the place anew
        await page.reload();
        await until(page, () => window.catena?.store?.structure && window.catena.frame());
        await calm();
        await where.open();
        await controlsOf(page);
        what = await changes(control);
      }
      tried.set(control.id, what);
      if (what === 'nothing' || what === 'not there') dead.push(`${control.id}: ${what} (${control.html})`);
      await calm();
      await where.open();
      await controlsOf(page);
    }
    assert.deepEqual(dead, [], `controls of ${where.name} without effect`);
  }

  const modeIs = async (mode) => {
    if (await page.evaluate(() => window.catena.store.mode) !== mode) await page.keyboard.press('b');
    await until(page, (m) => window.catena.store.mode === m, mode);
  };
  const places = [
    {name: 'the page', open: () => modeIs('watch')},
    {name: 'build mode', open: () => modeIs('build')},
    {name: 'the scenes', open: async () => { if (!await page.locator('dialog.gallery[open]').count()) await page.keyboard.press('Control+o'); }},
  ];
  for (const where of places)
    it(`of ${where.name}: each changes the state or the picture`, () => withPicture(page, `controls ${where.name}`, async () => {
      await prepare();
      await where.open();
      await tryAll(where);
    }));

  it('all have names, and no two that are seen together share one', () => withPicture(page, 'names', async () => {
    await calm();
    for (const where of places) {
      await where.open();
      const controls = await controlsOf(page);
      assert.deepEqual(controls.filter((control) => control.name.length < 2 && !/^[A-Za-z0-9]$/.test(control.name)).map((control) => control.html), [], `without a name, in ${where.name}`);
      if (where.name !== 'the scenes') {
        const names = controls.map((control) => `${control.tag} ${control.name}`);
        assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), [], `names used twice, in ${where.name}`);
      }
    }
    await calm();
  }));

  it('no errors in the console', () => {
    assert.ok(tried.size > 20, `only ${tried.size} controls were found`);
    assert.deepEqual(page.errors, []);
  });
});
