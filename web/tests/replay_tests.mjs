// A run as one HTML file: it opens from the disk, without a server and without the network, and plays.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, statSync} from 'node:fs';
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

  it('tells in its plots the values of the moment that is shown while it plays', async () => {
    const wide = await openPage(pathToFileURL(file).href, {viewport: {width: 1280, height: 800}});
    const told = () => wide.locator('.plot .keys').first().innerText();
    await until(wide, () => /\d/.test(document.querySelector('.plot .keys')?.textContent ?? ''));
    const before = await told();
    await wide.keyboard.press('Space');
    await until(wide, () => window.catena.store.status.playing && window.catena.store.status.time > 0.5);
    await until(wide, (text) => window.catena.store.status.playing && document.querySelector('.plot .keys').innerText !== text, before);
    await wide.context().close();
  });

  it('shows the motion of the run to the accuracy that it states', async () => {
    const top = file.replace('.html', '-top.html'), csv = top.replace('.html', '.csv');
    execFileSync(command, ['run', 'examples/dzhanibekov.yaml', '--time', '3', '--html', top, '--out', csv, '--record-every', '1'], {cwd: root, stdio: 'pipe'});
    const other = await openPage(pathToFileURL(top).href);
    const lines = readFileSync(csv, 'utf8').trim().split('\n'), rows = new Map(lines.slice(1).map((line) => [Number(line.split(',')[0]), line.split(',').map(Number)]));
    const x = lines[0].split(',').indexOf('wing-nut.x');
    const recorded = await other.evaluate(async () => {
      const { recording } = window.catena.source, out = [];
      for (let k = 0; k < recording.header.chunks.length; ++k) {
        const chunk = await recording.chunk(k), bodies = chunk.poses.length / (7 * chunk.frames);
        for (let i = 0; i < chunk.frames; ++i) out.push([recording.times[recording.firstFrame[k] + i], ...chunk.poses.slice(7 * bodies * i, 7 * bodies * i + 7)]);
      }
      return { frames: out, position: recording.header.position_error, angle: recording.header.angle_error };
    });
    await other.context().close();
    assert.ok(recorded.frames.length > 150, `${recorded.frames.length} frames`);
    for (const [time, px, py, pz, qx, qy, qz, qw] of recorded.frames) {
      const row = rows.get(time);
      assert.ok(row, `a frame at t = ${time} s that the run did not have`);
      const p = [px, py, pz], q = [qw, qx, qy, qz];
      for (let c = 0; c < 3; ++c) assert.ok(Math.abs(p[c] - row[x + c]) <= recorded.position + 1e-6, `t = ${time} s: ${p[c]} m instead of ${row[x + c]} m`);
      // |q - q'| is half the angle between them, for the sign that brings them together
      const sign = q.reduce((sum, value, c) => sum + value * row[x + 3 + c], 0) < 0 ? -1 : 1;
      const angle = 2 * Math.hypot(...q.map((value, c) => sign * value - row[x + 3 + c]));
      assert.ok(angle <= recorded.angle + 1e-6, `t = ${time} s: turned by ${angle} rad`);
    }
  });

  test('hides what needs a server, and asks nobody', async () => {
    assert.equal(await page.getByRole('button', {name: 'Undo'}).isVisible().catch(() => false), false);
    assert.deepEqual(page.errors, []);
  });
});
