// scene.ts - a simulated world as the device `scene` tells of it: models, shapes, and where they are now.
import { signal } from '@preact/signals';
import { link, request, topicOf, type Device } from '../model/state';

export type Pose = { x: number; y: number; z: number; a: number };
export type Polygon = { part: number; z0: number; z1: number; xy: number[]; path: Path2D };
export type Model = {
  number: number;
  parent: number;
  root: number; // the model that it stands on, in the end
  shape: number;
  kind: string;
  name: string;
  rest: Pose; // in the file, in the frame of its parent
  pose: Pose; // now, in the frame of its parent
  at: Pose; // now, in the world
  origin: { x: number; y: number; a: number };
  size: { x: number; y: number; z: number };
  color: [number, number, number, number]; // 0 to 255; the last one is the opacity
  robot: boolean;
  controlled: boolean;
  drags: boolean;
  devices: string[];
  picture: { width: number; height: number; image: ImageBitmap | null } | null;
  shifts: Map<number, { x: number; y: number }>;
  moves: boolean; // it is not where the file puts it, or can be elsewhere soon
  from: Pose; // where it was drawn when the newest message came
  to: Pose; // where that message puts it
};
export type Light = { model: number; intensity: number; fov: number };
export type Stroke = { model: number; kind: number; color: string; fill: string; xy: number[] };
export type Bounds = { x0: number; y0: number; x1: number; y1: number };

const FULL_TURN = 2 * Math.PI;
const LONGEST_GAP = 250; // ms that something glides
const FARTHEST_GLIDE = 1; // metres: what is farther away was carried there
const MOST_EDGES = 8000; // numbers: of a world with more, wide beams are drawn through walls

function join(parent: Pose, child: Pose): Pose {
  const c = Math.cos(parent.a);
  const s = Math.sin(parent.a);
  return { x: parent.x + c * child.x - s * child.y, y: parent.y + s * child.x + c * child.y, z: parent.z + child.z, a: parent.a + child.a };
}

function pathOf(xy: number[]): Path2D {
  const path = new Path2D();
  for (let i = 0; i + 1 < xy.length; i += 2) {
    if (i === 0) {
      path.moveTo(xy[0], xy[1]);
    } else {
      path.lineTo(xy[i], xy[i + 1]);
    }
  }
  path.closePath();
  return path;
}

function css(color: any): string {
  return `rgba(${color.red},${color.green},${color.blue},${color.alpha / 255})`;
}

export class Scene {
  title = '';
  bounds: Bounds = { x0: -5, y0: -4, x1: 5, y1: 4 };
  floor: [number, number, number] = [255, 255, 255];
  models: Model[] = [];
  shapes = new Map<number, Polygon[]>();
  lights: Light[] = [];
  strokes: Stroke[] = [];
  /** Changes when what does not move has to be drawn anew. */
  look = 0;
  /** Changes with every message. */
  readonly tick = signal(0);
  readonly ready = signal(false);
  readonly error = signal('');
  readonly count = signal(0); // of models
  readonly clock = signal({ time: 0, speed: 1, paused: false, late: false, lockstep: false });
  onPoses: () => void = () => {};

  private revision = -1;
  private drawings = 0;
  private end: () => void = () => {};
  private loading = false;
  private closed = false;

  constructor(readonly device: Device) {}

  async open(): Promise<void> {
    this.closed = false;
    try {
      await this.load();
      if (!this.closed) {
        this.end = link.listen(topicOf(this.device, 'POSES'), (value) => this.moved(value));
      }
    } catch (error) {
      this.error.value = (error as Error).message;
    }
  }

  close(): void {
    this.closed = true;
    this.end();
    this.end = () => {};
  }

  robots(): Model[] {
    return this.models.filter((model) => model.robot);
  }

  /** The model that stands for all that stand on it. */
  rootOf(model: Model): Model {
    return this.models[model.root];
  }

  private edges: { look: number; list: Float64Array } = { look: -1, list: new Float64Array() };

  /** Edges of all that stands still: x and y of their two ends. */
  private stillEdges(): Float64Array {
    if (this.edges.look !== this.look) {
      const list: number[] = [];
      for (const model of this.models) {
        const [c, s] = [Math.cos(model.at.a), Math.sin(model.at.a)];
        for (const { xy } of model.moves ? [] : (this.shapes.get(model.shape) ?? [])) {
          for (let i = 0; i < xy.length && list.length < MOST_EDGES; i += 2) {
            for (const k of [i, (i + 2) % xy.length]) {
              list.push(model.at.x + c * xy[k] - s * xy[k + 1], model.at.y + s * xy[k] + c * xy[k + 1]);
            }
          }
        }
      }
      this.edges = { look: this.look, list: Float64Array.from(list) };
    }
    return this.edges.list;
  }

