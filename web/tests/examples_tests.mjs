// Every example in the page: it loads, is not blank, moves on, and the console stays silent.
//   CATENA_PICTURES=1: build/page-tests/examples/NAME.png of each
import assert from 'node:assert/strict';
import {mkdirSync, readdirSync} from 'node:fs';
import path from 'node:path';
import {after, before, describe, it} from 'node:test';
import {lookAt, openPage, pictures, state, until, withPicture} from './browser.mjs';
import {root, startServer} from './server.mjs';

const kMostJoints = 60;

describe('examples', () => {
  const names = readdirSync(path.join(root, 'examples')).filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -5));
  const keep = Boolean(process.env.CATENA_PICTURES);
  let server;
  let page;
  before(async () => {
    server = await startServer('examples/pendulum-a01.yaml');
    page = await openPage(server.url, {viewport: keep ? {width: 1000, height: 640} : {width: 480, height: 360}});
    if (keep) mkdirSync(path.join(pictures, 'examples'), {recursive: true});
  });
  after(async () => {
    await page?.context().close();
    await server?.stop();
  });

  it('the gallery offers every scene of examples/', async () => {
    const offered = (await state(page)).structure.examples.map((example) => example.name);
    assert.deepEqual([...offered].sort(), [...names].sort());
  });

  for (const name of names)
    it(name, () => withPicture(page, `example ${name}`, async () => {
      page.errors.length = 0;
      const {revision} = (await state(page)).structure;
      const reply = await page.evaluate((n) => window.catena.store.ask({type: 'example', name: n}), name);
      assert.ok(reply.ok, reply.message);
      await until(page, (r) => window.catena.store.structure.revision !== r && window.catena.frame().revision === window.catena.store.structure.revision, revision);
      // hundreds of joints are a million triangles, which software draws for seconds: there the bodies are enough
      await page.evaluate((most) => {
        const {store, source} = window.catena;
        store.setView({joints: store.structure.picture.joints.length <= most});
        source.send({type: 'play'});
      }, kMostJoints);
      await until(page, () => window.catena.store.status.time > 0 && window.catena.store.status.step > 2, null, 8000);
      const seen = await lookAt(page);
      assert.ok(seen.colours > 30 && seen.busy > 0.002, `${seen.colours} colours, ${(100 * seen.busy).toFixed(2)} % drawn`);
      if (keep) {
        await until(page, () => window.catena.store.status.time > 0.8, null, 8000).catch(() => {});
        await page.screenshot({path: path.join(pictures, 'examples', `${name}.png`)});
      }
      const {structure} = await state(page);
      assert.ok(structure.picture.bodies.every((body) => body.name.length > 0));
      assert.deepEqual(page.errors, []);
      await page.evaluate(() => window.catena.source.send({type: 'pause'}));
    }));
});
