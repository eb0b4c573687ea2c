// state.ts - what the page knows of the server: devices, descriptors, rights, and the newest data of what is shown.
import { computed, signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { get, post } from '../wire/api';
import { key, setKey } from '../wire/key';
import { Link } from '../wire/link';
import { Stop } from '../wire/stop';
import { Descriptors } from './descriptors';

export type Device = {
  name: string; // 6665:position2d:0
  robot: number;
  interface: string;
  index: number;
  number: number;
  driver: string;
  label: string;
  data: string[];
  commands: string[];
  requests: string[];
};
export type Right = 'read' | 'write' | 'move' | 'operate';

const scheme = location.protocol === 'https:' ? 'wss' : 'ws';

export const link = new Link(() => `${scheme}://${location.host}/ws?brief=1&lease=1&client=dashboard`);
export const stop = new Stop(() => `${scheme}://${location.host}/stop`);
export const devices = signal<Device[]>([]);
export const descriptors = signal<Descriptors | null>(null);
export const serverInfo = signal<any>(null);
export const right = signal<Right>('move');
export const loadError = signal('');
/** Sentences for the user, newest last. */
export const notes = signal<{ id: number; text: string; bad: boolean }[]>([]);

const MOST_NAMES = 3; // of robots in a sentence
const RIGHTS: Right[] = ['read', 'write', 'move', 'operate'];
let noteNumber = 0;

export function note(text: string, bad = false): void {
  const id = ++noteNumber;
  notes.value = [...notes.peek().filter((old) => old.text !== text).slice(-2), { id, text, bad }];
  setTimeout(() => (notes.value = notes.peek().filter((old) => old.id !== id)), bad ? 9000 : 4000);
}

export function fail(error: unknown): void {
  note((error as Error).message, true);
}

export function may(needed: Right): boolean {
  return RIGHTS.indexOf(right.value) >= RIGHTS.indexOf(needed);
}

/** The short name where the server has one robot: laser:0. */
export const shortNames = computed(() => new Set(devices.value.map((device) => device.robot)).size <= 1);

export function nameOf(device: Device): string {
  return shortNames.value ? `${device.interface}:${device.index}` : device.name;
}

/** The robot that a device belongs to: `nina` for the label nina and nina.eye. Without a label, the name of the device. */
export function robotOf(device: Device): string {
  return device.label.split('.')[0] || nameOf(device);
}

export function topicOf(device: Device, message: string): string {
  return `/${device.robot}/${device.interface}/${device.index}/${message}`;
}

export function findDevice(interf: string, index = 0, robot?: number): Device | undefined {
  return devices.value.find((device) => device.interface === interf && device.index === index && (robot === undefined || device.robot === robot));
}

export function deviceNamed(name: string): Device | undefined {
  return devices.value.find((device) => device.name === name);
}

export function command(device: Device, message: string, value: unknown): boolean {
  return link.publish(topicOf(device, `cmd/${message}`), value ?? null);
}

export function request(device: Device, message: string, value?: unknown): Promise<any> {
  return link.call(topicOf(device, `req/${message}`), value ?? {});
}

/** Whether a request can be made: services of a new connection come in several messages. */
export function canAsk(device: Device | undefined, message: string): boolean {
  return device !== undefined && link.state.value === 'open' && link.services.value.has(topicOf(device, `req/${message}`));
}

export async function refreshServer(): Promise<void> {
  const info = await get('/api/server');
  serverInfo.value = info;
  right.value = info.right;
}

let session = '';

async function load(): Promise<void> {
  try {
    await refreshServer();
    if (descriptors.peek() === null || session !== serverInfo.peek().session) {
      descriptors.value = new Descriptors(await get('/api/interfaces'));
    }
    session = serverInfo.peek().session;
    devices.value = (await get('/api/devices')).devices;
    loadError.value = '';
  } catch (error) {
    loadError.value = (error as Error).message;
  }
}

let reloading = 0;

/** Devices came or went. */
function reloadSoon(): void {
  clearTimeout(reloading);
  reloading = setTimeout(load, 300);
}

export function start(): void {
  link.onOpen = () => {
    if (key.peek() !== '') {
      link.tell({ op: 'auth', key: key.peek() });
    }
    void load();
  };
  link.onAuth = (answer) => {
    if (answer.error) {
      setKey('');
      note(`The key was refused: ${answer.error}`, true);
    } else {
      right.value = answer.right;
      note(`The key is accepted: you may ${answer.right}.`);
    }
  };
  link.onDevices = reloadSoon;
  link.onNote = (message) => message.level > 0 && note(withRobot(message.message), message.level > 1);
  stop.nameOf = robotOfDriver;
  link.connect();
  stop.connect();
}

/** A sentence about a device, with the name of its robot. */
function withRobot(text: string): string {
  const found = devices.peek().find((device) => device.label !== '' && (text.startsWith(`${device.name} `) || text.startsWith(`${device.name}:`) || text.startsWith(`${nameOf(device)} `) || text.startsWith(`${nameOf(device)}:`)));
  return found === undefined ? text : `${robotOf(found)}: ${text}`;
}

/** The robots of a driver's instance: "nina" for robotfile0. */
function robotOfDriver(instance: string): string {
  const all: any[] = serverInfo.peek()?.statistics?.devices ?? [];
  const names = [...new Set(all.filter((one) => one.instance === instance && one.label !== '').map((one) => one.label.split('.')[0]))];
  const shown = names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES - 1).join(', ')} and ${names.length - MOST_NAMES + 1} more` : names.join(', ');
  return names.length === 0 ? instance : `${instance} (${shown})`;
}

export function giveKey(value: string): void {
  setKey(value);
  if (value === '') {
    link.reconnect();
  } else {
    link.tell({ op: 'auth', key: value });
  }
}

/** Programs that a stop has ended; the user is asked whether they run again. */
export const ended = signal<Device[]>([]);

async function findEnded(): Promise<void> {
  const programs = devices.peek().filter((device) => device.interface === 'program');
  const states = await Promise.all(programs.map((device) => request(device, 'STATE').catch(() => null)));
  ended.value = programs.filter((_, i) => states[i]?.phase === 6 && /panic/.test(states[i].error));
}

/** Runs them for the server, as they ran before. */
export function runEnded(): void {
  for (const device of ended.peek()) {
    request(device, 'LAUNCH', { seed: 0, loose: 0, paused: 0, seconds: 0 }).then((matches) => !matches.fits && note(`${robotOf(device)}: ${matches.why}`, true), fail);
  }
  ended.value = [];
}

export async function resetPanic(): Promise<void> {
  try {
    await post('/api/reset', { epoch: stop.panic.peek()?.epoch ?? 0 });
    await findEnded();
  } catch (error) {
    note(`The stop is not reset: ${(error as Error).message}`, true);
  }
}

// ---- The newest data -----------------------------------------------------------------------------

export type Sample = { value: any; time: number; count: number };

type Feed = { sample: Signal<Sample | null>; newest: Sample | null; users: number; end: () => void };

const feeds = new Map<string, Feed>();
const changed = new Set<Feed>();
let frame = 0;

// At most once for each picture of the screen, however fast data comes; never while the page is hidden.
function show(): void {
  frame = 0;
  const list = [...changed];
  changed.clear();
  list.forEach((feed) => (feed.sample.value = feed.newest));
}

function openFeed(topic: string): Feed {
  let feed = feeds.get(topic);
  if (feed === undefined) {
    const made: Feed = { sample: signal(null), newest: null, users: 0, end: () => {} };
    made.end = link.listen(topic, (value, time) => {
      made.newest = { value, time, count: (made.newest?.count ?? 0) + 1 };
      changed.add(made);
      frame ||= requestAnimationFrame(show);
    });
    feeds.set(topic, made);
    feed = made;
  }
  feed.users++;
  return feed;
}

function closeFeed(topic: string, feed: Feed): void {
  if (--feed.users === 0) {
    feed.end();
    feeds.delete(topic);
  }
}

const nothing = signal<Sample | null>(null);

/** The newest message of a device, while the component is there. */
export function useSample(device: Device | undefined, message: string): Signal<Sample | null> {
  const topic = device === undefined ? '' : topicOf(device, message);
  const feed = useMemo(() => (topic === '' ? null : openFeed(topic)), [topic]);
  useEffect(() => () => void (feed !== null && closeFeed(topic, feed)), [topic]);
  return feed?.sample ?? nothing;
}

// ---- Leases ----------------------------------------------------------------------------------------

/** What this page has moved moves no more: its lease ends now. Later, the server would tell its end as a failure of the page. */
export function letGo(device: Device): void {
  request(device, 'HALT').catch(fail);
}

let holders = 0;
let timer = 0;
let beat: Worker | null = null;

function ping(): void {
  if (holders > 0) {
    link.tell({ op: 'ping' });
  }
}

/** Renews the page's leases until the returned function is called. A page that hangs renews nothing. The worker also strikes
 * while the page is hidden; until it is loaded, the page's own timer does. */
export function hold(): () => void {
  let held = true;
  if (holders++ === 0) {
    timer = setInterval(ping, 300);
    beat ??= new Worker(new URL('../parts/beat.ts', import.meta.url), { type: 'module', name: 'beat' });
    beat.onmessage = ping;
  }
  return () => {
    if (held) {
      held = false;
      if (--holders === 0) {
        clearInterval(timer);
      }
    }
  };
}
