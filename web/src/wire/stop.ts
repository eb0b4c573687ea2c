// stop.ts - the emergency stop, on a connection of its own that needs no key and is open all the time.
//
// A stop is sent on this connection. If it is not open, or nothing confirms the stop in FALLBACK_MS, it is sent by HTTP
// too: a panic that is raised twice is one panic.
import { signal } from '@preact/signals';

export type Panic = {
  active: boolean;
  epoch: number;
  who: string;
  why: string;
  since: number;
  stopped: boolean;
  ms: number;
  owing: string[];
};

const FALLBACK_MS = 200;
const PING_MS = 15000;
const SOON_MS = 500; // a robot that brakes may take so long
const AGAIN_MS = 50;

export class Stop {
  readonly panic = signal<Panic | null>(null);
  readonly open = signal(false);
  /** What happened to the last stop of this page, in words; empty without one. */
  readonly report = signal('');
  /** The name of a driver for people. */
  nameOf: (driver: string) => string = (driver) => driver;
  readonly pressed = signal(false); // this page raised the panic

  private socket: WebSocket | null = null;
  private pressedAt = 0;
  private delay = 300;
  private fallback = 0;
  private again = 0;
  private late: string[] = []; // drivers that had not stopped when the server confirmed the stop

  constructor(private readonly url: () => string) {
    setInterval(() => this.send({ op: 'ping' }), PING_MS);
  }

  connect(): void {
    const socket = new WebSocket(this.url(), ['troupe.stop.v1']);
    socket.onopen = () => {
      this.open.value = true;
      this.delay = 300;
      this.send({ op: 'state' });
    };
    socket.onmessage = (event) => this.received(JSON.parse(event.data));
    socket.onclose = () => {
      this.open.value = false;
      setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(this.delay * 1.5, 2000);
    };
    this.socket = socket;
  }

  press(why: string): void {
    this.pressedAt = performance.now();
    this.pressed.value = true;
    this.report.value = 'Stopping …';
    this.late = [];
    const sent = this.send({ op: 'panic', why });
    clearTimeout(this.fallback);
    if (sent) {
      this.fallback = setTimeout(() => this.byHttp(why), FALLBACK_MS);
    } else {
      this.byHttp(why);
    }
  }

  private send(message: unknown): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return false;
    }
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private async byHttp(why: string): Promise<void> {
    try {
      const answer = await fetch('/api/panic', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ why }),
        keepalive: true,
        cache: 'no-store',
      });
      const value = await answer.json();
      if (!answer.ok) {
        throw new Error(value.error);
      }
      this.received({ op: 'panic', ...value });
    } catch (error) {
      if (this.pressedAt !== 0) {
        this.report.value = `NOT CONFIRMED: the server does not answer. Use the switch of the robot. (${(error as Error).message})`;
      }
    }
  }

  private async ask(): Promise<void> {
    try {
      const value = await (await fetch('/api/panic', { cache: 'no-store' })).json();
      if (this.pressedAt !== 0 && value.active && !value.stopped) {
        this.received({ op: 'panic', ...value });
      }
    } catch {
      // The stop line tells the end.
    }
  }

  private received(message: any): void {
    if (message.op !== 'panic') {
      return;
    }
    const panic: Panic = { owing: [], ...message, active: !!message.active, stopped: !!message.stopped };
    this.panic.value = panic;
    if (!panic.active) {
      this.pressed.value = false;
      this.pressedAt = 0;
      this.report.value = '';
      return;
    }
    if (this.pressedAt !== 0) {
      clearTimeout(this.fallback);
      const ms = performance.now() - this.pressedAt;
      if (panic.stopped) {
        this.report.value = `Stopped in ${Math.max(1, Math.round(ms))} ms${this.late.length > 0 ? `; last: ${this.late.map(this.nameOf).join(', ')}` : ''}`;
        this.pressedAt = 0;
      } else {
        // Who is the last one is seen by asking again and again.
        this.late = panic.owing;
        this.report.value = `${ms < SOON_MS ? 'Stopping' : 'Not stopped yet'}: ${panic.owing.map(this.nameOf).join(', ')}`;
        clearTimeout(this.again);
        this.again = setTimeout(() => void this.ask(), AGAIN_MS);
      }
    }
  }
}
