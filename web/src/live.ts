// A running simulation, over a WebSocket at the page's own address. Frames are binary, everything else is JSON.
// A lost connection is tried again, ever more slowly, until it is back.
import { decodeFrame } from './frame';
import { SourceBase, type Request } from './source';

const kFirstRetry = 400, kLongestRetry = 5000;  // ms

export class LiveSource extends SourceBase {
  readonly live = true;
  private socket: WebSocket | null = null;
  private retry = kFirstRetry;

  constructor(private readonly address: string) {
    super();
  }

  static fromLocation(location: Location): LiveSource {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const token = new URLSearchParams(location.search).get('token') ?? '';
    return new LiveSource(`${scheme}//${location.host}/ws?token=${encodeURIComponent(token)}`);
  }

  start(): void {
    this.emit('connection', 'connecting');
    const socket = new WebSocket(this.address);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.retry = kFirstRetry;
      this.emit('connection', 'open');
    };
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => {
      this.socket = null;
      this.emit('connection', 'lost');
      setTimeout(() => this.start(), this.retry);
      this.retry = Math.min(kLongestRetry, this.retry * 1.6);
    };
    this.socket = socket;
  }

  send(message: Request): void {
    // what cannot be sent is dropped: the page shows that the connection is lost, and old clicks must not come late
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(data: string | ArrayBuffer): void {
    try {
      if (typeof data !== 'string') {
        this.emit('frame', decodeFrame(data));
        return;
      }
      const message = JSON.parse(data) as { type?: string };
      if (message.type) this.emit(message.type, message);
    } catch (error) {
      this.emit('problem', { type: 'problem', what: 'message', message: `The page could not read a message: ${String(error)}`, before: false });
    }
  }
}
