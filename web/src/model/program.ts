// program.ts - a device `program`: text, blocks, running, what it prints.
import { signal } from '@preact/signals';
import * as bench from './bench';
import { asBytes, asText } from './descriptors';
import { fail, hold, letGo, link, note, request, topicOf, type Device } from './state';
import type { Grammar, Program } from '../blocks/grammar';

export type Mistake = { line: number; column: number; width: number; word: string; text: string; fix: string };
export type Report = { bytes: number; chip_bytes: number; mistakes: Mistake[] };

const MOST_LINES = 200;

export class ProgramDevice {
  readonly name = bench.name;
  readonly text = bench.text;
  readonly report = signal<Report | null>(null);
  readonly state = signal<any>(null);
  readonly matches = signal<any>(null);
  readonly output = signal<{ line: number; text: string }[]>([]);
  readonly list = signal<{ name: string; title: string }[]>([]);
  readonly busy = signal(false);
  /** The program that the robot has; null if it has none. */
  readonly loaded = signal<bench.Kept | null>(null);
  grammar: Grammar | null = null;
  trouble = ''; // why it could not be opened

  private ends: (() => void)[] = [];
  private unheard: () => void = () => {};
  private held: (() => void) | null = null; // ends the renewals for a program that runs for this page
  private began = false; // that program was seen running
  private left = false; // nobody looks any more, but it runs on
  private loads = -1; // of the program in `loaded`
  private number = 0;

  constructor(readonly device: Device) {}

  /** Follows what the robot does, without its program. */
  watch(): void {
    this.ends.push(link.listen(topicOf(this.device, 'STATE'), (value) => this.took(value)));
    request(this.device, 'STATE').then((state) => this.took(state), fail);
  }

  /** The user looks at it. */
  async open(): Promise<void> {
    this.leave();
    this.trouble = '';
    this.output.value = [];
    this.unheard = link.listen(topicOf(this.device, 'OUTPUT'), (value) => this.printed(value));
    this.grammar ??= JSON.parse(asText((await request(this.device, 'GRAMMAR')).text));
    const state = await request(this.device, 'STATE');
    this.took(state);
    this.list.value = (await request(this.device, 'LIST')).items;
    if (state.printed > 0) {
      this.printed(await request(this.device, 'OUTPUT', { from: Math.max(0, state.printed - MOST_LINES) }));
    }
    await this.know(state);
    if (bench.isEmpty.peek()) {
      const first = this.loaded.peek() ?? (this.list.peek().length > 0 ? await this.fetch(this.list.peek()[0].name) : null);
      bench.put(first ?? { name: 'program.play', text: '' });
    }
  }

  /** The user looks at another robot. */
  leave(): void {
    this.unheard();
    this.unheard = () => {};
  }

  /** Somebody may have loaded another program. */
  private async know(state: any): Promise<void> {
    if (state.loads !== this.loads) {
      this.loads = state.loads;
      this.loaded.value = state.phase === 0 ? null : await this.fetch('');
    }
  }

  /** The user goes to another page. A program that runs for this page runs on, until the page is closed. */
  close(): void {
    this.left = true;
    if (!this.began || this.held === null) {
      this.end();
    }
  }

  private keep(): void {
    this.release();
    this.held = hold();
  }

  private release(): void {
    this.held?.();
    this.held = null;
  }

  private end(): void {
    this.ends.forEach((end) => end());
    this.ends = [];
    this.release();
  }

  private took(state: any): void {
    this.state.value = state;
    if (this.loads >= 0 && state.loads !== this.loads && !this.busy.peek()) {
      void this.know(state).catch(fail);
    }
    if (state.phase === 2) {
      this.began = true;
    } else if (state.phase !== 3 && this.began) {
      this.began = false;
      // It has ended by itself. After a stop by somebody else, HALT could stop the program of that client.
      if (this.held !== null && (state.phase === 4 || state.phase === 5)) {
        letGo(this.device);
      }
      this.release();
      if (this.left) {
        this.end();
      }
    }
    if (state.devices?.length > 0) {
      this.matches.value = { ...(this.matches.peek() ?? { fits: 1, why: '' }), devices: state.devices };
    }
  }

  private printed(output: any): void {
    this.output.value = [...this.output.peek(), ...output.lines.map((line: any) => ({ line: line.line, text: line.text }))].slice(-MOST_LINES);
  }

  private source(text = this.text.peek()): any {
    return { name: this.name.peek(), text: asBytes(text) };
  }

