// The server against clients that are foreign, rude, slow, many, or gone. After each of them the simulation must go on.
import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {setTimeout as wait} from 'node:timers/promises';
import {Client, frame, request, upgrade} from './socket.mjs';
import {startServer} from './server.mjs';

describe('server', () => {
  let server;
  let watcher; // a client that behaves, and sees whether time goes on

  before(async () => {
    server = await startServer('examples/crane.yaml');
    watcher = await Client.open(server);
    await watcher.newest('structure');
    watcher.send({type: 'play'});
    await watcher.next((message) => message.type === 'status' && message.playing);
  });
  after(async () => {
    watcher?.vanish();
    await server?.stop();
  });

  // The law behind all of these tests: time advances, and at a pace; the process is alive and answers.
  async function assertTimeGoesOn() {
    assert.ok(server.running(), `the server ended:\n${server.output()}`);
    const start = (await watcher.next('status')).time;
    const frames = watcher.frames;
    await watcher.next((message) => message.type === 'status' && message.time > start, 3000);
    assert.ok(!watcher.closed);
    await watcher.next('status');
    assert.ok(watcher.frames > frames, 'pictures are still streamed');
  }

  // ---------------------------------------------------------------- who is let in
  const refused = async (options) => {
    const answer = await upgrade(server, options);
    answer.socket.destroy();
    assert.ok(answer.status === 0 || (answer.status >= 400 && answer.status < 500), `was answered ${answer.status}`);
  };

  it('lets its own page in', async () => {
    const answer = await upgrade(server);
    answer.socket.destroy();
    assert.equal(answer.status, 101);
  });

  it('refuses a foreign Origin, and what only looks like its own', async () => {
    const own = `http://127.0.0.1:${server.port}`;
    for (const origin of ['http://evil.example', 'null', `${own}.evil.example`, `https://127.0.0.1:${server.port}`, `http://127.0.0.1:${server.port + 1}`])
      await refused({origin}).catch((error) => { throw new Error(`Origin '${origin}' ${error.message}`); });
    const program = await upgrade(server, {origin: null});   // no browser, hence no Origin: the token decides
    program.socket.destroy();
    assert.equal(program.status, 101);
    await assertTimeGoesOn();
  });

  it('refuses a foreign Host on the socket and on the page, so that names bound to 127.0.0.1 gain nothing', async () => {
    for (const host of ['evil.example', `evil.example:${server.port}`, `127.0.0.1.evil.example:${server.port}`, `127.0.0.1:${server.port}@evil.example`, '']) {
      await refused({host});
      const page = await request(server, `GET /?token=${server.token} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      page.socket.destroy();
      assert.ok(page.status === 0 || page.status >= 400, `Host '${host}' was answered ${page.status}`);
    }
    await refused({host: null});
  });

  it('refuses a missing, a wrong, a shortened and a lengthened token', async () => {
    const wrong = [...server.token].reverse().join('');
    for (const token of [null, '', wrong, server.token.slice(1), server.token.slice(0, -1), `${server.token}0`]) await refused({token});
    await assertTimeGoesOn();
  });

  it('serves nothing but its table: no paths, no other methods', async () => {
    const host = `Host: 127.0.0.1:${server.port}\r\nConnection: close`;
    for (const target of ['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/etc/passwd', '/assets/../../CMakeLists.txt', '/..%5c..%5cetc', '/nothing']) {
      const answer = await request(server, `GET ${target}?token=${server.token} HTTP/1.1\r\n${host}\r\n\r\n`);
      answer.socket.destroy();
      assert.ok(answer.status === 0 || answer.status >= 400, `${target} was answered ${answer.status}`);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'CONNECT', 'BREW']) {
      const answer = await request(server, `${method} / HTTP/1.1\r\n${host}\r\nContent-Length: 0\r\n\r\n`);
      answer.socket.destroy();
      assert.ok(answer.status === 0 || answer.status >= 400, `${method} was answered ${answer.status}`);
    }
  });

  // ---------------------------------------------------------------- what they say
  it('answers messages it does not understand with a reason and keeps the connection', async () => {
    const client = await Client.open(server);
    const bad = ['', '{', 'null', '[]', '42', '"play"', '{}', '{"type":7}', '{"type":"fly"}', '{"type":"seek"}', '{"type":"seek","time":"soon"}', '{"type":"seek","time":1e400}',
      '{"type":"grab","body":99999,"local":[0,0,0],"target":[0,0,0]}', '{"type":"grab","body":-2,"local":[0],"target":{}}', '{"type":"drag","target":[null,0,0]}',
      '{"type":"speed","value":-1}', '{"type":"step","count":1e18}', '{"type":"edit"}', '{"type":"edit","op":"add-body"}', '{"type":"edit","op":"delete","name":"nobody"}',
      '{"type":"edit","op":"connect","kind":"hinge","a":{"body":"x"},"b":7}', '{"type":"example","name":"../../etc/passwd"}', '{"type":"load","text":"bodies: ["}',
      '{"type":"parameter","name":"links","value":"1e9"}', '{"type":"targets","poses":{"x":[1]}}', '['.repeat(5000), `{"type":"load","text":"${'[ '.repeat(20000)}"}`, '{"type":"undo"}', '\u0000\ufffd'];
    for (const text of bad) client.sendRaw(frame(text));
    const reply = await client.ask({type: 'seek', time: 'soon'});
    assert.equal(reply.ok, false);
    assert.ok(reply.message.length > 10, `says why: '${reply.message}'`);
    assert.ok(!client.closed);
    client.vanish();
    watcher.send({type: 'speed', value: 1});
    watcher.send({type: 'play'});
    await assertTimeGoesOn();
  });

  it('survives frames that break the protocol; each ends its own connection only', async () => {
    const text = '{"type":"play"}';
    const rude = {
      'not masked': frame(text, {masked: false}),
      'reserved opcode': frame(text, {opcode: 11}),
      'reserved bits': Buffer.concat([Buffer.from([0xf1]), frame(text).subarray(1)]),
      'long ping': frame('x'.repeat(200), {opcode: 9}),
      'continuation of nothing': frame(text, {opcode: 0}),
      'text that is not UTF-8': frame(Buffer.from([0xc3, 0x28, 0xff])),
      'half a frame': frame(text).subarray(0, 5),
      'no WebSocket at all': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      'noise': Buffer.from(Array.from({length: 4096}, (_, i) => (i * 2654435761) >>> 24)),
      'binary': frame(Buffer.alloc(1000, 7), {opcode: 2}),
    };
    const clients = [];
    for (const bytes of Object.values(rude)) {
      const client = await Client.open(server);
      client.sendRaw(bytes);
      clients.push(client);
    }
    await wait(200);
    await assertTimeGoesOn();
    for (const client of clients) client.vanish();
  });

  it('closes on frames that are too large, whether claimed, sent or in pieces', async () => {
    const claimed = await Client.open(server);
    claimed.sendRaw(frame('{"type":', {length: 2 ** 40}));
    assert.ok(await claimed.closing(), 'a terabyte was waited for');
    const sent = await Client.open(server);
    sent.sendRaw(frame('x'.repeat(80_000_000)));
    assert.ok(await sent.closing(), 'eighty megabytes were taken');
    const pieces = await Client.open(server);
    pieces.sendRaw(frame('x'.repeat(1000), {final: false}));
    for (let i = 0; i < 80 && !pieces.closed; ++i) pieces.sendRaw(frame('y'.repeat(1_000_000), {opcode: 0, final: false}));
    assert.ok(await pieces.closing(), 'eighty megabytes in pieces were taken');
    await assertTimeGoesOn();
  });

  it('a request that never ends and one with endless headers hold nothing up', async () => {
    const never = await new Promise((resolve) => { import('node:net').then(({default: net}) => { const socket = net.connect(server.port, '127.0.0.1', () => { socket.write('GET / HT'); resolve(socket); }); }); });
    never.on('error', () => {});
    const endless = await request(server, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${'X-Filler: 0123456789\r\n'.repeat(20000)}\r\n`).catch(() => ({status: 0}));
    assert.notEqual(endless.status, 200);
    endless.socket?.destroy();
    await assertTimeGoesOn();
    never.destroy();
  });

  // ---------------------------------------------------------------- how many, how slow, how abrupt
  it('serves or turns away 50 clients at once, and the simulation keeps its pace', async () => {
    const opened = await Promise.allSettled(Array.from({length: 50}, () => Client.open(server)));
    const clients = opened.filter((one) => one.status === 'fulfilled').map((one) => one.value);
    for (const one of opened) if (one.status === 'rejected') assert.match(one.reason.message, /not let in: (503|429|0)/);
    assert.ok(clients.length >= 8, `only ${clients.length} were let in`);
    await wait(600);
    assert.ok(clients.every((client) => client.frames > 0 || client.closed), 'everyone who is in sees pictures');
    await assertTimeGoesOn();
    for (const client of clients) client.vanish();
    await assertTimeGoesOn();
  });

  it('a client that does not read loses frames, not the others', async () => {
    const slow = await Client.open(server);
    slow.pauseReading();
    const before = watcher.frames;
    const from = Date.now();
    await wait(1500);
    const rate = (watcher.frames - before) / ((Date.now() - from) / 1000);
    assert.ok(rate > 10, `the others get ${rate.toFixed(0)} frames per second`);
    const memory = await residentMegabytes(server.process.pid);
    assert.ok(memory < 500, `the server holds ${memory} MB`);
    await assertTimeGoesOn();
    slow.vanish();
  });

  it('abrupt ends, also in the middle of a drag, leave nothing behind', async () => {
    for (let round = 0; round < 10; ++round) {
      const client = await Client.open(server);
      client.send({type: 'grab', body: 0, local: [0, 0, 0], target: [1, 1, 1]});
      client.send({type: 'drag', target: [2, 2, 2]});
      await wait(20);
      if (round % 2) client.sendRaw(frame('{"type":"drag"').subarray(0, 6));
      client.vanish();
    }
    await assertTimeGoesOn();
    const status = await watcher.next('status');
    assert.ok(!status.hand, 'the hand of a client that is gone has let go');
  });

  it('listens on loopback only', async () => {
    const {networkInterfaces} = await import('node:os');
    const outside = Object.values(networkInterfaces()).flat().find((one) => one.family === 'IPv4' && !one.internal);
    if (!outside) return;
    const {default: net} = await import('node:net');
    const reached = await new Promise((resolve) => {
      const socket = net.connect({port: server.port, host: outside.address, timeout: 500}, () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('timeout', () => resolve(false));
    });
    assert.equal(reached, false);
  });
});

async function residentMegabytes(pid) {
  const {readFile} = await import('node:fs/promises');
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
