// map.ts - the grid of a device `map`: as a picture, and over a world while it is shown.
import { link, request, topicOf, type Device } from '../model/state';

export type Grid = { image: ImageBitmap; x: number; y: number; a: number; width: number; height: number }; // the lower left corner, and metres
export type Shades = { occupied: number[]; unknown: number[]; free: number[] }; // red, green, blue, opacity

const TILE = 65536; // cells
const AGAIN_MS = 3000; // between two looks at a map that grows

/** Over a world: walls of the map in a strong colour, what is not known as a veil. */
export const OVER: Shades = { occupied: [190, 40, 150, 190], unknown: [128, 128, 128, 90], free: [0, 0, 0, 0] };

export async function fetchGrid(device: Device, shades: Shades): Promise<Grid> {
  const info = await request(device, 'GET_INFO');
  const image = new ImageData(Math.max(info.width, 1), Math.max(info.height, 1));
  for (let row = 0; row < info.height; ) {
    const rows = Math.max(1, Math.min(info.height - row, Math.floor(TILE / info.width)));
    const tile = await request(device, 'GET_DATA', { col: 0, row, width: info.width, height: rows });
    for (let k = 0; k < tile.data.length; k++) {
      const y = info.height - 1 - (tile.row + Math.floor(k / tile.width));
      const shade = tile.data[k] > 0 ? shades.occupied : tile.data[k] < 0 ? shades.free : shades.unknown;
      image.data.set(shade, 4 * (y * info.width + tile.col + (k % tile.width)));
    }
    if (tile.height === 0) {
      break;
    }
    row += tile.height;
  }
  const { px, py, pa } = info.origin;
  return { image: await createImageBitmap(image), x: px, y: py, a: pa ?? 0, width: info.width * info.scale, height: info.height * info.scale };
}

/** The map that is shown; it follows one that is being made. */
export class MapLayer {
  grid: Grid | null = null;
  onChange: () => void = () => {};
  private end: () => void = () => {};
  private device: Device | null = null;

  show(device: Device | undefined): void {
    this.close();
    if (device === undefined) {
      this.onChange();
      return;
    }
    this.device = device;
    const load = () => void this.load(device);
    const grows = device.driver.startsWith('mapper') || device.driver.startsWith('gridmap');
    const timer = grows ? setInterval(load, AGAIN_MS) : 0;
    const silence = link.listen(topicOf(device, 'INFO'), load);
    this.end = () => {
      clearInterval(timer);
      silence();
    };
    load();
  }

  close(): void {
    this.end();
    this.end = () => {};
    this.device = this.grid = null;
  }

  private async load(device: Device): Promise<void> {
    const grid = await fetchGrid(device, OVER).catch(() => null);
    if (this.device === device && grid !== null) {
      this.grid = grid;
      this.onChange();
    }
  }
}

/** On a canvas in metres. */
export function paintGrid(ctx: CanvasRenderingContext2D, grid: Grid): void {
  ctx.save();
  ctx.imageSmoothingEnabled = false;
  ctx.translate(grid.x, grid.y);
  ctx.rotate(grid.a);
  ctx.scale(1, -1);
  ctx.drawImage(grid.image, 0, -grid.height, grid.width, grid.height);
  ctx.restore();
}