  /** A program of the server by name; the loaded one without. */
  async fetch(name: string): Promise<bench.Kept> {
    const source = await request(this.device, 'FETCH', { name });
    return { name: source.name || name || 'program.play', text: asText(source.text) };
  }

  /** Opens a program of the server. */
  async openNamed(name: string): Promise<void> {
    bench.put(await this.fetch(name));
    this.matches.value = null;
  }

  /** The blocks of a text; null if it has mistakes. An answer that is out of date is dropped. */
  async blocksOf(text: string): Promise<Program | null> {
    const number = ++this.number;
    const got = await request(this.device, 'BLOCKS', this.source(text));
    if (number !== this.number) {
      return null;
    }
    this.report.value = got.report;
    return got.report.total > 0 || got.report.mistakes.length > 0 ? null : JSON.parse(asText(got.text));
  }

  /** The text of blocks replaces the text of this program, unless the user has typed meanwhile; `known` hears of it first. */
  async textOf(program: Program, known: (text: string) => void): Promise<void> {
    const number = ++this.number;
    const before = this.text.peek();
    const got = await request(this.device, 'TEXT', { name: this.name.peek(), text: asBytes(JSON.stringify(program)) });
    if (number !== this.number || this.text.peek() !== before) {
      return;
    }
    if (got.report.mistakes.length > 0) {
      this.report.value = got.report;
      return;
    }
    const text = asText(got.text);
    known(text);
    this.text.value = text;
    this.report.value = await request(this.device, 'CHECK', this.source());
  }

  async check(): Promise<void> {
    this.report.value = await request(this.device, 'CHECK', this.source());
  }

  async format(): Promise<void> {
    const got = await request(this.device, 'FORMAT', this.source());
    this.report.value = got.report;
    if (got.report.mistakes.length === 0) {
      this.text.value = asText(got.text);
    }
  }

  /** Loads what is on the bench, in place of what runs; false if it has mistakes: then everything stays as it is. */
  private async load(): Promise<boolean> {
    const program = { name: this.name.peek(), text: this.text.peek() };
    const source = this.source();
    this.report.value = await request(this.device, 'CHECK', source);
    if (this.report.peek()!.mistakes.length > 0) {
      return false;
    }
    if (this.runs()) {
      await request(this.device, 'STOP');
    }
    this.report.value = await request(this.device, 'LOAD', source);
    this.loads = (await request(this.device, 'STATE')).loads;
    this.loaded.value = program;
    return true;
  }

  /** It runs or is paused. */
  runs(): boolean {
    const phase = this.state.value?.phase;
    return phase === 2 || phase === 3;
  }

  private async guarded(action: () => Promise<void>): Promise<void> {
    this.busy.value = true;
    try {
      await action();
    } catch (error) {
      fail(error);
    } finally {
      this.busy.value = false;
    }
  }

  /** Runs for this page: it stops when the page is closed or hangs. `keep`: the server runs it. */
  run(keep: boolean, paused: boolean): Promise<void> {
    return this.guarded(async () => {
      if (!(await this.load())) {
        note('The program has mistakes: see the list.', true);
        return;
      }
      this.output.value = [];
      this.began = false;
      this.release();
      if (!keep) {
        this.keep();
      }
      const matches = await request(this.device, keep ? 'LAUNCH' : 'RUN', { seed: 0, loose: 0, paused: paused ? 1 : 0, seconds: 0 });
      this.matches.value = matches;
      if (!matches.fits) {
        this.release();
        note(matches.why, true);
      }
    });
  }

  match(): Promise<void> {
    return this.guarded(async () => {
      if ((this.runs() && this.isLoaded()) || (await this.load())) {
        this.matches.value = await request(this.device, 'MATCH', { seed: 0, loose: 0, paused: 0, seconds: 0 });
      }
    });
  }

  stop(): Promise<void> {
    const ours = this.held !== null;
    return this.guarded(async () => {
      await request(this.device, 'STOP');
      if (ours) {
        letGo(this.device);
      }
    });
  }

  pause(): Promise<void> {
    return this.guarded(() => request(this.device, 'PAUSE'));
  }

  resume(): Promise<void> {
    return this.guarded(async () => {
      this.keep();
      await request(this.device, 'RESUME');
    });
  }

  /** One line; begins the program if it does not run. */
  step(): Promise<void> {
    if (this.state.peek()?.phase !== 3) {
      return this.run(false, true);
    }
    return this.guarded(async () => {
      const release = hold();
      try {
        this.took(await request(this.device, 'STEP'));
      } finally {
        release();
      }
    });
  }

  isLoaded(): boolean {
    return this.loaded.value?.text === this.text.value;
  }
}
