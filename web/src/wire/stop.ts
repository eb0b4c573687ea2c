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
  confirmed: { driver: string; ms: number }[]; // drivers that did not stop at once, when they had
};

const FALLBACK_MS = 200;
const PING_MS = 15000;
const SOON_MS = 500; // a robot that brakes may take so long
const LATE_MS = 100; // a robot that confirms later does not make the stop of the others slow

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
  private firstMs = 0; // until the first word of the server about the stop

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
    this.firstMs = 0;
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

  /** "Stopped in 12 ms; nina confirmed after 640 ms". */
  private stoppedIn(ms: number, confirmed: Panic['confirmed']): string {
    const late = confirmed.filter((one) => one.ms > LATE_MS);
    const prompt = late.length > 0 ? Math.max(this.firstMs, ...confirmed.filter((one) => one.ms <= LATE_MS).map((one) => one.ms)) : ms;
    const words = late.map((one) => `${this.nameOf(one.driver)} confirmed after ${Math.round(one.ms)} ms`);
    return [`Stopped in ${Math.max(1, Math.round(prompt))} ms`, ...words].join('; ');
  }

  private received(message: any): void {
    if (message.op !== 'panic') {
      return;
    }
    const panic: Panic = { owing: [], confirmed: [], ...message, active: !!message.active, stopped: !!message.stopped };
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
      this.firstMs = this.firstMs || ms;
      if (panic.stopped) {
        this.report.value = this.stoppedIn(ms, panic.confirmed);
        this.pressedAt = 0;
      } else {
        this.report.value = `${ms < SOON_MS ? 'Stopping' : 'Not stopped yet'}: ${panic.owing.map(this.nameOf).join(', ')}`;
      }
    }
  }
}
