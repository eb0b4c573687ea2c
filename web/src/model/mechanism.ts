// mechanism.ts - a robot that plays timed motion: the packages of docs/motion-protocol.md, through the device `mechanism`.
import { signal } from '@preact/signals';
import { hold, link, may, request, serverInfo, topicOf, type Device } from './state';

export type Dof = { type: number; servo: number; mimics: boolean; axis: number[]; lower: number; upper: number };
export type Joint = { name: string; parent: number; child: number; first: number; dofs: Dof[]; inboard: number[]; outboard: number[]; rest: number[] };
export type Description = { name: string; joints: Joint[]; links: string[]; root: number; dofs: number };
export type Queues = { command: number; playback: number; back: number; rate: number; robotRate: number; played: number; late: number; longest: number; dropped: number; skipped: number };
export type Holder = { joint: number; dof: number; label: string };
export const MODES = ['direct', 'delay', 'playback', '', 'adaptive'];

const NO_LIMIT = 2 ** 62;
const POLL_MS = 250;
const AGAIN_MS = 1000; // to the next try of joining
const MOST_WORDS = 4;
export const OWN_NAME = 'dashboard';

class Writer {
  private bytes: number[] = [];

  u8(value: number): this {
    this.bytes.push(value & 255);
    return this;
  }
  u16(value: number): this {
    return this.u8(value >> 8).u8(value);
  }
  u32(value: number): this {
    return this.u16(value >>> 16).u16(value & 65535);
  }
  i64(value: number): this {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigInt64(0, BigInt(Math.round(value)));
    for (let i = 0; i < 8; i++) {
      this.u8(view.getUint8(i));
    }
    return this;
  }
  zero(count: number): this {
    for (let i = 0; i < count; i++) {
      this.u8(0);
    }
    return this;
  }
  put(bytes: number[]): this {
    this.bytes.push(...bytes);
    return this;
  }
  done(): number[] {
    return this.bytes;
  }
}

class Reader {
  private view: DataView;
  at = 0;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  u8(): number {
    return this.view.getUint8(this.at++);
  }
  u16(): number {
    this.at += 2;
    return this.view.getUint16(this.at - 2);
  }
  u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4);
  }
  i64(): number {
    this.at += 8;
    return Number(this.view.getBigInt64(this.at - 8));
  }
  micro(): number {
    const value = this.i64();
    return Math.abs(value) >= NO_LIMIT ? Math.sign(value) * Infinity : value / 1e6;
  }
  list(count: number, scale: number): number[] {
    return Array.from({ length: count }, () => this.i64() / scale);
  }
  text(length: number): string {
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length)).replace(/\0+$/, '');
    this.at += length;
    return text;
  }
}

function record(code: number, tag: number, body: number[]): number[] {
  return new Writer().u16(code).u16(body.length).u32(tag).put(body).done();
}

function pack(kind: number, records: number[][], mode = 0, time = 0, sequence = 0): number[] {
  const payload = records.flat();
  return new Writer().u8(0x52).u8(0x54).u8(1).u8(0).u8(kind).u8(mode).u16(records.length).u32(1).u32(payload.length).i64(time).u32(sequence).u32(0).put(payload).done();
}

function readDof(reader: Reader): Dof {
  const [type, servo, mimics] = [reader.u8(), reader.u8(), reader.u8()];
  reader.at += 5;
  const axis = reader.list(3, 1e9);
  const [lower, upper] = [reader.micro(), reader.micro()];
  reader.at += 24;
  return { type, servo, mimics: mimics !== 0, axis, lower, upper };
}

function readJoint(reader: Reader, size: number): Joint {
  const end = reader.at + size;
  const name = reader.text(32);
  const [parent, child, first, count] = [reader.u16(), reader.u16(), reader.u16(), reader.u8()];
  reader.at++;
  const joint = { name, parent, child, first, inboard: reader.list(3, 1e6), outboard: reader.list(3, 1e6), rest: reader.list(9, 1e9), dofs: [] as Dof[] };
  for (let i = 0; i < count; i++) {
    joint.dofs.push(readDof(reader));
  }
  reader.at = end;
  return joint;
}

export class Mechanism {
  readonly description = signal<Description | null>(null);
  readonly state = signal<any>(null);
  readonly queues = signal<Queues | null>(null);
  readonly holders = signal<Holder[]>([]);
  readonly words = signal<{ text: string; bad: boolean; count: number }[]>([]); // what the robot answered to the last action
  /** Commands take joints from other clients. */
  readonly takes = signal(false);
  readonly error = signal('');
  /** What happened in the last seconds, for the timeline. */
  readonly past: { time: number; frames: number; rate: number; dofs: number[] }[] = [];

  private token = [...crypto.getRandomValues(new Uint8Array(16))];
  private ends: (() => void)[] = [];
  private sizes = { joint: 592, link: 0 };
  private answers = new Map<number, (reader: Reader) => void>();
  private tag = 1;
  private timer = 0;
  private closed = false;
  private release: () => void = () => {};

  constructor(readonly device: Device) {}

