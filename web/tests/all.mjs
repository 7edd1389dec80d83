// All tests of the page and of the server, in one process, one browser: node --test tests/all.mjs
//   CATENA=path of the command (default build/dev/catena); CHROMIUM=path of the browser
//   ONLY="page build" node --test tests/all.mjs      these alone
import {after} from 'node:test';
import {closeBrowser} from './browser.mjs';

const files = ['server', 'page', 'build', 'controls', 'phone', 'examples', 'replay', 'gltf'];
const wanted = (process.env.ONLY ?? '').split(/[ ,]+/).filter(Boolean);
for (const file of files) if (wanted.length === 0 || wanted.includes(file)) await import(`./${file}_tests.mjs`);
after(closeBrowser);
