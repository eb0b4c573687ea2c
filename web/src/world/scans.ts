// scans.ts - what the rangers of a world see: one listener for each model with a range device.
import { link, request, topicOf, findDevice, type Device } from '../model/state';
import type { Model, Scene } from './scene';

/** One fan: ends of beams round a place on the model. */
export type Beam = { angle: number; range: number };
export type Fan = { x: number; y: number; beams: Beam[]; wide: number }; // wide: the angle of a single wide beam; 0 for a scan
export type Scan = { model: number; fans: Fan[]; reach: number };

const CONE = (20 * Math.PI) / 180; // of a sensor whose angle is not known
const CHOICE = ['laser', 'ranger', 'sonar', 'ir'];

/** Devices say infinity where nothing is near; what is no range is drawn as none. */
function metres(range: any): number {
  return range === 'Infinity' ? 1000 : range > 0 ? +range : 0;
}

function scanOf(value: any): Fan {
  const step = value.resolution || (value.max_angle - value.min_angle) / Math.max(1, value.ranges.length - 1);
  return { x: 0, y: 0, wide: 0, beams: value.ranges.map((range: any, i: number) => ({ angle: value.min_angle + i * step, range: metres(range) })) };
}

/** Fans of fixed elements, each with a pose. */
function elements(ranges: any[], poses: any[]): Fan[] {
  return ranges.map((range, i) => {
    const pose = poses[i] ?? { px: 0, py: 0, pyaw: 0 };
    return { x: pose.px, y: pose.py, wide: CONE, beams: [{ angle: pose.pyaw, range: metres(range) }] };
  });
}

export class Scans {
  readonly scans = new Map<number, Scan>();
  private ends: (() => void)[] = [];
  private generation = 0; // answers to questions of an older one are dropped
  onScan: () => void = () => {};

  /** Listens to the rangers of these models. */
  open(scene: Scene, models: Model[]): void {
    this.close();
    for (const model of models) {
      const device = CHOICE.map((interf) => model.devices.find((name) => name.startsWith(`${interf}:`))).find((name) => name !== undefined);
      const found = device === undefined ? undefined : findDevice(device.split(':')[0], +device.split(':')[1], scene.device.robot);
      if (found !== undefined) {
        this.listen(model, found);
      }
    }
  }

  close(): void {
    this.generation++;
    this.ends.forEach((end) => end());
    this.ends = [];
    this.scans.clear();
  }

  private listen(model: Model, device: Device): void {
    const put = (fans: Fan[], reach: number) => {
      fans.forEach((fan) => fan.beams.forEach((beam) => (beam.range = Math.min(beam.range, reach))));
      this.scans.set(model.number, { model: model.number, fans, reach });
      this.onScan();
    };
    if (device.interface === 'laser') {
      this.ends.push(link.listen(topicOf(device, 'SCAN'), (value) => put([scanOf(value)], value.max_range)));
    } else if (device.interface === 'ranger') {
      void this.listenRanger(device, put);
    } else {
      void this.listenElements(device, put);
    }
  }

  private async listenRanger(device: Device, put: (fans: Fan[], reach: number) => void): Promise<void> {
    const generation = this.generation;
    const geom = await request(device, 'GET_GEOM').catch(() => null);
    const config = await request(device, 'GET_CONFIG').catch(() => null);
    const poses: any[] = geom?.element_poses ?? [];
    if (generation !== this.generation) {
      return;
    }
    this.ends.push(
      link.listen(topicOf(device, 'RANGE'), (value) => {
        const reach = config?.max_range || Math.max(...value.ranges.map(metres), 1);
        if (poses.length > 1 && poses.length === value.ranges.length) {
          put(elements(value.ranges, poses), reach);
        } else if (config !== null) {
          put([scanOf({ ...config, resolution: config.angular_res, ranges: value.ranges })], reach);
        }
      }),
    );
  }

  private async listenElements(device: Device, put: (fans: Fan[], reach: number) => void): Promise<void> {
    const generation = this.generation;
    const geom = await request(device, device.interface === 'ir' ? 'POSE' : 'GET_GEOM').catch(() => null);
    if (generation !== this.generation) {
      return;
    }
    this.ends.push(link.listen(topicOf(device, 'RANGES'), (value) => put(elements(value.ranges, geom?.poses ?? []), Math.max(...value.ranges.map(metres), 0.5))));
  }
}