  async open(): Promise<void> {
    this.ends.push(link.listen(topicOf(this.device, 'STATE'), (value, time) => this.took(value, time)));
    await this.join();
  }

  /** A robot that cannot be joined, for example in a panic, is asked again. */
  private async join(): Promise<void> {
    try {
      await request(this.device, may('move') ? 'JOIN' : 'WATCH', { token: this.token, name: OWN_NAME, lease: 0 });
      await this.describe();
      this.error.value = '';
      this.poll();
    } catch (error) {
      this.error.value = (error as Error).message;
      if (!this.closed) {
        this.timer = setTimeout(() => void this.join(), AGAIN_MS);
      }
    }
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.release();
    this.ends.forEach((end) => end());
    request(this.device, 'LEAVE', { token: this.token }).catch(() => {});
  }

  private took(value: any, time: number): void {
    if (this.state.peek()?.panicked && !value.panicked) {
      this.words.value = []; // they were about the panic
    }
    this.state.value = value;
    this.past.push({ time, frames: value.frames, rate: value.rate, dofs: value.dofs });
    if (this.past.length > 600) {
      this.past.splice(0, 100);
    }
  }

  // ---- Packages ------------------------------------------------------------------------------------

  private async send(message: 'ASK' | 'PLAY', bytes: number[]): Promise<void> {
    const operates = message === 'PLAY' && this.takes.peek() ? 1 : 0;
    if (message === 'PLAY') {
      this.words.value = [];
    }
    await request(this.device, message, { token: this.token, arrived: 0, operates, bytes });
  }

  /** Whether commands take joints from other clients, for example from a sequence. */
  async take(on: boolean): Promise<void> {
    if (on) {
      await request(this.device, 'PROMOTE', { token: this.token });
    }
    this.takes.value = on;
  }

  /** Whether this page may take joints from others. */
  mayTake(): boolean {
    return !!serverInfo.value?.operates;
  }

  /** Clients that hold joints, without this page. */
  others(): string[] {
    return [...new Set(this.holders.value.map((one) => one.label).filter((label) => label !== OWN_NAME))];
  }

  private say(text: string, bad: boolean): void {
    const words = this.words.peek();
    const same = words.find((word) => word.text === text);
    this.words.value = same !== undefined ? words.map((word) => (word === same ? { ...word, count: word.count + 1 } : word)) : [...words.slice(1 - MOST_WORDS), { text, bad, count: 1 }];
  }

  private async fetch(): Promise<void> {
    const got = await request(this.device, 'TAKE', { token: this.token });
    const bytes = Uint8Array.from(got.bytes);
    const reader = new Reader(bytes);
    while (reader.at + 8 <= bytes.length) {
      const [code, length, tag] = [reader.u16(), reader.u16(), reader.u32()];
      this.received(code, tag, bytes.subarray(reader.at, reader.at + length));
      reader.at += length;
    }
  }

  private received(code: number, tag: number, body: Uint8Array): void {
    const reader = new Reader(body);
    if (code === 0x8001) {
      const names = ['done', 'changed', 'not there', 'busy', 'interrupted', 'refused', 'panic'];
      const signal = reader.u8();
      reader.at = 32;
      const text = reader.text(reader.u16());
      if (signal > 0) {
        this.say(`${names[signal] ?? signal}${text === '' ? '' : `: ${text}`}`, signal > 1);
      }
    } else if (code === 0x8002) {
      reader.at = 8;
      const [frames, played, late] = [reader.u32(), reader.u32(), reader.u32()];
      this.say(`sequence: ${played} of ${frames} frames played, ${late} late`, false);
    }
    this.answers.get(tag)?.(reader);
    this.answers.delete(tag);
  }

  private async ask(code: number, body: number[] = []): Promise<Reader> {
    const tag = ++this.tag;
    let answer: Reader | null = null;
    this.answers.set(tag, (reader) => (answer = reader));
    await this.send('ASK', pack(1, [record(code, tag, body)]));
    for (let i = 0; answer === null && i < 50 && !this.closed; i++) {
      await this.fetch();
      if (answer === null) {
        await new Promise((done) => setTimeout(done, 20));
      }
    }
    if (answer === null) {
      throw new Error(`${this.device.name} does not answer the question ${code.toString(16)}`);
    }
    return answer;
  }

  private async describe(): Promise<void> {
    const reader = await this.ask(0x0401);
    const name = reader.text(32);
    const [joints, links, , dofs, jointSize, linkSize, , root] = Array.from({ length: 8 }, () => reader.u16());
    this.sizes = { joint: jointSize, link: linkSize };
    const found: Joint[] = [];
    while (found.length < joints) {
      const page = await this.ask(0x0402, new Writer().u16(found.length).u16(joints).done());
      page.u16();
      const count = page.u16();
      for (let i = 0; i < count; i++) {
        found.push(readJoint(page, this.sizes.joint));
      }
      if (count === 0) {
        break;
      }
    }
    const names: string[] = [];
    while (names.length < links) {
      const page = await this.ask(0x0403, new Writer().u16(names.length).u16(links).done());
      page.u16();
      const count = page.u16();
      for (let i = 0; i < count; i++) {
        const begin = page.at;
        names.push(page.text(32));
        page.at = begin + this.sizes.link;
      }
      if (count === 0) {
        break;
      }
    }
    this.description.value = { name, joints: found, links: names, root, dofs };
  }

