// The page in a real browser: it shows something, and what one does with it reaches the simulation.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {drag, lookAt, openPage, pose, project, state, until, withPicture} from './browser.mjs';
import {startServer} from './server.mjs';

describe('page', () => {
  let server;
  let page;
  before(async () => {
    server = await startServer('examples/double-pendulum.yaml');
    page = await openPage(server.url, {viewport: {width: 1000, height: 620}});
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });
  const test = (name, body) => it(name, () => withPicture(page, `page ${name}`, body));
  const send = (message) => page.evaluate((m) => window.catena.source.send(m), message);

  test('renders something that is not blank', async () => {
    const seen = await lookAt(page);
    assert.ok(seen.colours > 50, `${seen.colours} colours`);
    assert.ok(seen.busy > 0.01, `${(100 * seen.busy).toFixed(2)} % of the picture differ from its background`);
  });

  test('space plays and pauses, a step is a step, Home begins again', async () => {
    await send({type: 'pause'});
    await until(page, () => !window.catena.store.status.playing);
    await page.keyboard.press('Space');
    await until(page, () => window.catena.store.status.playing && window.catena.store.status.time > 0.2);
    await page.keyboard.press('Space');
    await until(page, () => !window.catena.store.status.playing);
    const {status} = await state(page);
    await page.keyboard.press('.');
    await until(page, (step) => window.catena.store.status.step > step, status.step);
    await page.keyboard.press('Home');
    await until(page, () => window.catena.store.status.time < 0.1);
  });

  test('what moves in the simulation moves in the picture', async () => {
    const before = await lookAt(page);
    await page.keyboard.press('Space');
    await until(page, () => window.catena.store.status.time > 0.3);
    await page.keyboard.press('Space');
    await until(page, () => !window.catena.store.status.playing);
    assert.notEqual((await lookAt(page)).hash, before.hash);
  });

  test('a dragged body moves in the simulation, and the hand feels a force', async () => {
    await send({type: 'pause'});
    await send({type: 'reset'});
    await until(page, () => !window.catena.store.status.playing && window.catena.store.status.time === 0 && window.catena.frame().time === 0);
    await page.waitForTimeout(200);   // the picture is there too
    const body = 0;
    const where = await pose(page, body);
    const from = await project(page, where.slice(0, 3));
    await drag(page, from.slice(0, 2), [from[0] - 120, from[1] - 60], {hold: true});
    await until(page, () => window.catena.store.status.hand);
    const felt = (await state(page)).status.hand;
    assert.equal(felt.body, body);
    await until(page, () => window.catena.store.status.hand?.newton > 0);
    await until(page, ([i, x, y, z]) => {
      const p = window.catena.frame().poses.slice(7 * i, 7 * i + 3);
      return Math.hypot(p[0] - x, p[1] - y, p[2] - z) > 0.15;
    }, [body, ...where.slice(0, 3)]);
    await page.mouse.up();
    await until(page, () => !window.catena.store.status.hand);
  });

  test('scrubs back over the past, and goes on from there', async () => {
    await send({type: 'play'});
    await until(page, () => window.catena.store.status.recorded[1] > 1 && window.catena.store.status.live);
    await send({type: 'pause'});
    await until(page, () => !window.catena.store.status.playing);
    const end = (await state(page)).status.recorded[1];
    const timeline = page.getByRole('slider', {name: /time/i}).first();
    const box = await timeline.boundingBox();
    await page.mouse.click(box.x + 0.3 * box.width, box.y + box.height / 2);
    await until(page, () => window.catena.store.status.live === false && window.catena.frame().past);
    const shown = (await state(page)).status.time;
    assert.ok(shown > 0 && shown < 0.8 * end, `shows ${shown} of ${end}`);
    await page.getByRole('button', {name: /from here/i}).first().click();
    await until(page, () => window.catena.store.status.live);
    const branched = (await state(page)).status;
    assert.ok(Math.abs(branched.recorded[1] - shown) < 0.3, `the new present is ${branched.recorded[1]}, shown was ${shown}`);
    await send({type: 'play'});
    await until(page, (t) => window.catena.store.status.time > t + 0.1, shown);
  });

  test('plots have lines', async () => {
    await until(page, () => [...document.querySelectorAll('canvas')].length >= 2);
  });

  test('names on hover', async () => {
    await send({type: 'pause'});
    await until(page, () => !window.catena.store.status.playing);
    const {structure} = await state(page);
    const where = await pose(page, 0);
    const [x, y] = await project(page, where.slice(0, 3));
    await page.mouse.move(x - 2, y);
    await page.mouse.move(x, y);
    await page.getByRole('tooltip').filter({hasText: structure.picture.bodies[0].name}).waitFor();
  });

  test('dark and light differ', async () => {
    const before = await lookAt(page, {x: 0, y: 0, width: 1000, height: 620});
    await page.emulateMedia({colorScheme: 'dark'});
    await page.waitForTimeout(300);
    assert.notEqual((await lookAt(page, {x: 0, y: 0, width: 1000, height: 620})).hash, before.hash);
    await page.emulateMedia({colorScheme: 'light'});
  });

  test('a refused scene is explained and changes nothing', async () => {
    const {revision} = (await state(page)).structure;
    const reply = await page.evaluate(() => window.catena.store.ask({type: 'load', text: 'bodies:\n  - {name: a, kind: particle, mass: -1}\n'}));
    assert.equal(reply.ok, false);
    assert.match(reply.message, /mass must be positive/);
    assert.equal((await state(page)).structure.revision, revision);
  });

  test('no errors in the console', async () => {
    assert.deepEqual(page.errors, []);
  });
});
