// A run as one HTML file: it opens from the disk, without a server and without the network, and plays.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {lookAt, openPage, until, withPicture} from './browser.mjs';
import {command, root} from './server.mjs';

const offered = spawnSync(command, ['run', '--help'], {encoding: 'utf8'}).stdout?.includes('--html');

describe('replay', {skip: offered ? false : 'this catena has no run --html'}, () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'catena-replay-')), 'crane.html');
  let page;
  before(async () => {
    execFileSync(command, ['run', 'examples/double-pendulum.yaml', '--time', '3', '--html', file], {cwd: root, stdio: 'pipe'});
    page = await openPage(pathToFileURL(file).href);
    await page.context().setOffline(true);
  });
  after(() => page?.context().close());
  const test = (name, body) => it(name, () => withPicture(page, `replay ${name}`, body));

  test('is one small file that shows something', async () => {
    assert.ok(statSync(file).size < 5e6, `${statSync(file).size} bytes`);
    const seen = await lookAt(page);
    assert.ok(seen.colours > 50 && seen.busy > 0.01, `${seen.colours} colours, ${(100 * seen.busy).toFixed(2)} % drawn`);
  });

  test('plays and scrubs', async () => {
    const time = await page.evaluate(() => window.catena.store.status.time);
    if (!await page.evaluate(() => window.catena.store.status.playing)) await page.keyboard.press('Space');
    await until(page, (t) => window.catena.store.status.time !== t, time);
    await page.keyboard.press('Space');
    const before = await lookAt(page);
    await page.evaluate(() => window.catena.source.send({type: 'seek', time: 1.7}));
    await until(page, () => Math.abs(window.catena.frame().time - 1.7) < 0.05);
    assert.notEqual((await lookAt(page)).hash, before.hash);
  });

  test('hides what needs a server, and asks nobody', async () => {
    assert.equal(await page.getByRole('button', {name: 'Undo'}).isVisible().catch(() => false), false);
    assert.deepEqual(page.errors, []);
  });
});
