// moves.ts - what this page moves by commands of cards. A command has a lease of a second; the page renews it until the user
// stops the device, a stop comes or the connection is lost. So a joint reaches its place, and a gripper keeps its grip. A
// speed has no place to reach: it ends when the user looks at something else than this page.
import { effect, signal } from '@preact/signals';
import { command, descriptors, hold, letGo, link, note, stop, type Device } from './state';

/** Names of the devices that the page keeps moving. */
export const moved = signal<ReadonlySet<string>>(new Set());

let release: (() => void) | null = null;

/** Those of them that were given a speed. */
const speeds = new Map<string, Device>();

const isSpeed = (message: string): boolean => /VEL|SPEED|CAR|CURRENT/.test(message);

function change(names: ReadonlySet<string>): void {
  if (names.size > 0) {
    release ??= hold();
  } else {
    release?.();
    release = null;
  }
  moved.value = names;
}

/** Sends a command. What moves by it moves on until it is there, or is stopped. */
export function move(device: Device, message: string, value: unknown): boolean {
  if (!command(device, message, value)) {
    note('There is no connection to the server.', true);
    return false;
  }
  if (message === 'STOP') {
    halt(device); // the end of its lease is then nothing that anybody has to hear of
  } else if (descriptors.peek()!.message(device.interface, 'command', message)?.effect === 'moves') {
    change(new Set([...moved.peek(), device.name]));
    if (isSpeed(message)) {
      speeds.set(device.name, device);
    } else {
      speeds.delete(device.name);
    }
  }
  return true;
}

/** It does not move any more, or others move it. */
export function forget(device: Device): void {
  speeds.delete(device.name);
  if (moved.peek().has(device.name)) {
    change(new Set([...moved.peek()].filter((name) => name !== device.name)));
  }
}

export function halt(device: Device): void {
  forget(device);
  letGo(device);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    [...speeds.values()].forEach(halt);
  }
});

effect(() => {
  if (stop.panic.value?.active || link.state.value !== 'open') {
    speeds.clear();
    change(new Set());
  }
});
