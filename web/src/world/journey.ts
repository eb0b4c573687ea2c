// journey.ts - a robot that finds its way: its planner, the way, and the guesses at where it is.
//
// A goal is sent once; the page then renews its lease until the robot has arrived or the user stops it, also while another page
// is shown. When the page is closed or hangs, the robot stops.
import { effect, signal } from '@preact/signals';
import { command, devices, hold, letGo, link, request, robotOf, stop, topicOf, type Device } from '../model/state';

export type Place = { x: number; y: number; a: number };
export type Guess = Place & { cov: number[]; weight: number };

const PARTICLES_MS = 500;
const TOLD = 5; // times that a planner says that the robot is there, without having said that it goes

function placeOf(pose: any): Place {
  return { x: pose.px, y: pose.py, a: pose.pa };
}

export class Journey {
  readonly state = signal<any>(null);
  readonly going = signal(false); // by this page
  readonly arrival = signal(false); // where this page has sent it
  way: Place[] = [];
  guesses: Guess[] = [];
  particles: Place[] = [];
  onChange: () => void = () => {};

  private release: () => void = () => {};
  private ends: (() => void)[] = [];
  private looked = false;
  private known = ''; // the plan whose waypoints are in `way`
  private seen = false; // the planner goes to the goal that was sent
  private told = 0; // that it is there, since the goal was sent

  constructor(
    readonly planner: Device,
    readonly localize: Device | undefined,
  ) {}

  open(): void {
    this.looked = true;
    if (this.ends.length > 0) {
      return; // the robot was on its way all the time
    }
    this.ends.push(
      link.listen(topicOf(this.planner, 'STATE'), (value) => this.took(value)),
      effect(() => void ((link.state.value === 'lost' || stop.panic.value?.active) && this.leave())),
    );
    if (this.localize !== undefined) {
      this.ends.push(link.listen(topicOf(this.localize, 'HYPOTHS'), (value) => this.guessed(value)));
      if (this.localize.requests.includes('GET_PARTICLES')) {
        const timer = setInterval(() => void this.askParticles(), PARTICLES_MS);
        this.ends.push(() => clearInterval(timer));
      }
    }
  }

  /** Nobody looks any more. A robot on its way goes on. */
  close(): void {
    this.onChange = () => {};
    this.looked = false;
    if (!this.going.peek()) {
      this.end();
    }
  }

  private end(): void {
    this.ends.forEach((end) => end());
    this.ends = [];
  }

  send(x: number, y: number): void {
    const from = this.state.peek()?.pos;
    const a = from === undefined ? 0 : Math.atan2(y - from.py, x - from.px);
    this.release();
    this.release = hold();
    this.seen = this.arrival.value = false;
    this.told = 0;
    this.going.value = command(this.planner, 'GOAL', { goal: { px: x, py: y, pa: a } });
  }

  stop(): void {
    this.leave();
    letGo(this.planner);
  }

  private leave(): void {
    this.going.value = false;
    this.release();
    this.release = () => {};
    if (!this.looked) {
      this.end();
    }
  }

  private took(state: any): void {
    this.state.value = state;
    this.seen ||= !state.done && !!state.valid;
    this.told += state.done ? 1 : 0;
    if (this.going.peek() && state.done && (this.seen || this.told >= TOLD)) {
      this.arrival.value = true;
      this.stop();
    }
    const plan = `${state.goal.px} ${state.goal.py} ${state.waypoints_count} ${state.valid}`;
    if (plan !== this.known) {
      this.known = plan;
      void this.askWay();
    }
    this.onChange();
  }

  private async askWay(): Promise<void> {
    try {
      this.way = (await request(this.planner, 'GET_WAYPOINTS')).waypoints.map(placeOf);
    } catch {
      this.way = []; // it does not tell them
    }
    this.onChange();
  }

  private guessed(value: any): void {
    this.guesses = value.hypoths.map((one: any) => ({ ...placeOf(one.mean), cov: one.cov, weight: one.alpha }));
    this.onChange();
  }

