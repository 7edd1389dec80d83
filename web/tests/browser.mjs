// One Chromium for all tests; pages that collect what goes wrong in them, and take a picture of it.
import {mkdirSync} from 'node:fs';
import path from 'node:path';
import {chromium} from 'playwright-core';
import {root} from './server.mjs';

const kFlags = ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const kPatience = 10000;   // ms; generous, because software draws and other work may go on beside the tests
export const pictures = path.join(root, 'build/page-tests');

let browser;
export async function theBrowser() {
  browser ??= await chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kFlags});
  return browser;
}
export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}

// A page with `errors`: messages of the console that are errors, exceptions, and requests to anywhere but its own server.
export async function openPage(url, {viewport = {width: 800, height: 500}, touch = false, colorScheme = 'light', quality = 'low', wait = true} = {}) {
  const context = await (await theBrowser()).newContext({viewport, hasTouch: touch, colorScheme, reducedMotion: 'reduce', acceptDownloads: true});
  // the page as `npm run build` left it, instead of the one that is in the command
  if (process.env.CATENA_PAGE) for (const file of ['page.js', 'page.css']) await context.route(`**/${file}*`, (route) => route.fulfill({path: path.resolve(process.env.CATENA_PAGE, file)}));
  const page = await context.newPage();
  page.errors = [];
  page.on('console', (message) => { if (message.type() === 'error') page.errors.push(message.text()); });
  page.on('pageerror', (error) => page.errors.push(String(error.stack ?? error)));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (!['data:', 'blob:', 'file:'].includes(asked.protocol) && asked.hostname !== '127.0.0.1') page.errors.push(`asks ${request.url()}`);
  });
  page.setDefaultTimeout(kPatience);
  await page.goto(`${url}${url.includes('?') ? '&' : '?'}quality=${quality}`);
  if (wait) await page.waitForFunction(() => window.catena?.store?.structure && window.catena.frame(), null, {timeout: 2 * kPatience});
  return page;
}

// Runs a test on a page; a failure leaves build/page-tests/NAME.png.
export async function withPicture(page, name, test) {
  try {
    await test();
  } catch (error) {
    mkdirSync(pictures, {recursive: true});
    const file = path.join(pictures, `${name.replace(/[^a-z0-9]+/gi, '-')}.png`);
    await page.screenshot({path: file}).catch(() => {});
    error.message += `\n(picture: ${path.relative(root, file)}; console: ${page.errors.join('; ') || 'no errors'})`;
    throw error;
  }
}

// The canvas as the page shows it: how many different colours, and how much of it differs from the most common one.
export async function lookAt(page, box) {
  const clip = box ?? await page.locator('canvas').first().boundingBox();
  const png = await page.screenshot({clip});
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    const counts = new Map();
    for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    return {colours: counts.size, busy: 1 - Math.max(...counts.values()) / pixels.length, hash: pixels.reduce((sum, pixel) => (Math.imul(sum, 31) + pixel) | 0, 7)};
  }, png.toString('base64'));
}

// What the page knows, as plain data.
export const state = (page) => page.evaluate(() => {
  const {structure, status, mode, selection, theme, view} = window.catena.store;
  return {structure, status, mode, selection, theme, view};
});
export const pose = (page, body) => page.evaluate((i) => [...window.catena.frame().poses.slice(7 * i, 7 * i + 7)], body);
export const project = (page, point) => page.evaluate((p) => window.catena.project(p), point);
export const until = (page, condition, argument, timeout = kPatience) => page.waitForFunction(condition, argument, {timeout});

// A drag with the mouse in a few moves, as a hand does it.
export async function drag(page, from, to, {steps = 6, hold = false} = {}) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, {steps});
  if (!hold) await page.mouse.up();
}
