// paint.ts - a world from above, on a canvas, as `troupe sim --render` draws it.
//
// What does not move is drawn into two pictures of the size of the screen, one below the scans and one above them, and
// again only if the view or the world has changed. Everything else is drawn each time.
import { paintJourney, type Journey } from './journey';
import { paintGrid, type Grid } from './map';
import type { Model, Polygon, Scene } from './scene';
import type { Fan, Scan } from './scans';
import type { Trails } from './trails';
import { bodyColor, brightness, css, mix, paletteFor, scanColor, type Palette, type Rgb } from './palette';

export type View = { x: number; y: number; scale: number; width: number; height: number }; // middle, pixels for each metre
export type Shown = { scans: boolean; trails: boolean; names: boolean };

const SHADOW_PER_HEIGHT = 0.28;
const LONGEST_SHADOW = 0.3; // metres
const MOST_NAMES = 40;
const CROWD = 24;
const OF_WORLD = 0xffffffff; // instead of a model: strokes in the frame of the world
const ARC = 8; // lines that stand for the end of a wide beam; it does not reach through walls
const NOSE = [
  [0.46, 0],
  [0.1, 0.24],
  [0.2, 0],
  [0.1, -0.24],
];

export function toScreen(view: View, x: number, y: number): [number, number] {
  return [(x - view.x) * view.scale + view.width / 2, (view.y - y) * view.scale + view.height / 2];
}

export function toWorld(view: View, px: number, py: number): [number, number] {
  return [(px - view.width / 2) / view.scale + view.x, view.y - (py - view.height / 2) / view.scale];
}

type Item = { model: Model; polygons: Polygon[]; z1: number; z0: number; color: Rgb; outline: Path2D | null };

function wholeOf(item: Item): Path2D {
  const whole = new Path2D();
  for (const polygon of item.polygons) {
    const shift = item.model.shifts.get(polygon.part);
    whole.addPath(polygon.path, new DOMMatrix().translateSelf(shift?.x ?? 0, shift?.y ?? 0));
  }
  return whole;
}

/** All polygons of an item as one: a hole is one that goes the other way round. Made again only if parts can move. */
function outlineOf(item: Item): Path2D {
  if (item.polygons.some((polygon) => polygon.part > 0)) {
    return wholeOf(item);
  }
  return (item.outline ??= wholeOf(item));
}

export class Painter {
  selected = -1;
  journey: Journey | null = null; // of the chosen robot
  map: () => Grid | null = () => null; // over the world
  private ground: HTMLCanvasElement = document.createElement('canvas');
  private walls: HTMLCanvasElement = document.createElement('canvas');
  private drawn = ''; // what the two pictures show
  private items: { still: Item[]; moving: Item[]; look: number; palette: Palette | null } = { still: [], moving: [], look: -1, palette: null };

  constructor(
    private readonly scene: Scene,
    private readonly trails: Trails,
  ) {}

  palette(isDark: boolean): Palette {
    return paletteFor(isDark, this.scene.floor, this.scene.models.some((model) => model.kind === 'floor'));
  }

