// link.ts - the connection to the server: channels, services and parameters of the Foxglove protocol.
//
// A topic is subscribed while somebody listens to it, and again after a reconnection. A call that is open when the
// connection ends fails with a sentence.
import { signal } from '@preact/signals';
import { callFrame, publishFrame, readFrame, readJson } from './frames';

export type LinkState = 'connecting' | 'open' | 'lost';
export type Channel = { id: number; topic: string; encoding: string; schemaName: string };
export type Service = { id: number; name: string; type: string };
export type Parameter = { name: string; value?: unknown; type?: string };
export type Listener = (value: any, time: number) => void;

type Topic = { listeners: Set<Listener>; subscription: number; channel: number; raw: boolean }; // raw: not JSON, listeners get bytes
type Call = { done: (value: any) => void; fail: (why: Error) => void; timer: number };

const PROTOCOLS = ['foxglove.sdk.v1', 'foxglove.websocket.v1'];
const CALL_MS = 15000;

export class Link {
  readonly state = signal<LinkState>('connecting');
  readonly retryAt = signal(0); // when the next attempt is made, in ms since the epoch
  readonly channels = signal<ReadonlyMap<string, Channel>>(new Map());
  readonly services = signal<ReadonlyMap<string, Service>>(new Map());
  readonly server = signal<Record<string, unknown>>({});
  readonly notes = signal<{ level: number; message: string; id?: string; time: number }[]>([]);
  readonly time = signal(0);
  readonly bytes = { received: 0, messages: 0 };
  onParameters: (parameters: Parameter[], id?: string) => void = () => {};
  onOpen: () => void = () => {};
  onAuth: (answer: { right: any; error?: string }) => void = () => {};
  onDevices: () => void = () => {}; // channels came or went after the start
  onNote: (note: { level: number; message: string }) => void = () => {};

  private socket: WebSocket | null = null;
  private topics = new Map<string, Topic>();
  private bySubscription = new Map<number, Topic>();
  private ownChannels = new Map<string, number>();
  private calls = new Map<number, Call>();
  private waiting = new Map<string, { done: (parameters: Parameter[]) => void; fail: (why: Error) => void; timer: number }>();
  private next = 1;
  private delay = 500;
  private timer = 0;

