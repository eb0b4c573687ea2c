// experiment.ts - an experiment with sensors that describe themselves: what the user chose, and its text
// (docs/reference/experiments.md).
import type { Device } from './state';

export type Choice = { value: number; name: string };
export type Setting = { name: string; value: number; min: number; max: number; choices: Choice[] };
export type Channel = {
  number: number;
  kind: number; // 0 measures, 1 acts, 2 says when something happens
  name: string;
  parameter: string;
  unit: string;
  min: number;
  max: number;
  resolution: number;
  uncertainty: number;
  min_period: number;
  settings: Setting[];
};
export type Sensor = { sensor: string; uuid: string; serial: string; channels: Channel[] };
export type State = { phase: number; runs: number; time: number; samples: number; lost: number; title: string; why: string };

export const READY = 1;
export const RUNNING = 2;
export const ENDED = 3;

/** What was chosen for a channel. Empty texts are left out of the experiment. */
export type Draft = { on: boolean; every: string; end: string; start: string; values: string; repeats: boolean; event: string; settings: Record<string, string> };

/** A part of the experiment: a sensor with what was chosen for its channels. */
export type Part = { device: Device; sensor: Sensor; drafts: Record<number, Draft> };

const DEFAULT_MS = 100;

export function acts(channel: Channel): boolean {
  return channel.kind === 1;
}

/** A time as experiments have it. */
export function timeText(seconds: number): string {
  return seconds >= 1 ? `${+seconds.toPrecision(6)}s` : seconds >= 0.001 ? `${+(seconds * 1e3).toPrecision(6)}ms` : `${Math.round(seconds * 1e6)}us`;
}

/** What is chosen before the user says something: ten samples a second, as far as the sensor can. */
export function draftOf(channel: Channel, on: boolean): Draft {
  const period = Math.max(channel.min_period, DEFAULT_MS / 1000);
  return { on, every: acts(channel) ? '1s' : timeText(period), end: '', start: 'now', values: acts(channel) ? `${channel.max},${channel.min}` : '', repeats: false, event: '', settings: {} };
}

/** A word of a line: blanks are written as underscores, or the word stands in quotes. */
function word(text: string): string {
  return /["\t]/.test(text) ? text.replace(/["\t]/g, '') : text.replace(/ /g, '_');
}

function lineOf(channel: Channel, draft: Draft, sensor: string): string {
  const words = [`${sensor === '' ? '' : `${sensor}.`}ch${channel.number}`];
  const put = (key: string, value: string) => value.trim() !== '' && words.push(`${key}=${value.trim().replace(/\s+/g, '')}`);
  put('start', draft.start === 'now' ? '' : draft.start.startsWith('ch') && sensor !== '' ? `${sensor}.${draft.start}` : draft.start);
  put('every', draft.every);
  put('end', draft.end);
  if (acts(channel)) {
    put('values', draft.values);
    put('then', draft.repeats ? 'repeat' : '');
  }
  if (channel.kind === 2) {
    put('event', draft.event);
  }
  channel.settings.forEach((setting) => put(word(setting.name), draft.settings[setting.name] ?? ''));
  return words.join(' ');
}

/** The parts that have a channel. */
export function used(parts: Part[]): Part[] {
  return parts.filter((part) => part.sensor.channels.some((channel) => part.drafts[channel.number]?.on));
}

/** The experiment as text; "" if no channel was chosen. With several sensors, each has a name. */
export function textOf(title: string, parts: Part[]): string {
  const all = used(parts);
  const several = all.length > 1;
  const nameOf = (part: Part) => (several ? `s${part.device.index}` : '');
  const lines = [
    ...(title.trim() === '' ? [] : [`title ${title.trim()}`]),
    ...(several ? all.map((part) => `sensor ${nameOf(part)} ${part.device.interface}:${part.device.index}`) : []),
    ...all.flatMap((part) => part.sensor.channels.filter((channel) => part.drafts[channel.number]?.on).map((channel) => lineOf(channel, part.drafts[channel.number], nameOf(part)))),
  ];
  return all.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** The name of a channel in charts. */
export function titleOf(sensor: Sensor, channel: Channel, several: boolean): string {
  const own = channel.parameter === '' || channel.parameter === channel.name ? channel.name : `${channel.name}: ${channel.parameter}`;
  return several ? `${sensor.sensor} ${own}` : own;
}
