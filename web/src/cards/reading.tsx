// reading.tsx - a device in a few words: what its newest message says.
import type { ComponentChildren } from 'preact';
import { PHASES } from '../model/phases';
import { useSample, type Device } from '../model/state';
import { number } from '../parts/number';

const finite = (list: any[]): number[] => (list ?? []).filter((value) => Number.isFinite(value));
const few = (list: number[]) => `${list.slice(0, 6).map((value) => number(value, 2)).join('  ')}${list.length > 6 ? ' …' : ''}`;

function nearest(ranges: any[]): string {
  const near = finite(ranges).filter((range) => range > 0);
  return near.length === 0 ? 'nothing near' : `nearest ${number(Math.min(...near), 2)} m`;
}

/** The message of an interface that tells most, and what it says. */
const SHORT: Record<string, [string, (value: any) => string]> = {
  aio: ['STATE', (value) => few(finite(value.voltages))],
  bumper: ['STATE', (value) => (value.bumpers.some((one: any) => !!one) ? 'touches' : 'free')],
  dio: ['VALUES', (value) => (value.count === 0 ? '' : Array.from({ length: Math.min(value.count, 16) }, (_, i) => (value.bits >> i) & 1).join(' '))],
  laser: ['SCAN', (value) => nearest(value.ranges)],
  sonar: ['RANGES', (value) => nearest(value.ranges)],
  ir: ['RANGES', (value) => nearest(value.ranges)],
  ranger: ['RANGE', (value) => nearest(value.ranges)],
  power: ['STATE', (value) => [value.percent > 0 ? `${number(value.percent, 0)} %` : '', value.volts > 0 ? `${number(value.volts, 1)} V` : ''].filter((part) => part !== '').join(', ')],
  position2d: ['STATE', (value) => `${number(value.vel.px, 2)} m/s, ${number((value.vel.pa * 180) / Math.PI, 0)} °/s`],
  ptz: ['STATE', (value) => `${number((value.pan * 180) / Math.PI, 0)}°, ${number((value.tilt * 180) / Math.PI, 0)}°`],
  program: ['STATE', (value) => `${value.name} ${PHASES[value.phase] ?? ''}`],
  mechanism: ['STATE', (value) => `${value.frames} frames wait`],
};

export function Reading({ device }: { device: Device }): ComponentChildren {
  const short = SHORT[device.interface];
  const known = short !== undefined && device.data.includes(short[0]);
  const sample = useSample(known ? device : undefined, known ? short[0] : '').value;
  if (sample === null || !known) {
    return null;
  }
  try {
    return <small class="num">{short[1](sample.value)}</small>;
  } catch {
    return null; // a message of another shape has no short form
  }
}