  constructor(private readonly url: () => string) {
    addEventListener('online', () => this.retry());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.retry());
  }

  connect(): void {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url(), PROTOCOLS);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.opened();
    socket.onmessage = (event) => this.socket === socket && this.received(event.data);
    socket.onclose = () => this.socket === socket && this.lost();
    this.socket = socket;
  }

  /** Connects anew, for example with another token. */
  reconnect(): void {
    const old = this.socket;
    this.forget('the connection is made anew');
    this.state.value = 'connecting';
    this.connect();
    old?.close();
  }

  /** Ends the connection as a network that breaks does. */
  drop(): void {
    this.socket?.close();
  }

  /** Tries at once if the connection is lost. */
  retry(): void {
    if (this.state.peek() === 'lost') {
      this.delay = 500;
      this.connect();
    }
  }

  listen(topic: string, listener: Listener): () => void {
    let entry = this.topics.get(topic);
    if (entry === undefined) {
      entry = { listeners: new Set(), subscription: 0, channel: -1, raw: false };
      this.topics.set(topic, entry);
    }
    entry.listeners.add(listener);
    this.open(topic, entry);
    return () => {
      entry!.listeners.delete(listener);
      // What the next page shows too is not closed and opened again.
      setTimeout(() => entry!.listeners.size === 0 && this.close(topic, entry!), 250);
    };
  }

  /** Topics that are subscribed now. */
  subscribed(): string[] {
    return [...this.topics].filter(([, entry]) => entry.subscription !== 0).map(([topic]) => topic);
  }

  /** Sends a command; false if there is no connection. */
  publish(topic: string, value: unknown): boolean {
    if (this.state.peek() !== 'open') {
      return false;
    }
    let id = this.ownChannels.get(topic);
    if (id === undefined) {
      id = this.next++;
      this.ownChannels.set(topic, id);
      this.send({ op: 'advertise', channels: [{ id, topic, encoding: 'json', schemaName: '' }] });
    }
    this.socket!.send(publishFrame(id, value));
    return true;
  }

  call(name: string, value: unknown): Promise<any> {
    const service = this.services.peek().get(name);
    if (this.state.peek() !== 'open') {
      return Promise.reject(new Error('there is no connection to the server'));
    }
    if (service === undefined) {
      return Promise.reject(new Error(`the server has no service ${name}`));
    }
    const id = this.next++;
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.calls.delete(id);
        fail(new Error(`${name}: no answer in ${CALL_MS / 1000} s`));
      }, CALL_MS);
      this.calls.set(id, { done, fail, timer });
      this.socket!.send(callFrame(service.id, id, value));
    });
  }

  getParameters(names: string[]): Promise<Parameter[]> {
    return this.parameters({ op: 'getParameters', parameterNames: names });
  }

  setParameters(parameters: Parameter[]): Promise<Parameter[]> {
    return this.parameters({ op: 'setParameters', parameters });
  }

  private parameters(message: Record<string, unknown>): Promise<Parameter[]> {
    if (this.state.peek() !== 'open') {
      return Promise.reject(new Error('there is no connection to the server'));
    }
    const id = `p${this.next++}`;
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        fail(new Error(`no answer in ${CALL_MS / 1000} s`));
      }, CALL_MS);
      this.waiting.set(id, { done, fail, timer });
      this.send({ ...message, id });
    });
  }

  /** A message that the server does not answer, or answers by an event. */
  tell(message: unknown): void {
    this.send(message);
  }

  private send(message: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(message));
    }
  }

  private open(topic: string, entry: Topic): void {
    const channel = this.channels.peek().get(topic);
    if (entry.subscription === 0 && channel !== undefined && entry.listeners.size > 0) {
      entry.subscription = this.next++;
      entry.channel = channel.id;
      entry.raw = channel.encoding !== 'json';
      this.bySubscription.set(entry.subscription, entry);
      this.send({ op: 'subscribe', subscriptions: [{ id: entry.subscription, channelId: channel.id }] });
    }
  }

  private close(topic: string, entry: Topic): void {
    if (this.topics.get(topic) === entry) {
      this.topics.delete(topic);
    }
    if (entry.subscription !== 0) {
      this.bySubscription.delete(entry.subscription);
      this.send({ op: 'unsubscribe', subscriptionIds: [entry.subscription] });
      entry.subscription = 0;
    }
  }

  private opened(): void {
    this.delay = 500;
  }

  private forget(why: string): void {
    for (const call of [...this.calls.values(), ...this.waiting.values()]) {
      clearTimeout(call.timer);
      call.fail(new Error(why));
    }
    this.calls.clear();
    this.waiting.clear();
    this.ownChannels.clear();
    this.bySubscription.clear();
    for (const entry of this.topics.values()) {
      entry.subscription = 0;
    }
    this.channels.value = new Map();
    this.services.value = new Map();
    this.socket = null;
  }

  private lost(): void {
    this.forget('the connection was lost');
    this.state.value = 'lost';
    this.retryAt.value = Date.now() + this.delay;
    this.timer = setTimeout(() => this.connect(), this.delay);
    this.delay = Math.min(this.delay * 1.6, 5000);
  }

  private received(data: string | ArrayBuffer): void {
    if (typeof data === 'string') {
      this.bytes.received += data.length;
      this.receivedText(JSON.parse(data));
      return;
    }
    this.bytes.received += data.byteLength;
    const frame = readFrame(data);
    if (frame?.kind === 'data') {
      const entry = this.bySubscription.get(frame.subscription);
      if (entry !== undefined) {
        this.bytes.messages++;
        const value = entry.raw ? frame.body : readJson(frame.body);
        entry.listeners.forEach((listener) => listener(value, frame.time));
      }
    } else if (frame?.kind === 'time') {
      this.time.value = frame.time;
    } else if (frame?.kind === 'answer') {
      const call = this.calls.get(frame.call);
      if (call !== undefined) {
        this.calls.delete(frame.call);
        clearTimeout(call.timer);
        call.done(readJson(frame.body));
      }
    }
  }

  private receivedText(message: any): void {
    switch (message.op) {
      case 'serverInfo':
        this.server.value = message;
        this.state.value = 'open';
        this.onOpen();
        break;
      case 'advertise': {
        const channels = new Map(this.channels.peek());
        for (const channel of message.channels as Channel[]) {
          channels.set(channel.topic, channel);
        }
        if (this.channels.peek().size > 0) {
          this.onDevices();
        }
        this.channels.value = channels;
        this.topics.forEach((entry, topic) => this.open(topic, entry));
        break;
      }
      case 'unadvertise': {
        const gone = new Set<number>(message.channelIds);
        this.channels.value = new Map([...this.channels.peek()].filter(([, channel]) => !gone.has(channel.id)));
        for (const entry of this.topics.values()) {
          if (gone.has(entry.channel)) {
            this.bySubscription.delete(entry.subscription);
            entry.subscription = 0;
          }
        }
        this.onDevices();
        break;
      }
      case 'advertiseServices': {
        const services = new Map(this.services.peek());
        (message.services as Service[]).forEach((service) => services.set(service.name, service));
        this.services.value = services;
        break;
      }
      case 'unadvertiseServices': {
        const gone = new Set<number>(message.serviceIds);
        this.services.value = new Map([...this.services.peek()].filter(([, service]) => !gone.has(service.id)));
        break;
      }
      case 'serviceCallFailure': {
        const call = this.calls.get(message.callId);
        if (call !== undefined) {
          this.calls.delete(message.callId);
          clearTimeout(call.timer);
          call.fail(new Error(message.message));
        }
        break;
      }
      case 'parameterValues': {
        const asked = this.waiting.get(message.id);
        if (asked !== undefined) {
          this.waiting.delete(message.id);
          clearTimeout(asked.timer);
          asked.done(message.parameters);
        }
        this.onParameters(message.parameters, message.id);
        break;
      }
      case 'auth':
        this.onAuth(message);
        break;
      case 'status':
        this.onNote(message);
        this.notes.value = [...this.notes.peek().slice(-99), { ...message, time: Date.now() }];
        break;
      case 'removeStatus':
        this.notes.value = this.notes.peek().filter((note) => !message.statusIds.includes(note.id));
        break;
    }
  }
}
