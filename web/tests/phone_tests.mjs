// A phone: everything within the screen, fingers are enough.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {openPage, project, until, withPicture} from './browser.mjs';
import {controlsOf} from './controls.mjs';
import {startServer} from './server.mjs';

describe('phone', () => {
  const viewport = {width: 390, height: 780};
  let server;
  let page;
  before(async () => {
    server = await startServer('examples/double-pendulum.yaml');
    page = await openPage(server.url, {viewport, touch: true});
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });
  const test = (name, body) => it(name, () => withPicture(page, `phone ${name}`, body));

  // Fingers through the protocol of the browser: playwright has a tap, but no drag.
  async function swipe(from, to) {
    const session = await page.context().newCDPSession(page);
    const touch = (type, points) => session.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y]) => ({x, y}))});
    await touch('touchStart', [from]);
    for (let i = 1; i <= 5; ++i) await touch('touchMove', [[from[0] + (to[0] - from[0]) * i / 5, from[1] + (to[1] - from[1]) * i / 5]]);
    await touch('touchEnd', []);
    await session.detach();
  }
  const noSidewaysScroll = async () =>
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth && document.documentElement.scrollHeight <= window.innerHeight + 1), 'the page scrolls');

  test('nothing hangs over the edge, the picture has room, controls are large enough for a finger', async () => {
    await noSidewaysScroll();
    const canvas = await page.locator('canvas').first().boundingBox();
    assert.ok(canvas.width * canvas.height > 0.35 * viewport.width * viewport.height, `the picture has ${canvas.width} × ${canvas.height}`);
    const small = (await controlsOf(page)).filter((control) => ['button', 'select'].includes(control.tag) && (control.width < 28 || control.height < 28));
    assert.deepEqual(small.map((control) => `${control.name} ${control.width.toFixed(0)} × ${control.height.toFixed(0)}`), []);
  });

  test('builds a pendulum with one finger', async () => {
    await page.getByRole('button', {name: 'Scenes', exact: true}).tap();
    await page.getByRole('button', {name: /New, flat/}).tap();
    await until(page, () => window.catena.store.mode === 'build' && window.catena.store.structure.picture.bodies.length === 0);
    await noSidewaysScroll();
    const canvas = await page.locator('canvas').first().boundingBox();
    assert.ok(canvas.height > 0.3 * viewport.height, `room for the board: ${canvas.height}`);
    const [x, y] = await project(page, [0, 0, 0]);
    await swipe([x, y], [x + 90, y]);
    await until(page, () => window.catena.store.structure.picture.bodies.length === 1 && window.catena.store.structure.dof === 1);
  });

  test('no errors in the console', () => assert.deepEqual(page.errors, []));
});
