// A WebSocket client of our own over a plain socket. Ours, because the tests must be able to do what a well-behaved
// client never does: lie about Host and Origin, send half a frame, claim a length of gigabytes, stop reading, vanish.
import {randomBytes} from 'node:crypto';
import net from 'node:net';

const kTimeout = 5000; // ms, for every answer we wait for

// One request, answered or refused: {status, head, socket, rest}. `rest`: bytes that followed the head.
export function upgrade(address, {path = '/ws', token = address.token, host, origin, headers = {}} = {}) {
  const query = token === null ? '' : `?token=${token}`;
  const lines = [
    `GET ${path}${query} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host ?? `127.0.0.1:${address.port}`}`]),
    'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    ...(origin === null ? [] : [`Origin: ${origin ?? `http://127.0.0.1:${address.port}`}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return request(address, `${lines.join('\r\n')}\r\n\r\n`);
}

// Sends text as it is and reads the head of the answer; status 0: the server closed without one.
export function request(address, text) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(address.port, '127.0.0.1', () => socket.write(text));
    let received = Buffer.alloc(0);
    const timer = setTimeout(() => { socket.destroy(); reject(new Error('no answer in 5 s')); }, kTimeout);
    const finish = (status, head, rest) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => {});
      resolve({status, head, socket, rest});
    };
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = received.subarray(0, end).toString();
      finish(Number(head.split(' ')[1]), head, received.subarray(end + 4));
    });
    socket.on('error', () => finish(0, '', Buffer.alloc(0)));
    socket.on('close', () => finish(0, '', Buffer.alloc(0)));
  });
}

// The bytes of a frame as a client sends it; `length` and `masked` may lie.
export function frame(payload, {opcode = 1, final = true, masked = true, length} = {}) {
  const body = Buffer.from(payload);
  const claimed = length ?? body.length;
  const head = [(final ? 0x80 : 0) | opcode];
  const mask = masked ? 0x80 : 0;
  if (claimed < 126) head.push(mask | claimed);
  else if (claimed < 65536) head.push(mask | 126, claimed >> 8, claimed & 255);
  else {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(claimed));
    head.push(mask | 127, ...size);
  }
  if (!masked) return Buffer.concat([Buffer.from(head), body]);
  // a key of zeros hides nothing and is allowed; it spares the work on what is huge
  const key = body.length > 1e5 ? Buffer.alloc(4) : randomBytes(4);
  const hidden = body.length > 1e5 ? body : Buffer.from(body.map((byte, i) => byte ^ key[i & 3]));
  return Buffer.concat([Buffer.from(head), key, hidden]);
}

// A client that is let in. It keeps the last message of every type and counts what arrives.
export class Client {
  static async open(address, options) {
    const answer = await upgrade(address, options);
    if (answer.status !== 101) throw new Error(`not let in: ${answer.status} ${answer.head}`);
    return new Client(answer);
  }

  constructor({socket, rest}) {
    this.socket = socket;
    this.last = {};        // the newest message, by type
    this.frames = 0;       // binary frames received
    this.bytes = 0;
    this.closed = false;
    this.buffer = rest;
    this.waiting = [];     // [{wanted, resolve}]
    socket.on('data', (bytes) => { this.bytes += bytes.length; this.buffer = Buffer.concat([this.buffer, bytes]); this.#read(); });
    socket.on('close', () => { this.closed = true; });
    socket.on('error', () => { this.closed = true; });
    this.#read();
  }

  send(message) { this.socket.write(frame(JSON.stringify(message))); }
  sendRaw(bytes) { this.socket.write(bytes); }
  pauseReading() { this.socket.pause(); }
  vanish() { this.socket.resetAndDestroy?.() ?? this.socket.destroy(); }
  close() { this.socket.end(frame([3, 232], {opcode: 8})); }

  // The next message that `wanted` accepts: a type, or a function of the message.
  next(wanted, within = kTimeout) {
    const accepts = typeof wanted === 'string' ? (message) => message.type === wanted : wanted;
    return new Promise((resolve, reject) => {
      const entry = {accepts, resolve};
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== entry);
        reject(new Error(`no ${typeof wanted === 'string' ? wanted : 'such message'} in ${within} ms`));
      }, within);
      entry.resolve = (message) => { clearTimeout(timer); resolve(message); };
      this.waiting.push(entry);
    });
  }

  // The newest message of a type, when there is one already.
  async newest(type) { return this.last[type] ?? this.next(type); }

  // Sends with an id and waits for the reply to it.
  async ask(message) {
    const id = Client.#count++;
    const reply = this.next((answer) => answer.type === 'reply' && answer.id === id);
    this.send({...message, id});
    return reply;
  }

  async closing(within = kTimeout) {
    for (const end = Date.now() + within; Date.now() < end && !this.closed;) await new Promise((go) => setTimeout(go, 20));
    return this.closed;
  }

  static #count = 1;

  #read() {
    while (this.buffer.length >= 2) {
      let size = this.buffer[1] & 127;
      let at = 2;
      if (size === 126) { if (this.buffer.length < 4) return; size = this.buffer.readUInt16BE(2); at = 4; }
      else if (size === 127) { if (this.buffer.length < 10) return; size = Number(this.buffer.readBigUInt64BE(2)); at = 10; }
      if (this.buffer.length < at + size) return;
      this.#piece(this.buffer[0], this.buffer.subarray(at, at + size));
      this.buffer = this.buffer.subarray(at + size);
    }
  }

  // A message may come in pieces: the first names its kind, the last has the topmost bit.
  #piece(first, payload) {
    const opcode = first & 15;
    if (opcode >= 8) { this.#take(opcode, payload); return; }
    if (opcode !== 0) { this.kind = opcode; this.pieces = []; }
    this.pieces.push(Buffer.from(payload));
    if (first & 0x80) this.#take(this.kind, Buffer.concat(this.pieces));
  }

  #take(opcode, payload) {
    if (opcode === 2) { this.frames++; this.lastFrame = Buffer.from(payload); return; }
    if (opcode === 8) { this.closed = true; this.socket.end(); return; }
    if (opcode === 9) { this.socket.write(frame(payload, {opcode: 10})); return; }
    if (opcode !== 1) return;
    const message = JSON.parse(payload.toString());
    this.last[message.type] = message;
    const ready = this.waiting.filter((entry) => entry.accepts(message));
    this.waiting = this.waiting.filter((entry) => !ready.includes(entry));
    for (const entry of ready) entry.resolve(message);
  }
}
