// odometry.ts - a world of robots without a simulator: vehicles where their odometry says they are, and a map if there is one.
import { link, request, topicOf, type Device } from '../model/state';
import { fetchGrid, type Shades } from './map';
import { Scene, type Model } from './scene';

const COLOURS = ['d1495b', '2e86ab', '3c9d5e', 'e0952b', '7d5ba6', '1b998b', 'c2528b', '8a6d3b'];
const RANGERS = ['laser', 'ranger', 'sonar', 'ir'];
const FLOOR: Shades = { occupied: [70, 70, 70, 255], unknown: [215, 215, 215, 255], free: [250, 250, 250, 255] };
const NOWHERE = { px: 0, py: 0, pz: 0, pa: 0 };

function colour(i: number): any {
  const value = parseInt(COLOURS[i % COLOURS.length], 16);
  return { red: value >> 16, green: (value >> 8) & 255, blue: value & 255, alpha: 255 };
}

function box(length: number, width: number): number[] {
  const [x, y] = [length / 2, width / 2];
  return [x, 0.6 * y, 0.8 * x, y, -x, y, -x, -y, 0.8 * x, -y, x, -0.6 * y];
}

export class Odometry extends Scene {
  private ends: (() => void)[] = [];

  constructor(private readonly all: Device[]) {
    super(all.find((device) => device.interface === 'position2d')!);
  }

  async open(): Promise<void> {
    const vehicles = this.all.filter((device) => device.interface === 'position2d');
    const models: any[] = [];
    for (const [i, vehicle] of vehicles.entries()) {
      await this.addVehicle(models, vehicle, i, vehicles);
    }
    const map = this.all.find((device) => device.interface === 'map');
    if (map !== undefined) {
      await this.addMap(models, map).catch((error) => (this.error.value = error.message));
    }
    this.title = 'of the odometry';
    this.takeModels(models);
    for (const model of this.models.filter((one) => one.picture !== null)) {
      model.picture!.image = this.map;
    }
    this.look++;
    this.ready.value = true;
    vehicles.forEach((vehicle, i) => this.follow(vehicle, this.models.filter((model) => model.robot)[i]));
  }

  close(): void {
    this.ends.forEach((end) => end());
    this.ends = [];
  }

  private map: ImageBitmap | null = null;

  private model(models: any[], fields: any): any {
    const model = {
      model: models.length,
      parent: -1,
      shape: -1,
      kind: 'position',
      pose: NOWHERE,
      origin: NOWHERE,
      size: { sl: 0, sw: 0, sh: 0 },
      color: colour(0),
      robot: 0,
      controlled: 0,
      drags: 0,
      picture_width: 0,
      picture_height: 0,
      devices: '',
      ...fields,
    };
    models.push(model);
    return model;
  }

  private async addVehicle(models: any[], vehicle: Device, i: number, vehicles: Device[]): Promise<void> {
    const geom = await request(vehicle, 'GET_GEOM').catch(() => null);
    const size = geom?.size?.sl > 0 ? geom.size : { sl: 0.45, sw: 0.38, sh: 0.2 };
    const xy = box(size.sl, size.sw);
    const path = new Path2D();
    for (let k = 0; k < xy.length; k += 2) {
      path.lineTo(xy[k], xy[k + 1]);
    }
    path.closePath();
    this.shapes.set(i, [{ part: 0, z0: 0, z1: size.sh || 0.2, xy, path }]);
    const name = vehicle.label || `${vehicle.interface}:${vehicle.index}`;
    const robot = this.model(models, { name, shape: i, size, color: colour(i), robot: 1, devices: `position2d:${vehicle.index}` });
    const alone = vehicles.filter((other) => other.robot === vehicle.robot).length === 1;
    for (const ranger of this.all.filter((device) => RANGERS.includes(device.interface) && device.robot === vehicle.robot)) {
      if (alone || ranger.index === vehicle.index) {
        const known = await request(ranger, 'GET_GEOMETRY').catch(() => null);
        const pose = known?.known ? { px: known.pose.px, py: known.pose.py, pz: 0, pa: known.pose.pyaw } : NOWHERE;
        this.model(models, { name: '', kind: 'ranger', parent: robot.model, pose, devices: `${ranger.interface}:${ranger.index}` });
      }
    }
  }

  /** The grid of a map becomes a picture on the floor. */
  private async addMap(models: any[], device: Device): Promise<void> {
    const grid = await fetchGrid(device, FLOOR);
    this.map = grid.image;
    const size = { sl: grid.width, sw: grid.height, sh: 0 };
    const pose = { px: grid.x + size.sl / 2, py: grid.y + size.sw / 2, pz: 0, pa: 0 };
    this.bounds = { x0: pose.px - size.sl / 2, y0: pose.py - size.sw / 2, x1: pose.px + size.sl / 2, y1: pose.py + size.sw / 2 };
    this.model(models, { name: '', kind: 'floor', pose, size, picture_width: grid.image.width, picture_height: grid.image.height });
  }

  private follow(vehicle: Device, model: Model): void {
    this.ends.push(
      link.listen(topicOf(vehicle, 'STATE'), (value) => {
        model.pose = model.to = { x: value.pos.px, y: value.pos.py, z: 0, a: value.pos.pa };
        this.place();
        this.onPoses();
        this.tick.value++;
      }),
    );
  }
}
