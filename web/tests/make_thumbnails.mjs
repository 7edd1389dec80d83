// Makes the pictures of the gallery from runs: each example is opened in the page, runs for a moment, and is photographed.
//   CATENA=build/catena node web/tests/make_thumbnails.mjs      writes src/build/thumbnails.webp and thumbnails.ts
// Run it when an example is added or looks different; the page works without (the card is then without a picture).
import {readdirSync, statSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {closeBrowser, openPage, until} from './browser.mjs';
import {root, startServer} from './server.mjs';

const kWidth = 192, kHeight = 120, kPerRow = 8;   // px of a picture, pictures side by side
const kQuality = 0.72;
const kMoment = 0.7;                              // s into the run: it has left its start, and is still in view

const names = readdirSync(path.join(root, 'examples')).filter((file) => file.endsWith('.yaml')).map((file) => file.slice(0, -5)).sort();
const server = await startServer('examples/pendulum-a01.yaml');
const page = await openPage(server.url, {viewport: {width: 760, height: 620}, colorScheme: 'light', quality: 'high'});
// only the model, nothing that lies over it
await page.evaluate(() => { for (const part of document.querySelectorAll('.view-tools, .corner, .problems, .problem, .toast, .toasts, .notes')) part.style.display = 'none'; });
await page.evaluate(([width, height, perRow, count]) => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * perRow, height * Math.ceil(count / perRow)];
  window.sheet = canvas;
}, [kWidth, kHeight, kPerRow, names.length]);

for (const [index, name] of names.entries()) {
  const {ok, message} = await page.evaluate((n) => window.catena.store.ask({type: 'example', name: n}), name);
  if (!ok) throw new Error(`${name}: ${message}`);
  await page.evaluate(() => window.catena.source.send({type: 'play'}));
  await until(page, (t) => window.catena.store.status.live && window.catena.store.status.time > t, kMoment, 20000).catch(() => console.log(`${name}: slow, taken early`));
  await page.evaluate(() => window.catena.source.send({type: 'pause'}));
  await page.evaluate(() => window.catena.viewer.fit());
  await page.waitForTimeout(700);
  // the middle of the stage, in the proportions of a card
  const stage = await page.locator('canvas').first().boundingBox();
  const scale = Math.min(stage.width / kWidth, stage.height / kHeight);
  const clip = {x: stage.x + (stage.width - kWidth * scale) / 2, y: stage.y + (stage.height - kHeight * scale) / 2, width: kWidth * scale, height: kHeight * scale};
  const png = (await page.screenshot({clip})).toString('base64');
  await page.evaluate(async ([data, x, y, width, height]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const context = window.sheet.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, x, y, width, height);
  }, [png, (index % kPerRow) * kWidth, Math.floor(index / kPerRow) * kHeight, kWidth, kHeight]);
  console.log(name);
}

const url = await page.evaluate((quality) => window.sheet.toDataURL('image/webp', quality), kQuality);
const folder = path.join(root, 'web/src/build');
writeFileSync(path.join(folder, 'thumbnails.webp'), Buffer.from(url.split(',')[1], 'base64'));
writeFileSync(path.join(folder, 'thumbnails.ts'), `// Made by tests/make_thumbnails.mjs from runs of the examples; thumbnails.webp holds the pictures in this order.
export const kTileWidth = ${kWidth}, kTileHeight = ${kHeight}, kTilesPerRow = ${kPerRow};   // px
export const kThumbnails: string[] = [
${names.map((name) => `  '${name}',`).join('\n')}
];
`);
console.log(`${names.length} pictures, ${statSync(path.join(folder, 'thumbnails.webp')).size} bytes`);
await closeBrowser();
await server.stop();
