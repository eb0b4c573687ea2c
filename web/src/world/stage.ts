// stage.ts - the canvas of a world: view, pointers, keys. It draws when something has changed.
import { effect, signal } from '@preact/signals';
import { deviceNamed, findDevice, request, fail, may } from '../model/state';
import { isDark } from '../parts/theme';
import { Painter, toWorld, type Shown, type View } from './paint';
import { MapLayer } from './map';
import type { Model, Scene } from './scene';
import { Scans } from './scans';
import { Trails } from './trails';

const DRAG_MS = 60; // between two requests while a model is dragged
const CLICK_PX = 5;
const BAR_PX = 50;
const LEAST_MS = 14; // between two pictures
const SLOW_MS = 24;

export class Stage {
  readonly selected = signal(-1);
  readonly shown = signal<Shown>({ scans: true, trails: true, names: true });
  readonly scans = new Scans();
  readonly map = new MapLayer();
  readonly mapped = signal(''); // the device `map` that is shown; '' for none
  readonly painter: Painter;
  readonly trails = new Trails();
  frames = 0; // drawn so far
  /** Where the next click on the world goes; null: it chooses a robot. */
  readonly aim = signal<((x: number, y: number) => void) | null>(null);

  private view: View = { x: 0, y: 0, scale: 50, width: 1, height: 1 };
  private drawnAt = 0;
  private turnedAt = 0;
  private turn = 16; // ms, on average
  private fitted = true; // the view follows the size of the canvas
  private frame = 0;
  private pointers = new Map<number, { x: number; y: number }>();
  private grip: { model: Model | null; x: number; y: number; dx: number; dy: number; moved: boolean } | null = null;
  private dragTimer = 0;
  private dragTo: { model: Model; x: number; y: number } | null = null;
  private ends: (() => void)[] = [];

