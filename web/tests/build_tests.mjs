// Build mode, by mouse, keys and touch: mechanisms from nothing, degrees of freedom, undo, files.
import assert from 'node:assert/strict';
import {readFile, writeFile, mkdtemp} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, describe, it} from 'node:test';
import {drag, openPage, pose, project, state, until, withPicture} from './browser.mjs';
import {startServer} from './server.mjs';

describe('build mode', () => {
  let server;
  let page;
  before(async () => {
    server = await startServer('examples/double-pendulum.yaml');
    page = await openPage(server.url, {viewport: {width: 1000, height: 620}});
    await page.keyboard.press('p');   // all the room for the board
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });
  const test = (name, body) => it(name, () => withPicture(page, `build ${name}`, body));

  const tool = (name) => page.locator(`[data-tool="${name}"]`).click();
  const place = async (x, y) => (await project(page, [x, y, 0])).slice(0, 2);
  const dofIs = (dof) => until(page, (n) => window.catena.store.structure.dof === n, dof);
  const countIs = (what, count) => until(page, ([key, n]) => window.catena.store.structure.picture[key].length === n, [what, count]);
  const drawn = async (name, from, to) => {
    const count = (await state(page)).structure.picture[['rod'].includes(name) ? 'bodies' : 'joints'].length;
    await tool(name);
    await drag(page, await place(...from), await place(...to));
    await countIs(name === 'rod' ? 'bodies' : 'joints', count + 1);
  };
  async function newFlatScene() {
    await page.getByRole('button', {name: 'Scenes', exact: true}).click();
    await page.getByRole('button', {name: /New, flat/}).click();
    await until(page, () => window.catena.store.structure.picture.bodies.length === 0 && window.catena.store.mode === 'build');
    await page.getByLabel('Snap to grid').uncheck();   // the places below are meant as they are
  }

  test('a new scene is empty, stands still, and says what to do', async () => {
    await newFlatScene();
    assert.equal((await state(page)).status.playing, false);
    assert.match(await page.locator('.build-empty').innerText(), /Drag anywhere/);
  });

  test('one drag is a pendulum: one degree of freedom, and it swings', async () => {
    await drawn('rod', [0, 0], [1, 0]);
    await dofIs(1);
    assert.equal(await page.locator('.build-freedom').innerText(), '1 degree of freedom');
    const [x0, y0] = await pose(page, 0);
    await page.keyboard.press('Space');
    await until(page, ([x, y]) => Math.hypot(window.catena.frame().poses[0] - x, window.catena.frame().poses[1] - y) > 0.1, [x0, y0]);
    const [x, y] = await pose(page, 0);
    assert.ok(Math.abs(Math.hypot(x, y) - 0.5) < 1e-3, 'its centre stays at half its length from the pin');
  });

  test('a four-bar from nothing in three drags has one degree of freedom; undo takes it apart, redo puts it back', async () => {
    await newFlatScene();
    await drawn('rod', [-1, 0], [-1, 0.6]);          // crank, pinned to the board
    await dofIs(1);
    await drawn('rod', [-1, 0.6], [0.6, 1]);         // coupler, hinged to the crank
    await dofIs(2);
    await drawn('rod', [0.6, 0], [0.6, 1]);          // follower, pinned to the board and hinged to the coupler
    await dofIs(1);
    const {structure} = await state(page);
    assert.equal(structure.picture.bodies.length, 3);
    assert.equal(structure.picture.joints.length, 4);
    assert.equal(structure.redundant_rows, 0);

    for (const [bodies, dof] of [[2, 2], [1, 1], [0, 0]]) {
      await page.getByRole('button', {name: 'Undo'}).click();
      await countIs('bodies', bodies);
      await dofIs(dof);
    }
    for (const bodies of [1, 2, 3]) {
      await page.keyboard.press('Control+Shift+Z');
      await countIs('bodies', bodies);
    }
    await dofIs(1);
    await page.keyboard.press('Space');
    const [x0, y0] = await pose(page, 1);
    await until(page, ([x, y]) => Math.hypot(window.catena.frame().poses[7] - x, window.catena.frame().poses[8] - y) > 0.05, [x0, y0]);
    await page.keyboard.press('Space');
  });

  test('a joint too many is marked where it is, and the mark goes with it', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    await tool('hinge');
    await page.mouse.click(...await place(0, 0));
    await countIs('joints', 2);
    await until(page, () => window.catena.store.structure.redundant_rows > 0);
    await page.locator('.build-overlay circle.redundant').first().waitFor();
    assert.match(await page.locator('.build-redundancy').innerText(), /too many/);
    await dofIs(1);
    await page.keyboard.press('Control+z');
    await until(page, () => window.catena.store.structure.redundant_rows === 0);
    await until(page, () => document.querySelectorAll('.build-overlay circle.redundant').length === 0);
  });

  test('a joint that contradicts others is refused, marked and explained; nothing has changed', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    const {revision} = (await state(page)).structure;
    await tool('weld');
    await drag(page, await place(1, 0), await place(1.6, 0));   // its end cannot come there: it is pinned 1 m away
    await page.locator('.build-overlay circle.conflict').waitFor();
    await page.getByText(/cannot all be met/).first().waitFor();
    assert.equal((await state(page)).structure.revision, revision);
    await dofIs(1);
  });

  test('every part and every connection can be made, and is there', async () => {
    await newFlatScene();
    await drawn('rod', [-1, 0], [-0.2, 0]);
    const clicks = {particle: [0.4, 0.8], ball: [0.8, 0.4], box: [1.2, 0.8], disc: [-0.6, 0.8]};
    for (const [count, [name, at]] of Object.entries(clicks).entries()) {
      await tool(name);
      await page.mouse.click(...await place(...at));
      await countIs('bodies', count + 2);
    }
    const joints = async () => (await state(page)).structure.picture.joints.length;
    const made = async (name, act) => {
      const before = (await state(page)).structure.revision;
      await tool(name);
      await act();
      await until(page, (r) => window.catena.store.structure.revision > r, before).catch(() => { throw new Error(`${name} made nothing`); });
    };
    await made('nail', async () => page.mouse.click(...await place(0.4, 0.8)));
    await made('spring', async () => drag(page, await place(0.8, 0.4), await place(1.2, 0.8)));
    await made('bar', async () => drag(page, await place(-0.6, 0.8), await place(-0.6, 1.2)));
    await made('slider', async () => drag(page, await place(1.2, 0.8), await place(1.6, 0.8)));
    await made('motor', async () => page.mouse.click(...await place(-1, 0)));
    await made('weld', async () => page.mouse.click(...await place(-0.6, 0.8)));
    await made('hinge', async () => drag(page, await place(0.8, 0.4), await place(0.4, 0.4)));
    const {structure} = await state(page);
    assert.ok(structure.picture.forces.some((force) => force.kind === 'spring'));
    assert.ok(structure.picture.forces.some((force) => /motor/.test(force.kind)));
    assert.ok(await joints() >= 5);
  });

  test('a drawn curve guides a bead', async () => {
    await newFlatScene();
    await tool('particle');
    await page.mouse.click(...await place(-0.6, 0.5));
    await countIs('bodies', 1);
    await tool('curve');
    await page.mouse.move(...await place(-0.6, 0.5));
    await page.mouse.down();
    for (const [x, y] of [[-0.5, 0.2], [-0.3, 0], [0, -0.05], [0.3, 0], [0.5, 0.2], [0.6, 0.5]]) await page.mouse.move(...await place(x, y), {steps: 3});
    await page.mouse.up();
    await dofIs(1);
  });

  test('numbers are edited in the form, refusals say why', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    const mass = page.getByLabel(/^Mass of rod1/);
    await mass.fill('2.5');
    await mass.press('Enter');
    await until(page, () => Math.abs(window.catena.store.structure.picture.bodies[0].mass - 2.5) < 1e-9);
    const before = (await state(page)).structure.revision;
    await page.getByLabel(/^Mass of rod1/).fill('-1');
    await page.getByLabel(/^Mass of rod1/).press('Enter');
    await page.getByText(/mass of 'rod1': mass must be positive/).first().waitFor();   // by its name, not by a line that nobody wrote
    assert.equal((await state(page)).structure.revision, before, 'nothing changed');
    const length = page.getByLabel(/^Length of rod1/);
    await length.fill('0.8');
    await length.press('Enter');
    await until(page, () => Math.abs(window.catena.store.structure.picture.bodies[0].shape.size[0] - 0.8) < 1e-6);
    await dofIs(1);
  });

  test('a box goes from corner to corner', async () => {
    await newFlatScene();
    await tool('box');
    await drag(page, await place(-0.5, 0.2), await place(0.7, 0.5));
    await countIs('bodies', 1);
    const {shape} = (await state(page)).structure.picture.bodies[0], [x, y] = await pose(page, 0);
    assert.ok(Math.abs(shape.size[0] - 1.2) < 0.02 && Math.abs(shape.size[1] - 0.3) < 0.02, `sides ${shape.size}`);
    assert.ok(Math.abs(x - 0.1) < 0.02 && Math.abs(y - 0.35) < 0.02, `its middle is at ${x}, ${y}`);
  });

  test('a rod begun just beyond an end is hinged to it; one begun beside it says that it is pinned', async () => {
    await newFlatScene();
    await drawn('rod', [-1, 0], [0, 0]);
    const [x, y] = await place(0, 0);
    await tool('rod');
    await drag(page, [x + 10, y], await place(0.6, 0.6));
    await countIs('bodies', 2);
    await dofIs(2);
    await page.keyboard.press('Control+z');
    await countIs('bodies', 1);
    await drag(page, [x + 42, y], await place(0.8, 0.6));
    await countIs('bodies', 2);
    await page.getByText(/Pinned to the board beside the end of rod1/).waitFor();
  });

  test('delete by tool and by key; a body takes its joints with it', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    await drawn('rod', [1, 0], [1, 1]);
    await tool('delete');
    await page.mouse.click(...await place(0.5, 0));
    await countIs('bodies', 1);
    await countIs('joints', 0);
    await tool('hand');
    await page.mouse.click(...await place(1, 0.5));
    await page.keyboard.press('Delete');
    await countIs('bodies', 0);
  });

  test('free places go to the grid', async () => {
    await newFlatScene();
    await page.getByLabel('Snap to grid').check();
    await tool('particle');
    await page.mouse.click(...await place(0.4037, 0.3961));
    await countIs('bodies', 1);
    const [x, y] = await pose(page, 0);
    for (const at of [x, y]) assert.ok(Math.abs(at * 50 - Math.round(at * 50)) < 1e-4, `${at} m is on no grid`);
  });

  test('a pendulum without a mouse: arrow keys and Enter', async () => {
    await newFlatScene();
    await page.keyboard.press('2');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    for (let i = 0; i < 6; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await countIs('bodies', 1);
    await dofIs(1);
  });

  test('saved scenes open again as they were, by file and by drop', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', {name: 'Save'}).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /\.yaml$/);
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'catena-')), 'saved.yaml');
    await writeFile(file, await readFile(await download.path()));
    assert.match(await readFile(file, 'utf8'), /rod1/);
    await newFlatScene();
    await page.locator('input[type=file]').setInputFiles(file);
    await countIs('bodies', 1);
    await dofIs(1);
  });

  test('an edit while it runs keeps the motion of the others', async () => {
    await newFlatScene();
    await drawn('rod', [0, 0], [1, 0]);
    await page.keyboard.press('Space');
    await until(page, () => window.catena.store.status.time > 0.3);
    await tool('particle');
    await page.mouse.click(...await place(-1, 1));
    await countIs('bodies', 2);
    const {status} = await state(page);
    assert.ok(status.time > 0.25, `time went on from ${status.time}`);
    const [x, y] = await pose(page, 0);
    assert.ok(Math.abs(Math.hypot(x, y) - 0.5) < 1e-3 && y < -0.01, 'the pendulum is where it had swung to');
    await until(page, (t) => window.catena.store.status.time > t + 0.1, status.time);
    await page.keyboard.press('Space');
  });

  test('no errors in the console', () => assert.deepEqual(page.errors, []));
});
