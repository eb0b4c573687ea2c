// program.ts - a device `program`: text, blocks, running, what it prints.
import { signal } from '@preact/signals';
import { asBytes, asText } from './descriptors';
import { fail, hold, link, note, request, topicOf, type Device } from './state';
import type { Grammar, Program } from '../blocks/grammar';

export type Mistake = { line: number; column: number; width: number; word: string; text: string; fix: string };
export type Report = { bytes: number; chip_bytes: number; mistakes: Mistake[] };
export const PHASES = ['empty', 'ready', 'running', 'paused', 'done', 'failed', 'stopped', 'leaving', 'gone', 'arriving'];

const MOST_LINES = 200;

export class ProgramDevice {
  readonly name = signal('program.play');
  readonly text = signal('');
  readonly report = signal<Report | null>(null);
  readonly state = signal<any>(null);
  readonly matches = signal<any>(null);
  readonly output = signal<{ line: number; text: string }[]>([]);
  readonly list = signal<{ name: string; title: string }[]>([]);
  readonly busy = signal(false);
  grammar: Grammar | null = null;

  private ends: (() => void)[] = [];
  private held: (() => void) | null = null; // ends the renewals for a program that runs for this page
  private began = false; // that program was seen running
  private left = false; // nobody looks any more, but it runs on
  private loadedText = '';
  private number = 0;

  constructor(readonly device: Device) {}

  async open(): Promise<void> {
    this.ends.push(
      link.listen(topicOf(this.device, 'STATE'), (value) => this.took(value)),
      link.listen(topicOf(this.device, 'OUTPUT'), (value) => this.printed(value)),
    );
    this.grammar ??= JSON.parse(asText((await request(this.device, 'GRAMMAR')).text));
    const state = await request(this.device, 'STATE');
    this.took(state);
    this.list.value = (await request(this.device, 'LIST')).items;
    if (state.printed > 0) {
      this.printed(await request(this.device, 'OUTPUT', { from: Math.max(0, state.printed - MOST_LINES) }));
    }
    if (state.phase !== 0) {
      await this.fetch('');
      this.loadedText = this.text.peek();
    } else if (this.list.peek().length > 0 && this.text.peek() === '') {
      await this.fetch(this.list.peek()[0].name);
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
    if (state.phase === 2) {
      this.began = true;
    } else if (state.phase !== 3 && this.began) {
      this.began = false;
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

  async fetch(name: string): Promise<void> {
    const source = await request(this.device, 'FETCH', { name });
    this.name.value = source.name || name || 'program.play';
    this.text.value = asText(source.text);
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

  /** The text of blocks; the text of this program is replaced by it. */
  async textOf(program: Program): Promise<boolean> {
    const number = ++this.number;
    const got = await request(this.device, 'TEXT', { name: this.name.peek(), text: asBytes(JSON.stringify(program)) });
    if (number !== this.number || got.report.mistakes.length > 0) {
      this.report.value = got.report;
      return false;
    }
    this.text.value = asText(got.text);
    this.report.value = await request(this.device, 'CHECK', this.source());
    return true;
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

  /** Loads what is in the editor if it is not loaded; false if it has mistakes. */
  private async load(): Promise<boolean> {
    const report = await request(this.device, 'LOAD', this.source());
    this.report.value = report;
    this.loadedText = this.text.peek();
    return report.mistakes.length === 0;
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
      if (await this.load()) {
        this.matches.value = await request(this.device, 'MATCH', { seed: 0, loose: 0, paused: 0, seconds: 0 });
      }
    });
  }

  stop(): Promise<void> {
    return this.guarded(() => request(this.device, 'STOP'));
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
    return this.loadedText === this.text.value;
  }
}