  /** How far one can see from a place, at most `range`. */
  free(x: number, y: number, angle: number, range: number): number {
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const edges = this.stillEdges();
    let best = range;
    for (let i = 0; i < edges.length; i += 4) {
      const [ex, ey] = [edges[i + 2] - edges[i], edges[i + 3] - edges[i + 1]];
      const across = dx * ey - dy * ex;
      if (across !== 0) {
        const [ax, ay] = [edges[i] - x, edges[i + 1] - y];
        const along = (ax * ey - ay * ex) / across;
        const share = (ax * dy - ay * dx) / across;
        if (along > 0 && along < best && share >= 0 && share <= 1) {
          best = along;
        }
      }
    }
    return best;
  }

  /** The models of a robot, itself first. */
  family(root: Model): Model[] {
    return this.models.filter((model) => model.root === root.number);
  }

  private async pages(message: string, list: string): Promise<any[]> {
    const all: any[] = [];
    for (;;) {
      const page = await request(this.device, message, { first: all.length, count: 0 });
      const items: any[] = page[list] ?? [];
      all.push(...items);
      if (items.length === 0 || all.length >= page.total) {
        return all;
      }
    }
  }

  private async load(): Promise<void> {
    if (this.loading) {
      return;
    }
    this.loading = true;
    try {
      const info = await request(this.device, 'GET_INFO');
      const [models, polygons] = await Promise.all([this.pages('MODELS', 'models'), this.pages('POLYGONS', 'polygons')]);
      this.title = info.title;
      this.bounds = info.bounds;
      this.floor = [info.floor.red, info.floor.green, info.floor.blue];
      this.takeModels(models);
      this.takePolygons(polygons);
      await this.takePoses();
      this.revision = info.revision;
      this.look++;
      this.ready.value = true;
      void this.loadPictures();
      if (info.drawings !== this.drawings) {
        void this.loadDrawings(info.drawings);
      }
    } finally {
      this.loading = false;
    }
  }

  protected takeModels(models: any[]): void {
    this.models = models.map((model) => ({
      number: model.model,
      parent: model.parent,
      root: model.model,
      shape: model.shape,
      kind: model.kind,
      name: model.name,
      rest: { x: model.pose.px, y: model.pose.py, z: model.pose.pz, a: model.pose.pa },
      pose: { x: model.pose.px, y: model.pose.py, z: model.pose.pz, a: model.pose.pa },
      from: { x: model.pose.px, y: model.pose.py, z: model.pose.pz, a: model.pose.pa },
      to: { x: model.pose.px, y: model.pose.py, z: model.pose.pz, a: model.pose.pa },
      at: { x: 0, y: 0, z: 0, a: 0 },
      origin: { x: model.origin.px, y: model.origin.py, a: model.origin.pa },
      size: { x: model.size.sl, y: model.size.sw, z: model.size.sh },
      color: [model.color.red, model.color.green, model.color.blue, model.color.alpha],
      robot: !!model.robot,
      controlled: !!model.controlled,
      drags: !!model.drags,
      devices: model.devices.split(' ').filter((name: string) => name !== ''),
      picture: model.picture_width > 0 ? { width: model.picture_width, height: model.picture_height, image: null } : null,
      shifts: new Map(),
      moves: !!model.robot,
    }));
    for (const model of this.models) {
      model.root = model.parent < 0 ? model.number : this.models[model.parent].root;
      model.moves ||= this.models[model.root].moves;
    }
    this.count.value = this.models.length;
    this.place();
  }

  private takePolygons(polygons: any[]): void {
    this.shapes = new Map();
    for (const polygon of polygons) {
      const list = this.shapes.get(polygon.shape) ?? [];
      list.push({ part: polygon.part, z0: polygon.z0, z1: polygon.z1, xy: polygon.xy, path: pathOf(polygon.xy) });
      this.shapes.set(polygon.shape, list);
    }
  }

  private async takePoses(): Promise<void> {
    let first = 0;
    do {
      const page = await request(this.device, 'POSES', { first, count: 0 });
      this.moved(page);
      if (page.end <= first) {
        break;
      }
      first = page.end;
    } while (first < this.models.length);
  }

  /** Poses in the world, parents before their children. */
  protected place(): void {
    for (const model of this.models) {
      model.at = model.parent < 0 ? model.pose : join(this.models[model.parent].at, model.pose);
    }
  }