  private poll(): void {
    this.timer = setTimeout(async () => {
      try {
        const queues = await this.ask(0x0408);
        const [command, playback, back, rate, robotRate] = [queues.u32(), queues.u32(), queues.u32(), queues.u32() / 1e6, queues.u32() / 1e6];
        queues.at += 4;
        const [played, late, longest, dropped, skipped] = Array.from({ length: 5 }, () => queues.i64());
        this.queues.value = { command, playback, back, rate, robotRate, played, late, longest: longest / 1e6, dropped, skipped };
        const busy = await this.ask(0x0409);
        this.holders.value = Array.from({ length: busy.u16() }, () => {
          const [joint, dof] = [busy.u16(), busy.u16()];
          busy.u32();
          return { joint, dof, label: busy.text(32) };
        });
        this.error.value = '';
      } catch (error) {
        this.error.value = (error as Error).message;
      }
      if (!this.closed) {
        this.poll();
      }
    }, POLL_MS);
  }

  // ---- What a user does ------------------------------------------------------------------------------

  private keep(): void {
    this.release();
    this.release = hold();
  }

  /** 1 is normal, 0 holds; for the whole robot. */
  rate(value: number): Promise<void> {
    return this.send('PLAY', pack(3, [record(0x0509, ++this.tag, new Writer().u32(Math.round(value * 1e6)).u8(1).zero(3).done())]));
  }

  /** Moves a dof to a value, in some seconds. */
  set(joint: number, dof: number, value: number, seconds: number): Promise<void> {
    this.keep();
    const body = new Writer().u16(joint).u16(dof).zero(4).i64(value * 1e6).i64(seconds * 1e6).done();
    return this.send('PLAY', pack(2, [record(0x0201, ++this.tag, body)]));
  }

  home(): Promise<void> {
    this.keep();
    return this.send('PLAY', pack(2, [record(0x0205, ++this.tag, new Writer().u16(0xffff).zero(6).done())]));
  }

  stopBase(): Promise<void> {
    return this.send('PLAY', pack(2, [record(0x0103, ++this.tag, [])]));
  }

  cancel(): Promise<void> {
    return this.send('PLAY', pack(3, [record(0x0508, ++this.tag, new Writer().u32(0).done())]));
  }
}

// ---- Where links are -----------------------------------------------------------------------------------

type Vector = [number, number, number];
type Frame = { at: Vector; turn: number[] }; // 3 by 3, row by row

function times(a: number[], b: number[]): number[] {
  return Array.from({ length: 9 }, (_, i) => [0, 1, 2].reduce((sum, k) => sum + a[3 * Math.floor(i / 3) + k] * b[3 * k + (i % 3)], 0));
}

function apply(turn: number[], v: number[]): Vector {
  return [0, 1, 2].map((i) => turn[3 * i] * v[0] + turn[3 * i + 1] * v[1] + turn[3 * i + 2] * v[2]) as Vector;
}

function plus(a: Vector, b: number[]): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function about(axis: number[], angle: number): number[] {
  const [x, y, z] = axis;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const t = 1 - c;
  return [t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c, t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c];
}

/** Lines between joints, link by link, for the positions of all dofs. */
export function skeleton(robot: Description, dofs: number[]): { lines: [Vector, Vector][]; joints: Vector[] } {
  const frames = new Map<number, Frame>(); // of links: at their centres of mass
  const into = new Map<number, Vector>(); // where the joint that holds a link is
  const lines: [Vector, Vector][] = [];
  const joints: Vector[] = [];
  for (const joint of robot.joints) {
    const parent = frames.get(joint.parent) ?? { at: [0, 0, 0] as Vector, turn: [1, 0, 0, 0, 1, 0, 0, 0, 1] };
    let at = plus(parent.at, apply(parent.turn, joint.inboard));
    let turn = times(parent.turn, joint.rest);
    const place = at;
    joint.dofs.forEach((dof, i) => {
      const value = dofs[joint.first + i] ?? 0;
      if (dof.type === 1) {
        turn = times(turn, about(dof.axis, value));
      } else if (dof.type === 2) {
        at = plus(at, apply(turn, dof.axis.map((part) => part * value)));
      }
    });
    frames.set(joint.child, { at: plus(at, apply(turn, joint.outboard.map((part) => -part))), turn });
    into.set(joint.child, at);
    joints.push(at);
    const from = into.get(joint.parent);
    if (from !== undefined) {
      lines.push([from, place]);
    }
    if (place !== at) {
      lines.push([place, at]);
    }
  }
  // Links at the end: to their centre of mass, twice as far.
  for (const [child, frame] of frames) {
    if (!robot.joints.some((joint) => joint.parent === child)) {
      const from = into.get(child)!;
      lines.push([from, [2 * frame.at[0] - from[0], 2 * frame.at[1] - from[1], 2 * frame.at[2] - from[2]]]);
    }
  }
  return { lines, joints };
}
