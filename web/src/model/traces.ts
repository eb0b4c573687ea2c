// traces.ts - numbers of devices over time, while somebody looks.
import { signal } from '@preact/signals';
import { link, topicOf, type Device } from './state';
import { pick, Trace } from './trace';

export class Recorder {
  readonly traces = signal<Trace[]>([]);
  readonly paused = signal(false);
  private start: number | null = null; // time of the first message: charts begin at 0
  private ends = new Map<Trace, () => void>();
  private listening = false;
  private colors = 0;

  add(device: Device, message: string, path: string[], unit: string, deviceName: string, label?: string, uncertainty = 0): void {
    const name = `${deviceName} ${label ?? path.join(' ').replace(/_/g, ' ')}`;
    if (this.traces.peek().some((trace) => trace.name === name && trace.message === message)) {
      return;
    }
    const trace = new Trace(device, message, path, unit, name, this.colors++, uncertainty);
    this.traces.value = [...this.traces.peek(), trace];
    if (this.listening) {
      this.open(trace);
    }
  }

  remove(trace: Trace): void {
    this.ends.get(trace)?.();
    this.ends.delete(trace);
    this.traces.value = this.traces.peek().filter((one) => one !== trace);
  }

  /** Reads until the returned function is called. */
  listen(): () => void {
    this.listening = true;
    this.traces.peek().forEach((trace) => this.open(trace));
    return () => {
      this.listening = false;
      this.ends.forEach((end) => end());
      this.ends.clear();
    };
  }

  private open(trace: Trace): void {
    const end = link.listen(topicOf(trace.device, trace.message), (value, time) => {
      if (this.start === null || time < this.start) {
        this.start = time;
      }
      const number = pick(value, trace.path);
      if (!this.paused.peek() && Number.isFinite(number)) {
        trace.add(time - this.start, number);
      }
    });
    this.ends.set(trace, end);
  }
}