  private moved(message: any): void {
    if (this.revision >= 0 && message.revision !== this.revision && !this.loading) {
      void this.load().catch((error) => (this.error.value = error.message));
    }
    if (message.drawings !== this.drawings) {
      void this.loadDrawings(message.drawings);
    }
    const listed = new Set<number>();
    for (const pose of message.poses) {
      const model = this.models[pose.model];
      if (model === undefined) {
        continue;
      }
      listed.add(pose.model);
      model.to = { x: pose.px, y: pose.py, z: pose.pz, a: pose.pa };
      const root = this.models[model.root];
      if (!root.moves || !model.moves) {
        this.family(root).forEach((member) => (member.moves = true));
        this.look++;
      }
    }
    for (let i = message.first; i < message.end && i < this.models.length; i++) {
      const model = this.models[i];
      if (model.moves && !listed.has(i)) {
        model.to = model.rest;
      }
      if (model.shifts.size > 0) {
        model.shifts.clear();
      }
    }
    for (const shift of message.shifts ?? []) {
      this.models[shift.model]?.shifts.set(shift.part, { x: shift.dx, y: shift.dy });
    }
    this.takeLights(message);
    this.aim(!!message.paused);
    this.clock.value = { time: message.time, speed: message.speed, paused: !!message.paused, late: !!message.late, lockstep: !!message.lockstep };
    this.onPoses();
    this.tick.value++;
  }

  // ---- Between two messages --------------------------------------------------------------------------
  //
  // A world makes ten steps a second, or fewer: models glide from where they were drawn to where they are, in the time
  // between two messages.

  private aimedAt = 0;
  private gap = 100; // ms

  private aim(paused: boolean): void {
    const now = performance.now();
    this.gap = Math.min(Math.max(now - this.aimedAt, 20), LONGEST_GAP);
    const jumps = paused || now - this.aimedAt > 2 * LONGEST_GAP;
    this.aimedAt = now;
    for (const model of this.models) {
      const far = Math.abs(model.to.x - model.pose.x) + Math.abs(model.to.y - model.pose.y) > FARTHEST_GLIDE;
      model.from = jumps || far ? model.to : model.pose;
    }
    this.glide(now);
  }

  /** Moves everything to where it is drawn now; whether something still glides. */
  glide(now: number): boolean {
    const share = Math.min((now - this.aimedAt) / this.gap, 1);
    let more = false;
    for (const model of this.models) {
      const { from, to } = model;
      if (model.pose === to) {
        continue;
      }
      if (share === 1 || from === to) {
        model.pose = to;
      } else {
        more = true;
        model.pose = { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y), z: to.z, a: from.a + share * turned(to.a - from.a) };
      }
    }
    this.place();
    return more;
  }

  private takeLights(message: any): void {
    const lights = [
      ...this.lights.filter((light) => light.model < message.first || light.model >= message.end),
      ...(message.lights ?? []).map((light: any) => ({ model: light.model, intensity: light.intensity, fov: light.fov })),
    ];
    if (JSON.stringify(lights) !== JSON.stringify(this.lights)) {
      this.lights = lights;
      this.look++;
    }
  }

  private async loadPictures(): Promise<void> {
    for (const model of this.models) {
      if (model.picture !== null && model.picture.image === null && !this.closed) {
        try {
          await this.loadPicture(model);
        } catch (error) {
          this.error.value = (error as Error).message;
          return;
        }
      }
    }
  }

  private async loadPicture(model: Model): Promise<void> {
    const reduce = Math.max(1, Math.ceil(Math.max(model.picture!.width, model.picture!.height) / 1024));
    let image: ImageData | null = null;
    for (let top = 0; image === null || top < image.height; ) {
      const part = await request(this.device, 'PICTURE', { model: model.number, reduce, top, rows: 0 });
      image ??= new ImageData(part.width, part.height);
      const first = part.top * part.width;
      for (let i = 0; i < part.rows * part.width; i++) {
        image.data[4 * (first + i)] = part.rgb[3 * i];
        image.data[4 * (first + i) + 1] = part.rgb[3 * i + 1];
        image.data[4 * (first + i) + 2] = part.rgb[3 * i + 2];
        image.data[4 * (first + i) + 3] = 255;
      }
      if (part.rows === 0) {
        break;
      }
      top = part.top + part.rows;
    }
    if (image !== null) {
      model.picture!.image = await createImageBitmap(image);
      this.look++;
      this.tick.value++;
    }
  }

  private async loadDrawings(number: number): Promise<void> {
    this.drawings = number;
    try {
      this.strokes = (await this.pages('DRAWINGS', 'strokes')).map((stroke) => ({
        model: stroke.model,
        kind: stroke.kind,
        color: css(stroke.color),
        fill: stroke.fill.alpha > 0 ? css(stroke.fill) : '',
        xy: stroke.xy,
      }));
      this.tick.value++;
    } catch {
      this.strokes = []; // the next message asks again
      this.drawings = -1;
    }
  }
}

export function turned(angle: number): number {
  const rest = angle % FULL_TURN;
  return rest > Math.PI ? rest - FULL_TURN : rest <= -Math.PI ? rest + FULL_TURN : rest;
}
