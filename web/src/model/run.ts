// run.ts - the samples of experiments. They are gathered also while another page is shown.
import { signal } from '@preact/signals';
import { unitText } from './descriptors';
import { ENDED, RUNNING, acts, titleOf, type Part, type State } from './experiment';
import { hold, letGo, link, topicOf } from './state';
import { pick, Trace } from './trace';

/** Numbers of an experiment over the time of its sensors. */
export class Run {
  readonly traces: Trace[];
  readonly states = signal<Record<string, State>>({});
  private ends: (() => void)[] = [];
  private held: (() => void) | null = null;

  constructor(
    private readonly parts: Part[],
    isUsed: (part: Part, channel: number) => boolean,
  ) {
    const several = parts.length > 1;
    this.traces = parts
      .flatMap((part) => part.sensor.channels.map((channel, place) => ({ part, channel, place })))
      .filter(({ part, channel }) => !acts(channel) && isUsed(part, channel.number))
      .map(({ part, channel, place }, i) => new Trace(part.device, 'SAMPLE', ['values', String(place)], unitText(channel.unit), titleOf(part.sensor, channel, several), i, channel.uncertainty));
    for (const part of parts) {
      this.ends.push(
        link.listen(topicOf(part.device, 'SAMPLE'), (sample) => this.take(part, sample)),
        link.listen(topicOf(part.device, 'STATE'), (state) => this.see(part, state)),
      );
    }
  }

  /** Renews the leases of actuators while something runs. */
  keep(): void {
    this.held ??= hold();
  }

  see(part: Part, state: State): void {
    this.states.value = { ...this.states.peek(), [part.device.name]: state };
    this.relax();
  }

  end(): void {
    this.ends.forEach((end) => end());
    this.held?.();
    this.held = null;
  }

  /** Samples that have come to this page. */
  get taken(): number {
    return this.traces.reduce((sum, trace) => sum + trace.total, 0);
  }

  /** What the sensors together do. */
  get phase(): number {
    const all = Object.values(this.states.value);
    return all.some((state) => state.phase === RUNNING) ? RUNNING : all.reduce((least, state) => Math.min(least, state.phase), ENDED);
  }

  private relax(): void {
    if (this.phase !== RUNNING && this.held !== null) {
      this.held();
      this.held = null;
      this.parts.filter((part) => this.states.peek()[part.device.name]?.phase === ENDED).forEach((part) => letGo(part.device));
    }
  }

  private take(part: Part, sample: any): void {
    for (const trace of this.traces) {
      const number = trace.device === part.device ? pick(sample, trace.path) : NaN;
      if (Number.isFinite(number)) {
        trace.add(sample.time, number);
      }
    }
  }
}
