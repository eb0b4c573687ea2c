// drive.ts - drives a vehicle: what keys, stick and gamepad ask for becomes commands, ten times a second.
//
// Nothing is sent while nobody drives. When the last one lets go, the page is hidden or loses the focus, a stop is sent, and HALT
// releases the device: the end of the lease is then nothing that anybody has to hear of.
import { signal } from '@preact/signals';
import { command, fail, link, request, type Device } from '../model/state';

export type Wish = { forward: number; left: number; turn: number }; // each from -1 to 1

const SEND_MS = 100;
const DEAD = 0.15; // of a gamepad's stick
const NONE: Wish = { forward: 0, left: 0, turn: 0 };

const KEYS: Record<string, Partial<Wish>> = {
  ArrowUp: { forward: 1 },
  ArrowDown: { forward: -1 },
  ArrowLeft: { turn: 1 },
  ArrowRight: { turn: -1 },
  w: { forward: 1 },
  s: { forward: -1 },
  a: { turn: 1 },
  d: { turn: -1 },
  q: { left: 1 },
  e: { left: -1 },
};

export class Drive {
  readonly wish = signal<Wish>(NONE);
  readonly pad = signal(''); // name of the gamepad that is used
  speed = { forward: 0.4, turn: 1.2 }; // m/s, rad/s

  private keys = new Set<string>();
  private stick: Wish = NONE;
  private timer = 0;
  private moving = false;
  private hidden = () => this.release();

  /** `padded`: a gamepad drives it. Only one vehicle of a page may have this. */
  constructor(
    readonly device: Device,
    private readonly padded = false,
  ) {
    addEventListener('blur', this.hidden);
    document.addEventListener('visibilitychange', this.hidden);
    this.timer = setInterval(() => this.send(), SEND_MS);
  }

  close(): void {
    this.release();
    this.send();
    clearInterval(this.timer);
    removeEventListener('blur', this.hidden);
    document.removeEventListener('visibilitychange', this.hidden);
  }

  /** A key went down or up; true if it drives. */
  key(event: KeyboardEvent, down: boolean): boolean {
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (KEYS[name] === undefined || (down && (event.ctrlKey || event.altKey || event.metaKey))) {
      return false;
    }
    if (down) {
      this.keys.add(name);
    } else {
      this.keys.delete(name);
    }
    this.changed();
    return true;
  }

  /** The stick on the screen: right and up, each from -1 to 1. */
  push(right: number, up: number): void {
    this.stick = { forward: up, left: 0, turn: -right };
    this.changed();
  }

  release(): void {
    this.keys.clear();
    this.stick = NONE;
    this.changed();
  }

  private padWish(): Wish {
    for (const pad of this.padded && document.hasFocus() ? navigator.getGamepads() : []) {
      const axes = (pad?.axes ?? []).map((axis) => (Math.abs(axis) < DEAD ? 0 : axis));
      if (axes.length >= 2 && (axes[0] !== 0 || axes[1] !== 0 || axes[2])) {
        this.pad.value = pad!.id;
        return { forward: -axes[1], left: -(axes[2] ?? 0), turn: -axes[0] };
      }
    }
    return NONE;
  }

  private sum(): Wish {
    const all = [this.stick, this.padWish(), ...[...this.keys].map((key) => ({ ...NONE, ...KEYS[key] }))];
    const add = (part: keyof Wish) => Math.max(-1, Math.min(1, all.reduce((sum, one) => sum + one[part], 0)));
    return { forward: add('forward'), left: add('left'), turn: add('turn') };
  }

  private changed(): void {
    const wish = this.sum();
    const old = this.wish.peek();
    if (wish.forward !== old.forward || wish.left !== old.left || wish.turn !== old.turn) {
      this.wish.value = wish;
      this.send();
    }
  }

  private send(): void {
    const wish = this.sum();
    const moves = wish.forward !== 0 || wish.left !== 0 || wish.turn !== 0;
    this.wish.value = wish;
    if (!moves && !this.moving) {
      return;
    }
    this.moving = moves;
    command(this.device, 'VEL', {
      vel: { px: wish.forward * this.speed.forward, py: wish.left * this.speed.forward, pa: wish.turn * this.speed.turn },
      state: 1,
    });
    if (!moves && link.state.peek() === 'open') {
      request(this.device, 'HALT').catch((error) => link.state.peek() === 'open' && fail(error));
    }
  }
}
