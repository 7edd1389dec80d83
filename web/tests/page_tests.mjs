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
    await send({type: 'speed', value: 0.1});   // it hardly falls while one aims
    await send({type: 'play'});
    await until(page, () => window.catena.store.status.playing);
    await drag(page, from.slice(0, 2), [from[0] - 120, from[1] - 60], {hold: true});
    await until(page, () => window.catena.store.status.hand);
    await send({type: 'speed', value: 1});
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

  test('a body dragged while time stands is posed: it moves, and no time goes by', async () => {
    await send({type: 'pause'});
    await send({type: 'reset'});
    await until(page, () => !window.catena.store.status.playing && window.catena.store.status.time === 0 && window.catena.frame().time === 0);
    await page.waitForTimeout(200);
    const where = await pose(page, 0), from = await project(page, where.slice(0, 3));
    await drag(page, from.slice(0, 2), [from[0] - 60, from[1] + 80], {hold: true});
    await until(page, ([x, y, z]) => {
      const p = window.catena.frame().poses;
      return Math.hypot(p[0] - x, p[1] - y, p[2] - z) > 0.15;
    }, where.slice(0, 3));
    assert.match(await page.getByLabel('Force of the hand').innerText(), /no time goes by/);
    await page.mouse.up();
    await until(page, () => !window.catena.store.status.hand);
    const {status} = await state(page);
    assert.equal(status.playing, false);
    assert.equal(status.time, 0);
    assert.ok(status.constraint_error < 1e-9, 'the joints are closed');
  });

  test('a blow by Ctrl and drag, or by numbers, moves the model and tells what the hand felt', async () => {
    await send({type: 'pause'});
    await send({type: 'reset'});
    await until(page, () => !window.catena.store.status.playing && window.catena.store.status.time === 0 && window.catena.frame().time === 0);
    await page.waitForTimeout(200);
    const where = await pose(page, 1), from = await project(page, where.slice(0, 3));
    await page.keyboard.down('Control');
    await drag(page, from.slice(0, 2), [from[0] + 90, from[1] - 40], {hold: true});
    await until(page, () => window.catena.viewer.hand.target && document.querySelector('[aria-label="Force of the hand"]').textContent === 'let go to strike');
    assert.equal((await state(page)).status.hand, null, 'nothing is pulled while one aims');
    // a pointer that is taken away (a call, a gesture of the system) strikes nothing, and what was said beside it goes
    await page.locator('canvas').first().dispatchEvent('pointercancel', {pointerId: 1});
    await until(page, () => document.querySelector('[aria-label="Force of the hand"]').hidden);
    assert.equal((await state(page)).status.blow, null);
    await page.mouse.up();
    await drag(page, from.slice(0, 2), [from[0] + 90, from[1] - 40], {hold: true});
    await page.mouse.up();
    await page.keyboard.up('Control');
    await until(page, () => window.catena.store.status.blow);
    const {blow, energy, time} = (await state(page)).status;
    assert.equal(time, 0);
    assert.equal(blow.body, 1);
    assert.ok(blow.newton_seconds > 0 && blow.mass > 0 && blow.work > 0, JSON.stringify(blow));
    assert.ok(Math.abs(energy.kinetic - blow.work) < 1e-9 * blow.work, 'all of its work is in the motion');
    await page.getByText(/^Blow of .* N·s: met .* kg, changed its point by .* m\/s, work .* J$/).first().waitFor();
    // by numbers, at the centre of what is selected
    await page.evaluate(() => window.catena.store.select({kind: 'body', index: 0}));
    await page.getByLabel('Impulse along x, N·s').fill('0');
    await page.getByLabel('Impulse along z, N·s').fill('0.5');
    await page.getByRole('button', {name: 'Strike'}).click();
    await until(page, () => window.catena.store.status.blow?.body === 0);
    assert.deepEqual((await state(page)).status.blow.impulse, [0, 0, 0.5]);
    await until(page, () => /^Blow of 0.5 N·s/.test(document.querySelector('[aria-label="Last blow"]').textContent));
    await page.keyboard.press('Escape');
  });

  test('what is selected while time stands is ringed where it is, and nowhere else', async () => {
    await send({type: 'step'});
    await until(page, () => window.catena.store.status.time > 0 && window.catena.frame().time > 0);
    await page.waitForTimeout(200);
    const where = await pose(page, 1), at = await project(page, where.slice(0, 3));
    await page.mouse.click(...at.slice(0, 2));
    await until(page, () => window.catena.store.selection?.index === 1);
    const rings = await page.evaluate(() => {
      window.catena.store.setHover(null);   // has a ring of its own
      const found = [];
      window.catena.viewer.model.group.traverse((o) => { if (o.isInstancedMesh && o.visible && o.renderOrder === 5) found.push([...o.instanceMatrix.array.slice(12, 15)]); });
      return found;
    });
    assert.equal(rings.length, 1);
    rings[0].forEach((x, k) => assert.ok(Math.abs(x - where[k]) < 1e-4, `ring at ${rings[0]}, body at ${where.slice(0, 3)}`));
    await page.keyboard.press('Escape');
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

describe('page without a scene', () => {
  let server;
  let page;
  before(async () => {
    server = await startServer(null);
    page = await openPage(server.url, {viewport: {width: 1000, height: 620}});
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });
  const test = (name, body) => it(name, () => withPicture(page, `page ${name}`, body));

  test('offers the examples, and nothing runs', async () => {
    await page.getByRole('dialog', {name: 'Scenes'}).waitFor();
    await page.waitForTimeout(300);
    const {status} = await state(page);
    assert.equal(status.playing, false);
    assert.equal(status.time, 0);
  });

  test('what is chosen plays', async () => {
    await page.locator('.gallery-card').filter({hasText: 'Double pendulum'}).first().click();
    await until(page, () => window.catena.store.structure.picture.bodies.length === 2 && window.catena.store.status.playing && window.catena.store.status.time > 0.05);
  });
});

describe('page with a model that travels', () => {
  let server;
  let page;
  before(async () => {
    server = await startServer(null, ['--paused']);
    page = await openPage(server.url, {viewport: {width: 1000, height: 620}});
    await page.keyboard.press('Escape');
    // a dart that flies off with 6 m/s
    await page.evaluate(() => window.catena.store.ask({type: 'load', text: 'title: Dart\ngravity: [0, 0, 0]\nbodies:\n  - {name: dart, kind: rigid, mass: 1, velocity: [6, 0, 0], shape: {kind: box, size: [1, 0.5, 0.5]}}\n'}));
    await until(page, () => window.catena.store.structure.title === 'Dart' && window.catena.frame().poses.length === 7);
    await page.waitForTimeout(300);
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });
  const test = (name, body) => it(name, () => withPicture(page, `page ${name}`, body));
  const onScreen = async () => {
    const [x, y] = await page.evaluate(() => window.catena.project([...window.catena.viewer.clock.poses.slice(0, 3)]));
    const box = await page.locator('canvas').first().boundingBox();
    return x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
  };

  test('the camera goes along, also after a turn of the wheel', async () => {
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -120);
    await page.evaluate(() => window.catena.source.send({type: 'play'}));
    for (const time of [1.5, 3]) {
      await until(page, (t) => window.catena.store.status.time > t, time);
      await page.waitForTimeout(400);
      assert.ok(await onScreen(), `at t = ${time} s the dart is in the picture`);
    }
    await page.mouse.wheel(0, 240);
    await until(page, () => window.catena.store.status.time > 4.5);
    await page.waitForTimeout(400);
    assert.ok(await onScreen(), 'after another one too');
  });

  test('a model that was left out of the picture is called back by a key that is named', async () => {
    await page.evaluate(() => window.catena.source.send({type: 'pause'}));
    await until(page, () => !window.catena.store.status.playing);
    for (let k = 0; k < 4; ++k) {   // Shift and drag move the camera
      await page.keyboard.down('Shift');
      await drag(page, [150, 300], [600, 300]);
      await page.keyboard.up('Shift');
    }
    await page.getByText('The model is out of view').waitFor();
    await page.keyboard.press('f');
    await page.getByText('The model is out of view').waitFor({state: 'hidden'});
    assert.ok(await onScreen());
  });

  test('no errors in the console', () => assert.deepEqual(page.errors, []));
});
