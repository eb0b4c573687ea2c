// moves.ts - what this page moves by commands of cards. A command has a lease of a second; the page renews it until the user
// stops the device, a stop comes or the connection is lost. So a joint reaches its place, and a gripper keeps its grip.
import { effect, signal } from '@preact/signals';
import { command, descriptors, fail, hold, link, note, request, stop, type Device } from './state';

/** Names of the devices that the page keeps moving. */
export const moved = signal<ReadonlySet<string>>(new Set());

let release: (() => void) | null = null;

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
  }
  return true;
}

/** It does not move any more, or others move it. */
export function forget(device: Device): void {
  if (moved.peek().has(device.name)) {
    change(new Set([...moved.peek()].filter((name) => name !== device.name)));
  }
}

export function halt(device: Device): void {
  forget(device);
  request(device, 'HALT').catch(fail);
}

effect(() => {
  if (stop.panic.value?.active || link.state.value !== 'open') {
    change(new Set());
  }
});