  constructor(
    readonly scene: Scene,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.painter = new Painter(scene, this.trails);
    scene.onPoses = () => this.trails.note(scene);
    this.scans.onScan = () => this.draw();
    this.map.onChange = () => this.draw();
    this.painter.map = () => this.map.grid;
    const observer = new ResizeObserver(() => this.resized());
    observer.observe(canvas);
    this.ends.push(
      () => observer.disconnect(),
      effect(() => {
        scene.tick.value;
        isDark.value;
        this.shown.value;
        this.painter.selected = this.selected.value;
        this.draw();
      }),
      effect(() => void (scene.ready.value && this.fit())),
      effect(() => this.map.show(this.mapped.value === '' ? undefined : deviceNamed(this.mapped.value))),
      effect(() => {
        if (scene.ready.value && this.shown.value.scans) {
          this.scans.open(scene, scene.models);
        } else {
          this.scans.close();
        }
      }),
    );
    this.listen();
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.dragTimer);
    this.ends.forEach((end) => end());
    this.scans.close();
    this.map.close();
  }

  /** Shows the whole world. */
  fit(): void {
    const { bounds } = this.scene;
    const [w, h] = [bounds.x1 - bounds.x0 || 1, bounds.y1 - bounds.y0 || 1];
    const margin = 0.02 * Math.max(w, h);
    const bars = this.view.height > 360 ? 2 * BAR_PX : 16; // what lies over the picture at its upper and lower edge
    this.view.x = (bounds.x0 + bounds.x1) / 2;
    this.view.y = (bounds.y0 + bounds.y1) / 2;
    this.view.scale = Math.max(Math.min(this.view.width / (w + 2 * margin), (this.view.height - bars) / (h + 2 * margin)), 0.5);
    this.fitted = true;
    this.draw();
  }

  zoom(factor: number, px = this.view.width / 2, py = this.view.height / 2): void {
    const [x, y] = toWorld(this.view, px, py);
    this.view.scale = Math.min(Math.max(this.view.scale * factor, 0.5), 5000);
    const [nx, ny] = toWorld(this.view, px, py);
    this.view.x += x - nx;
    this.view.y += y - ny;
    this.fitted = false;
    this.draw();
  }

  pan(dx: number, dy: number): void {
    this.view.x -= dx / this.view.scale;
    this.view.y += dy / this.view.scale;
    this.fitted = false;
    this.draw();
  }

  draw(): void {
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      // What a turn of the screen takes: a machine that cannot keep up draws every second one.
      if (now - this.turnedAt < 100) {
        this.turn += 0.05 * (now - this.turnedAt - this.turn);
      }
      this.turnedAt = now;
      if (now - this.drawnAt < (this.turn > SLOW_MS ? 2 * LEAST_MS : LEAST_MS)) {
        this.draw();
        return;
      }
      this.drawnAt = now;
      if (this.scene.glide(performance.now())) {
        this.draw();
      }
      const ctx = this.canvas.getContext('2d', { alpha: false });
      if (ctx !== null && this.view.width > 1 && this.scene.ready.peek()) {
        this.painter.paint(ctx, { ...this.view }, devicePixelRatio, isDark.peek(), this.scans.scans, this.shown.peek());
        this.frames++;
      }
    });
  }

  private resized(): void {
    this.view.width = this.canvas.clientWidth;
    this.view.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.view.width * devicePixelRatio);
    this.canvas.height = Math.round(this.view.height * devicePixelRatio);
    if (this.fitted) {
      this.fit();
    }
    this.draw();
  }

  // ---- Pointers ------------------------------------------------------------------------------------

  private place(event: PointerEvent | WheelEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** The model at a place that can be chosen or dragged. Robots first, then the smallest. */
  pick(px: number, py: number): Model | null {
    const [x, y] = toWorld(this.view, px, py);
    let best: Model | null = null;
    let least = Infinity;
    for (const model of this.scene.models) {
      if (model.parent >= 0 || (!model.robot && !model.drags)) {
        continue;
      }
      const [dx, dy] = [x - model.at.x, y - model.at.y];
      const [c, s] = [Math.cos(model.at.a), Math.sin(model.at.a)];
      const [lx, ly] = [c * dx + s * dy - model.origin.x, c * dy - s * dx - model.origin.y];
      const spare = (model.robot ? 9 : 3) / this.view.scale;
      const area = model.size.x * model.size.y * (model.robot ? 1e-3 : 1);
      if (Math.abs(lx) <= model.size.x / 2 + spare && Math.abs(ly) <= model.size.y / 2 + spare && area < least) {
        best = model;
        least = area;
      }
    }
    return best;
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const name of ['pointerup', 'pointercancel'] as const) {
      canvas.addEventListener(name, (event) => this.up(event, name === 'pointerup'));
    }
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const at = this.place(event);
        this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), at.x, at.y);
      },
      { passive: false },
    );
  }

  private down(event: PointerEvent): void {
    const at = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, at);
    if (this.pointers.size === 1) {
      const model = this.pick(at.x, at.y);
      const [x, y] = toWorld(this.view, at.x, at.y);
      this.grip = { model, ...at, dx: model === null ? 0 : model.at.x - x, dy: model === null ? 0 : model.at.y - y, moved: false };
    } else {
      this.grip = null;
    }
  }

  private move(event: PointerEvent): void {
    const at = this.place(event);
    const last = this.pointers.get(event.pointerId);
    if (last === undefined) {
      this.canvas.style.cursor = this.aim.peek() !== null ? 'crosshair' : this.pick(at.x, at.y) !== null ? 'pointer' : 'grab';
      return;
    }
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)![1];
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(at.x - other.x, at.y - other.y);
      this.pan((at.x - last.x) / 2, (at.y - last.y) / 2);
      this.zoom(after / Math.max(before, 1), (at.x + other.x) / 2, (at.y + other.y) / 2);
    } else if (this.grip !== null) {
      this.grip.moved ||= Math.hypot(at.x - this.grip.x, at.y - this.grip.y) > CLICK_PX;
      if (this.grip.moved && this.grip.model?.drags && may('write')) {
        const [x, y] = toWorld(this.view, at.x, at.y);
        this.drag(this.grip.model, x + this.grip.dx, y + this.grip.dy);
      } else if (this.grip.moved) {
        this.pan(at.x - last.x, at.y - last.y);
      }
    }
    this.pointers.set(event.pointerId, at);
  }

  private up(event: PointerEvent, ended: boolean): void {
    this.pointers.delete(event.pointerId);
    const aim = this.aim.peek();
    if (this.grip !== null && !this.grip.moved && ended && aim !== null) {
      const at = this.place(event);
      this.aim.value = null;
      aim(...toWorld(this.view, at.x, at.y));
    } else if (this.grip !== null && !this.grip.moved && ended) {
      this.selected.value = this.grip.model?.robot ? this.grip.model.number : -1;
    }
    this.grip = null;
  }

  /** Puts a model somewhere; while it is dragged, the newest place counts. */
  drag(model: Model, x: number, y: number): void {
    this.dragTo = { model, x, y };
    if (this.dragTimer === 0) {
      this.sendDrag();
    }
  }

  private sendDrag(): void {
    const to = this.dragTo;
    this.dragTimer = 0;
    this.dragTo = null;
    const device = findDevice('simulation', 0, this.scene.device.robot);
    if (to === null || device === undefined) {
      return;
    }
    this.dragTimer = setTimeout(() => this.sendDrag(), DRAG_MS);
    request(device, 'SET_POSE2D', { name: to.model.name, pose: { px: to.x, py: to.y, pa: to.model.pose.a } }).catch(fail);
  }
}