  paint(ctx: CanvasRenderingContext2D, view: View, ratio: number, isDark: boolean, scans: Map<number, Scan>, shown: Shown): void {
    const palette = this.palette(isDark);
    const robots = this.scene.robots();
    this.sort(palette);
    this.prepare(view, ratio, palette);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(this.ground, 0, 0);
    this.toWorld(ctx, view, ratio);
    if (shown.trails) {
      this.paintTrails(ctx, view, palette, robots);
    }
    if (shown.scans) {
      this.paintScans(ctx, view, palette, scans);
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(this.walls, 0, 0);
    this.toWorld(ctx, view, ratio);
    const grid = this.map();
    if (grid !== null) {
      paintGrid(ctx, grid);
    }
    if (this.journey !== null) {
      paintJourney(ctx, this.journey, 1 / view.scale, isDark ? '#7fd4a3' : '#1c7a45');
    }
    this.paintShadows(ctx, view, palette, this.items.moving);
    this.paintBodies(ctx, view, this.items.moving);
    this.paintNoses(ctx, view, palette, robots);
    this.paintSelection(ctx, view, palette);
    this.paintLamps(ctx, view, palette);
    this.paintStrokes(ctx, view);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (shown.names && robots.length <= MOST_NAMES) {
      this.paintNames(ctx, view, palette, robots);
    }
    this.paintScale(ctx, view, palette);
  }

  private toWorld(ctx: CanvasRenderingContext2D, view: View, ratio: number): void {
    const scale = view.scale * ratio;
    ctx.setTransform(scale, 0, 0, -scale, (view.width / 2 - view.x * view.scale) * ratio, (view.height / 2 + view.y * view.scale) * ratio);
  }

  // ---- What does not move ------------------------------------------------------------------------

  private sort(palette: Palette): void {
    if (this.items.look === this.scene.look && this.items.palette?.dark === palette.dark) {
      return;
    }
    const still: Item[] = [];
    const moving: Item[] = [];
    for (const model of this.scene.models) {
      const levels = new Map<string, Polygon[]>();
      for (const polygon of this.scene.shapes.get(model.shape) ?? []) {
        const level = `${polygon.z0} ${polygon.z1}`;
        levels.set(level, [...(levels.get(level) ?? []), polygon]);
      }
      for (const polygons of levels.values()) {
        const item = { model, polygons, z0: model.at.z + polygons[0].z0, z1: model.at.z + polygons[0].z1, color: bodyColor(palette, model.color), outline: null };
        (model.moves ? moving : still).push(item);
      }
    }
    const byHeight = (a: Item, b: Item) => a.z1 - b.z1 || a.model.number - b.model.number;
    this.items = { still: still.sort(byHeight), moving: moving.sort(byHeight), look: this.scene.look, palette };
  }

  private prepare(view: View, ratio: number, palette: Palette): void {
    const wanted = [view.x, view.y, view.scale, view.width, view.height, ratio, palette.dark, this.scene.look].join(' ');
    if (wanted === this.drawn) {
      return;
    }
    this.drawn = wanted;
    for (const canvas of [this.ground, this.walls]) {
      canvas.width = Math.round(view.width * ratio);
      canvas.height = Math.round(view.height * ratio);
    }
    const ground = this.ground.getContext('2d')!;
    ground.fillStyle = css(palette.ground);
    ground.fillRect(0, 0, this.ground.width, this.ground.height);
    this.paintGrid(ground, view, ratio, palette);
    this.toWorld(ground, view, ratio);
    this.paintFloors(ground, palette);
    this.paintLights(ground, view, palette);
    this.prepareWalls(view, ratio, palette);
  }

  private prepareWalls(view: View, ratio: number, palette: Palette): void {
    const walls = this.walls.getContext('2d')!;
    walls.setTransform(1, 0, 0, 1, 0, 0);
    walls.clearRect(0, 0, this.walls.width, this.walls.height);
    walls.filter = `blur(${Math.min(Math.max(0.025 * view.scale, 0.5), 6) * ratio}px)`;
    this.toWorld(walls, view, ratio);
    this.paintShadows(walls, view, palette, this.items.still);
    walls.filter = 'none';
    this.paintBodies(walls, view, this.items.still);
  }

  private paintGrid(ctx: CanvasRenderingContext2D, view: View, ratio: number, palette: Palette): void {
    let step = 0.001;
    while (step * view.scale < 18) {
      step *= 10;
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.lineWidth = 1;
    for (const [length, color] of [
      [step, palette.grid],
      [5 * step, palette.heavy],
    ] as [number, Rgb][]) {
      ctx.strokeStyle = css(color);
      ctx.beginPath();
      const [zx, zy] = toScreen(view, 0, 0);
      const gap = length * view.scale;
      for (let x = zx - Math.floor(zx / gap) * gap; x < view.width; x += gap) {
        ctx.moveTo(Math.floor(x) + 0.5, 0);
        ctx.lineTo(Math.floor(x) + 0.5, view.height);
      }
      for (let y = zy - Math.floor(zy / gap) * gap; y < view.height; y += gap) {
        ctx.moveTo(0, Math.floor(y) + 0.5);
        ctx.lineTo(view.width, Math.floor(y) + 0.5);
      }
      ctx.stroke();
    }
  }

  private paintFloors(ctx: CanvasRenderingContext2D, palette: Palette): void {
    for (const model of this.scene.models) {
      if (model.kind !== 'floor') {
        continue;
      }
      this.within(ctx, model, () => {
        ctx.translate(model.origin.x, model.origin.y);
        ctx.rotate(model.origin.a);
        ctx.filter = palette.floor < 1 ? `brightness(${palette.floor})` : 'none';
        if (model.picture?.image) {
          ctx.scale(1, -1);
          ctx.drawImage(model.picture.image, -model.size.x / 2, -model.size.y / 2, model.size.x, model.size.y);
        } else if (model.picture === null) {
          ctx.fillStyle = css(model.color);
          ctx.fillRect(-model.size.x / 2, -model.size.y / 2, model.size.x, model.size.y);
        }
        ctx.filter = 'none';
      });
    }
  }

  private paintLights(ctx: CanvasRenderingContext2D, view: View, palette: Palette): void {
    for (const light of this.scene.lights) {
      const model = this.scene.models[light.model];
      if (!(light.intensity > 0) || model === undefined) {
        continue;
      }
      const most = Math.max(view.width, view.height) / 3 / view.scale;
      const reach = Math.min(Math.max(Math.sqrt(4 * light.intensity), 0.3), most);
      const color = mix(bodyColor(palette, model.color), [255, 216, 144], 0.4);
      for (const size of [reach, 0.3 * reach]) {
        const glow = ctx.createRadialGradient(model.at.x, model.at.y, 0, model.at.x, model.at.y, size);
        glow.addColorStop(0, css(color, palette.light));
        glow.addColorStop(1, css(color, 0));
        ctx.fillStyle = glow;
        ctx.beginPath();
        if (light.fov < 2 * Math.PI - 1e-9) {
          ctx.moveTo(model.at.x, model.at.y);
          ctx.arc(model.at.x, model.at.y, size, model.at.a - light.fov / 2, model.at.a + light.fov / 2);
        } else {
          ctx.arc(model.at.x, model.at.y, size, 0, 2 * Math.PI);
        }
        ctx.fill();
      }
    }
  }

  // ---- Bodies ------------------------------------------------------------------------------------

  /** In the frame of a model, or of the world. */
  private within(ctx: CanvasRenderingContext2D, model: Model | undefined, draw: () => void): void {
    ctx.save();
    ctx.translate(model?.at.x ?? 0, model?.at.y ?? 0);
    ctx.rotate(model?.at.a ?? 0);
    draw();
    ctx.restore();
  }

  /** A shadow is the outline at some places on the way from where the body stands to where its upper edge falls. */
  private paintShadows(ctx: CanvasRenderingContext2D, view: View, palette: Palette, items: Item[]): void {
    const layer = new Path2D();
    for (const item of items) {
      const far = Math.min(Math.max(item.z1 * SHADOW_PER_HEIGHT, 0), LONGEST_SHADOW);
      const near = Math.min(Math.max(item.z0 * SHADOW_PER_HEIGHT, 0), LONGEST_SHADOW);
      const steps = Math.min(Math.max(Math.ceil((far - near) * view.scale * 0.7), 1), 16);
      const outline = outlineOf(item);
      for (let i = 0; i <= steps; i++) {
        const shift = near + ((far - near) * i) / steps;
        const matrix = new DOMMatrix().translateSelf(item.model.at.x + shift, item.model.at.y - shift).rotateSelf((item.model.at.a * 180) / Math.PI);
        layer.addPath(outline, matrix);
      }
    }
    ctx.fillStyle = palette.shadow;
    ctx.fill(layer, 'nonzero');
  }

  /** Those that are alike and equally high grow together: first the edges of all of them. */
  private paintBodies(ctx: CanvasRenderingContext2D, view: View, items: Item[]): void {
    const width = Math.min(Math.max(0.012 * view.scale, 0.5), 1.2);
    const alike = (a: Item, b: Item) => a.z1 === b.z1 && a.color.join() === b.color.join();
    for (let i = 0; i < items.length; ) {
      let end = i + 1;
      while (end < items.length && alike(items[i], items[end])) {
        end++;
      }
      const group = items.slice(i, end);
      ctx.strokeStyle = css(mix(items[i].color, [0, 0, 0], 0.42));
      ctx.fillStyle = css(items[i].color, items[i].model.color[3] / 255);
      ctx.lineWidth = (2 * width) / view.scale;
      group.forEach((item) => this.within(ctx, item.model, () => ctx.stroke(outlineOf(item))));
      group.forEach((item) => this.within(ctx, item.model, () => ctx.fill(outlineOf(item))));
      i = end;
    }
  }

  private least(view: View, robots: number): number {
    return robots > MOST_NAMES || view.width < 400 ? 2.6 : 4;
  }

  private paintNoses(ctx: CanvasRenderingContext2D, view: View, palette: Palette, robots: Model[]): void {
    for (const robot of robots) {
      const color = bodyColor(palette, robot.color);
      const radius = Math.hypot(robot.size.x, robot.size.y) / 2;
      const least = this.least(view, robots.length) / view.scale;
      this.within(ctx, robot, () => {
        ctx.beginPath();
        if (radius < least) {
          ctx.fillStyle = css(mix(color, [255, 255, 255], 0.25));
          ctx.arc(0, 0, least, 0, 2 * Math.PI);
        } else {
          ctx.fillStyle = brightness(color) > 0.62 ? 'rgba(26,26,26,0.85)' : 'rgba(255,255,255,0.91)';
          NOSE.forEach(([x, y], i) => {
            const at: [number, number] = [robot.origin.x + x * robot.size.x, robot.origin.y + y * robot.size.y];
            i === 0 ? ctx.moveTo(...at) : ctx.lineTo(...at);
          });
        }
        ctx.fill();
      });
    }
  }

  private paintSelection(ctx: CanvasRenderingContext2D, view: View, palette: Palette): void {
    const robot = this.scene.models[this.selected];
    if (robot === undefined) {
      return;
    }
    const radius = Math.hypot(robot.size.x, robot.size.y) / 2 + 7 / view.scale;
    ctx.beginPath();
    ctx.arc(robot.at.x, robot.at.y, radius, 0, 2 * Math.PI);
    ctx.lineWidth = 4.5 / view.scale;
    ctx.strokeStyle = css(palette.ground, 0.8);
    ctx.stroke();
    ctx.lineWidth = 2 / view.scale;
    ctx.strokeStyle = css(bodyColor(palette, robot.color));
    ctx.setLineDash([6 / view.scale, 3 / view.scale]);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  private paintLamps(ctx: CanvasRenderingContext2D, view: View, palette: Palette): void {
    const size = (2.4 * this.least(view, 0)) / view.scale;
    for (const light of this.scene.lights) {
      const model = this.scene.models[light.model];
      if (model === undefined || model.parent >= 0) {
        continue;
      }
      ctx.beginPath();
      ctx.arc(model.at.x, model.at.y, 0.5 * size, 0, 2 * Math.PI);
      ctx.fillStyle = light.intensity > 0 ? css(bodyColor(palette, model.color)) : css(palette.ground);
      ctx.fill();
      ctx.strokeStyle = palette.ink;
      ctx.lineWidth = 1.2 / view.scale;
      ctx.stroke();
      ctx.beginPath();
      for (let i = 0; light.intensity > 0 && i < 8; i++) {
        const [c, s] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)];
        ctx.moveTo(model.at.x + 0.72 * size * c, model.at.y + 0.72 * size * s);
        ctx.lineTo(model.at.x + size * c, model.at.y + size * s);
      }
      ctx.stroke();
    }
  }

  private paintStrokes(ctx: CanvasRenderingContext2D, view: View): void {
    for (const stroke of this.scene.strokes) {
      const model = this.scene.models[stroke.model];
      if (model === undefined && stroke.model !== OF_WORLD) {
        continue;
      }
      this.within(ctx, model, () => {
        const path = new Path2D();
        for (let i = 0; i + 1 < stroke.xy.length; i += 2) {
          if (stroke.kind === 0) {
            path.rect(stroke.xy[i] - 1.5 / view.scale, stroke.xy[i + 1] - 1.5 / view.scale, 3 / view.scale, 3 / view.scale);
          } else if (i === 0 || (stroke.kind === 2 && i % 4 === 0)) {
            path.moveTo(stroke.xy[i], stroke.xy[i + 1]);
          } else {
            path.lineTo(stroke.xy[i], stroke.xy[i + 1]);
          }
        }
        if (stroke.kind === 3) {
          path.closePath();
        }
        if (stroke.fill !== '' || stroke.kind === 0) {
          ctx.fillStyle = stroke.kind === 0 ? stroke.color : stroke.fill;
          ctx.fill(path);
        }
        if (stroke.kind !== 0) {
          ctx.strokeStyle = stroke.color;
          ctx.lineWidth = 1.5 / view.scale;
          ctx.stroke(path);
        }
      });
    }
  }

  // ---- Trails and scans ----------------------------------------------------------------------------

  private paintTrails(ctx: CanvasRenderingContext2D, view: View, palette: Palette, robots: Model[]): void {
    const pieces = 8;
    const strength = robots.length > CROWD ? 0.3 : 0.55;
    ctx.lineWidth = Math.min(Math.max(0.06 * view.scale, 1), 3) / view.scale;
    ctx.lineJoin = 'round';
    for (const robot of robots) {
      const places = this.trails.places.get(robot.number) ?? [];
      for (let piece = 0; piece < pieces && places.length > 1; piece++) {
        const first = Math.floor((places.length * piece) / pieces);
        const last = Math.floor((places.length * (piece + 1)) / pieces);
        ctx.strokeStyle = css(bodyColor(palette, robot.color), (strength * (piece + 1)) / pieces);
        ctx.beginPath();
        ctx.moveTo(places[first].x, places[first].y);
        for (let i = first + 1; i <= last && i < places.length; i++) {
          ctx.lineTo(places[i].x, places[i].y);
        }
        if (last >= places.length) {
          ctx.lineTo(robot.at.x, robot.at.y);
        }
        ctx.stroke();
      }
    }
  }

  private addFan(path: Path2D, model: Model, fan: Fan): void {
    const c = Math.cos(model.at.a);
    const s = Math.sin(model.at.a);
    const x = model.at.x + c * fan.x - s * fan.y;
    const y = model.at.y + s * fan.x + c * fan.y;
    path.moveTo(x, y);
    if (fan.wide > 0) {
      const angle = model.at.a + fan.beams[0].angle;
      const { range } = fan.beams[0];
      for (let i = 0; i <= ARC; i++) {
        const part = angle + fan.wide * (i / ARC - 0.5);
        const length = i === ARC / 2 ? range : this.scene.free(x, y, part, range);
        path.lineTo(x + length * Math.cos(part), y + length * Math.sin(part));
      }
    } else {
      for (const beam of fan.beams) {
        path.lineTo(x + beam.range * Math.cos(model.at.a + beam.angle), y + beam.range * Math.sin(model.at.a + beam.angle));
      }
    }
    path.closePath();
  }

  private paintScans(ctx: CanvasRenderingContext2D, view: View, palette: Palette, scans: Map<number, Scan>): void {
    const crowd = scans.size > CROWD;
    const glow = crowd ? 0.4 * palette.glow : palette.glow;
    ctx.lineJoin = 'bevel'; // round ones take most of the time
    for (const scan of scans.values()) {
      const model = this.scene.models[scan.model];
      if (model === undefined) {
        continue;
      }
      const path = new Path2D();
      const color = scanColor(palette, this.scene.rootOf(model).color);
      scan.fans.forEach((fan) => this.addFan(path, model, fan));
      if (crowd) {
        ctx.fillStyle = css(color, glow);
      } else {
        const fade = ctx.createRadialGradient(model.at.x, model.at.y, 0, model.at.x, model.at.y, 1.25 * scan.reach);
        fade.addColorStop(0, css(color, glow));
        fade.addColorStop(1, css(color, 0));
        ctx.fillStyle = fade;
      }
      ctx.fill(path);
      if (!crowd) {
        ctx.strokeStyle = css(color, 0.8 * glow);
        ctx.lineWidth = 0.6 / view.scale;
        ctx.stroke(path);
      }
    }
  }

  // ---- Letters -------------------------------------------------------------------------------------

  private write(ctx: CanvasRenderingContext2D, palette: Palette, text: string, x: number, y: number): void {
    ctx.lineJoin = 'round';
    ctx.lineWidth = 3;
    ctx.strokeStyle = css(palette.ground, 0.8);
    ctx.strokeText(text, x, y);
    ctx.fillStyle = palette.ink;
    ctx.fillText(text, x, y);
  }

  /** A name stands below its robot, or where it covers no other name. */
  private paintNames(ctx: CanvasRenderingContext2D, view: View, palette: Palette, robots: Model[]): void {
    const size = Math.min(Math.max(view.width / 75, 11), 14);
    const taken: [number, number, number, number][] = [];
    const lamps = this.scene.lights.map((light) => this.scene.models[light.model]).filter((model) => model !== undefined && model.parent < 0);
    ctx.font = `${size}px system-ui, sans-serif`;
    ctx.textAlign = 'center';
    for (const model of [...robots, ...lamps]) {
      const [x, y] = toScreen(view, model.at.x, model.at.y);
      const half = ctx.measureText(model.name).width / 2 + 3;
      const radius = Math.max((Math.hypot(model.size.x, model.size.y) / 2) * view.scale, 6);
      for (const line of [y + radius + size, y - radius - 0.4 * size, y + radius + 2.3 * size]) {
        const box: [number, number, number, number] = [x - half, line - 0.8 * size, x + half, line + 0.3 * size];
        if (!taken.some((other) => other[0] < box[2] && box[0] < other[2] && other[1] < box[3] && box[1] < other[3])) {
          taken.push(box);
          this.write(ctx, palette, model.name, x, line);
          break;
        }
      }
    }
  }

  private paintScale(ctx: CanvasRenderingContext2D, view: View, palette: Palette): void {
    const most = Math.max(view.width / 6, 60) / view.scale;
    const power = 10 ** Math.floor(Math.log10(most));
    const metres = (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1) * power;
    const text = metres >= 999 ? `${Math.round(metres / 1000)} km` : metres >= 0.99 ? `${Math.round(metres)} m` : `${+(100 * metres).toPrecision(3)} cm`;
    const [x, y, length] = [14.5, view.height - 9.5, metres * view.scale];
    for (const [width, color] of [
      [4, css(palette.ground, 0.8)],
      [1.5, palette.ink],
    ] as [number, string][]) {
      ctx.lineWidth = width;
      ctx.strokeStyle = color;
      ctx.beginPath();
      ctx.moveTo(x, y - 5);
      ctx.lineTo(x, y);
      ctx.lineTo(x + length, y);
      ctx.lineTo(x + length, y - 5);
      ctx.stroke();
    }
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    this.write(ctx, palette, text, x + length / 2, y - 6);
  }
}