  private async askParticles(): Promise<void> {
    try {
      this.particles = (await request(this.localize!, 'GET_PARTICLES')).particles.map((one: any) => placeOf(one.pose));
    } catch {
      this.particles = []; // it has none
    }
    this.onChange();
  }

  /** Where it goes, while it goes. */
  goal(): Place | null {
    const state = this.state.peek();
    return state === null || state.done || (!state.valid && !this.going.peek()) ? null : placeOf(state.goal);
  }
}

/** The journey of a robot; one for each planner. `alone`: it is the only robot, so that a planner without a name is its own. */
const journeys = new Map<string, Journey>();

export function journeyOf(robot: string, alone: boolean): Journey | null {
  const named = (device: Device) => device.label !== '' && robotOf(device) === robot;
  const planners = devices.value.filter((device) => device.interface === 'planner' && (named(device) || (alone && device.label === ''))).sort((a, b) => a.index - b.index);
  if (planners.length === 0) {
    return null;
  }
  const guessing = devices.value.filter((device) => device.interface === 'localize' && (named(device) || alone));
  const localize = guessing.find((device) => device.requests.includes('GET_PARTICLES')) ?? guessing[0]; // a simulator knows without guessing
  const old = journeys.get(planners[0].name);
  if (old !== undefined) {
    return old;
  }
  const made = new Journey(planners[0], localize);
  journeys.set(planners[0].name, made);
  return made;
}

// ---- Drawing ---------------------------------------------------------------------------------------------

/** On a canvas in metres; `px` is the size of a pixel. */
export function paintJourney(ctx: CanvasRenderingContext2D, journey: Journey, px: number, color: string): void {
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = 1.2 * px;
  ctx.globalAlpha = 0.5;
  for (const { x, y, a } of journey.particles) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + 7 * px * Math.cos(a), y + 7 * px * Math.sin(a));
    ctx.stroke();
  }
  for (const guess of journey.guesses) {
    paintGuess(ctx, guess);
  }
  ctx.globalAlpha = 0.95;
  const goal = journey.goal();
  if (goal !== null) {
    paintWay(ctx, journey, goal, px);
  }
  ctx.restore();
}

/** Two standard deviations: the robot is within with 86 %. */
function paintGuess(ctx: CanvasRenderingContext2D, { x, y, cov }: Guess): void {
  const [xx, yy, xy] = [cov[0], cov[1], cov[3]];
  const middle = (xx + yy) / 2;
  const spread = Math.hypot((xx - yy) / 2, xy);
  if (!(middle + spread > 1e-6)) {
    return;
  }
  ctx.beginPath();
  ctx.ellipse(x, y, 2 * Math.sqrt(middle + spread), 2 * Math.sqrt(Math.max(middle - spread, 0)), 0.5 * Math.atan2(2 * xy, xx - yy), 0, 2 * Math.PI);
  ctx.stroke();
}

function paintWay(ctx: CanvasRenderingContext2D, journey: Journey, goal: Place, px: number): void {
  const state = journey.state.peek();
  const rest = !state.valid ? [] : journey.way.slice(Math.max(state.waypoint_idx, 0));
  ctx.lineWidth = 2.5 * px;
  ctx.setLineDash([7 * px, 5 * px]);
  ctx.beginPath();
  ctx.moveTo(state.pos.px, state.pos.py);
  [...rest, goal].forEach((place) => ctx.lineTo(place.x, place.y));
  if (state.valid) {
    ctx.stroke();
  }
  ctx.setLineDash([]);
  for (const place of rest) {
    ctx.beginPath();
    ctx.arc(place.x, place.y, 3.5 * px, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.lineWidth = 3 * px;
  for (const radius of [5, 11]) {
    ctx.beginPath();
    ctx.arc(goal.x, goal.y, radius * px, 0, 2 * Math.PI);
    ctx.stroke();
  }
}
