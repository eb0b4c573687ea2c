// world.tsx - the world from above: robots to choose, drive and carry; time to stop and to step.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Reading } from '../cards/reading';
import { canAsk, descriptors, devices, fail, findDevice, link, may, nameOf, request, robotOf, topicOf, useSample, type Device } from '../model/state';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { href } from '../parts/route';
import { Stick } from '../parts/stick';
import { offerTour } from '../parts/tour';
import { Drive } from '../world/drive';
import { journeyOf, type Journey } from '../world/journey';
import { Odometry } from '../world/odometry';
import { Scene, turned, type Model } from '../world/scene';
import { Stage } from '../world/stage';

const MOST_MAPS = 4; // with a button
const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 0];

// ---- Time ------------------------------------------------------------------------------------------

function Clock({ scene }: { scene: Scene }) {
  const clock = scene.clock.value;
  const simulation = findDevice('simulation', 0, scene.device.robot);
  const world = findDevice('world', 0, scene.device.robot);
  const set = (name: string, value: unknown) =>
    void link.setParameters([{ name: topicOf(simulation!, name), value }]).catch(fail);
  const step = () => void request(world!, 'STEP', { count: 1 }).catch(fail);
  const speeds = SPEEDS.includes(clock.speed) ? SPEEDS : [clock.speed, ...SPEEDS];
  return (
    <div class="clock" role="group" aria-label="Time of the world">
      {simulation !== undefined && (
        <button type="button" disabled={!may('write')} aria-label={clock.paused ? 'Continue' : 'Pause'} onClick={() => set('paused', !clock.paused)}>
          <Icon name={clock.paused ? 'play' : 'pause'} />
        </button>
      )}
      {world !== undefined && (
        <button type="button" disabled={!may('write') || !clock.paused} aria-label="One step" title="One step; pause first" onClick={step}>
          <Icon name="step" />
        </button>
      )}
      {simulation !== undefined && (
        <label>
          <span class="sr">Speed</span>
          <select disabled={!may('write')} value={String(clock.speed)} onChange={(event) => set('speed', +event.currentTarget.value)}>
            {speeds.map((speed) => (
              <option key={speed} value={String(speed)}>
                {speed === 0 ? 'fastest' : `× ${+speed.toPrecision(3)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <output class="num" aria-label="Simulated time">
        {number(clock.time, clock.paused ? 2 : 1)} s
      </output>
      {clock.paused && <span class="chip">paused</span>}
      {clock.late && <span class="chip warn">slower than asked</span>}
    </div>
  );
}

// ---- The robot that was chosen ---------------------------------------------------------------------

/** A device of a model, by its name in the scene: position2d:0. */
function deviceOf(scene: Scene, name: string): Device | undefined {
  const [interf, index] = name.split(':');
  return findDevice(interf, +index, scene.device.robot);
}

function Values({ robot, device, scene }: { robot: Model; device: Device | undefined; scene: Scene }) {
  const sample = useSample(device, 'STATE').value;
  scene.tick.value;
  const vel = sample?.value?.vel;
  return (
    <dl class="values" id="robot-pose" data-x={robot.to.x} data-y={robot.to.y}>
      <dt>Place</dt>
      <dd class="num">
        {number(robot.to.x, 2)}, {number(robot.to.y, 2)} <small>m</small>
      </dd>
      <dt>Heading</dt>
      <dd class="num">
        {number((turned(robot.to.a) * 180) / Math.PI, 0)} <small>°</small>
      </dd>
      {vel !== undefined && (
        <>
          <dt>Speed</dt>
          <dd class="num">
            {number(vel.px, 2)} <small>m/s</small>
          </dd>
          <dt>Turn</dt>
          <dd class="num">
            {number((vel.pa * 180) / Math.PI, 0)} <small>°/s</small>
          </dd>
        </>
      )}
      {!!sample?.value?.stall && (
        <>
          <dt>Motors</dt>
          <dd>
            <span class="chip warn">blocked</span>
          </dd>
        </>
      )}
    </dl>
  );
}

function DrivePanel({ drive }: { drive: Drive }) {
  const speed = useSignal(drive.speed.forward);
  return (
    <div class="drive">
      <Stick drive={drive} />
      <label class="speed">
        Speed
        <input
          type="range"
          min="0.05"
          max="1.5"
          step="0.05"
          value={speed.value}
          onInput={(event) => {
            speed.value = drive.speed.forward = +event.currentTarget.value;
            drive.speed.turn = Math.min(0.6 + 1.5 * speed.value, 2);
          }}
        />
        <output class="num">{number(speed.value, 2)} m/s</output>
      </label>
      <p class="hint">Arrow keys or W A S D drive while the world or the stick has the focus. A gamepad works too{drive.pad.value !== '' && `: ${drive.pad.value.slice(0, 30)}`}.</p>
    </div>
  );
}

/** All devices of a robot: those of its models in the world, and those that other drivers offer under its name. */
function devicesOf(scene: Scene, robot: Model): Device[] {
  const own = scene.family(robot).flatMap((model) => model.devices.map((name) => deviceOf(scene, name)));
  const named = devices.value.filter((device) => device.label !== '' && robotOf(device) === robot.name);
  const all = [...own, ...named].filter((device) => device !== undefined);
  return [...new Map(all.map((device) => [device.name, device])).values()];
}

/** Where a device is best looked at. */
function placeOf(device: Device): string {
  return href(device.interface === 'program' ? 'programs' : device.interface === 'mechanism' ? 'motion' : 'devices', device.name);
}

/** For a robot with a planner: a click on the map, or two numbers, send it somewhere. */
function GoPanel({ journey, stage }: { journey: Journey; stage: Stage }) {
  const [x, y] = [useSignal('0'), useSignal('0')];
  const state = journey.state.value;
  const aims = stage.aim.value !== null;
  const left = state === null ? 0 : Math.hypot(state.goal.px - state.pos.px, state.goal.py - state.pos.py);
  const arrived = journey.arrival.value || (!journey.going.value && state?.valid && state.done);
  const words = arrived ? 'It has arrived.' : !journey.going.value && !state?.valid ? '' : !state?.valid ? 'It has found no way so far.' : `On its way: ${number(left, 1)} m to go.`;
  const send = (event: Event) => {
    event.preventDefault();
    journey.send(+x.value, +y.value);
  };
  useEffect(() => () => void (stage.aim.value = null), [stage]);
  return (
    <form class="go-to" onSubmit={send}>
      <h3>Go to</h3>
      <div class="row">
        <button type="button" aria-pressed={aims} onClick={() => (stage.aim.value = aims ? null : (px, py) => journey.send(px, py))}>
          <Icon name="goal" /> {aims ? 'Click the place' : 'A place on the map'}
        </button>
        {journey.going.value && (
          <button type="button" onClick={() => journey.stop()}>
            <Icon name="stop" /> Stop
          </button>
        )}
      </div>
      <div class="row">
        <label>
          x <input type="number" step="any" required value={x.value} onInput={(event) => (x.value = event.currentTarget.value)} />
        </label>
        <label>
          y <input type="number" step="any" required value={y.value} onInput={(event) => (y.value = event.currentTarget.value)} />
        </label>
        <button type="submit">Go</button>
      </div>
      <p class="hint" role="status" id="journey">
        {words}
      </p>
    </form>
  );
}

/** The journey of the robot that was chosen, on the stage while it is. */
function useJourney(scene: Scene, stage: Stage | null, robot: Model | undefined): Journey | null {
  const alone = scene.robots().length === 1;
  const journey = robot === undefined ? null : journeyOf(robot.name, alone);
  useEffect(() => {
    if (stage === null || journey === null) {
      return undefined;
    }
    journey.open();
    journey.onChange = () => stage.draw();
    stage.painter.journey = journey;
    return () => {
      stage.painter.journey = null;
      journey.close();
      stage.draw();
    };
  }, [stage, journey]);
  return journey;
}

function RobotPanel({ scene, robot, drive, journey, stage, close }: { scene: Scene; robot: Model; drive: Drive | null; journey: Journey | null; stage: Stage; close: () => void }) {
  const base = robot.devices.find((name) => name.startsWith('position2d:'));
  return (
    <section class="panel robot" aria-label={`Robot ${robot.name}`}>
      <header>
        <h2>
          <i class="swatch" style={{ background: `rgb(${robot.color.slice(0, 3).join()})` }} />
          {robot.name}
        </h2>
        <button class="quiet" type="button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <Values robot={robot} scene={scene} device={base === undefined ? undefined : deviceOf(scene, base)} />
      {drive === null ? <p class="hint">It has no device to drive it with.</p> : may('move') ? <DrivePanel drive={drive} /> : <p class="hint">Driving needs a key: the button at the top.</p>}
      {journey !== null && may('move') && <GoPanel journey={journey} stage={stage} />}
      <h3>Devices</h3>
      <ul class="readings">
        {devicesOf(scene, robot).map((device) => (
          <li key={device.name}>
            <a href={placeOf(device)}>{nameOf(device)}</a> <Reading device={device} />
          </li>
        ))}
      </ul>
    </section>
  );
}

// ---- The stage -------------------------------------------------------------------------------------

/** `chosen` is called behind a choice, so that the arrow keys drive at once. */
function Robots({ scene, stage, chosen }: { scene: Scene; stage: Stage; chosen: () => void }) {
  scene.ready.value;
  scene.count.value;
  const robots = scene.robots().sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  if (robots.length === 0) {
    return null;
  }
  const choose = (number: number) => {
    stage.selected.value = number;
    chosen();
  };
  return (
    <section class="panel" aria-label="Robots">
      <h2>{robots.length === 1 ? 'Robot' : `${robots.length} robots`}</h2>
      <ul class="robots">
        {robots.slice(0, 100).map((robot) => (
          <li key={robot.number}>
            <button type="button" aria-pressed={stage.selected.value === robot.number} onClick={() => choose(robot.number)}>
              <i class="swatch" style={{ background: `rgb(${robot.color.slice(0, 3).join()})` }} />
              {robot.name}
              {robot.controlled && <small>drives itself</small>}
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">Click a robot to see and drive it. Drag robots and things; drag the floor to move the view; turn the wheel or pinch to zoom.</p>
    </section>
  );
}

function Shows({ stage }: { stage: Stage }) {
  const shown = stage.shown.value;
  const maps = stage.scene instanceof Odometry ? [] : devices.value.filter((device) => device.interface === 'map').slice(0, MOST_MAPS);
  return (
    <div class="shows" role="group" aria-label="Show">
      {(['scans', 'trails', 'names'] as const).map((name) => (
        <button key={name} type="button" aria-pressed={shown[name]} onClick={() => (stage.shown.value = { ...shown, [name]: !shown[name] })}>
          {name.charAt(0).toUpperCase() + name.slice(1)}
        </button>
      ))}
      {maps.map((device) => (
        <button key={device.name} type="button" aria-pressed={stage.mapped.value === device.name} onClick={() => (stage.mapped.value = stage.mapped.value === device.name ? '' : device.name)}>
          {maps.length === 1 ? 'Map' : nameOf(device)}
        </button>
      ))}
      <span class="gap" />
      <button type="button" aria-label="Zoom in" onClick={() => stage.zoom(1.3)}>
        <Icon name="plus" />
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => stage.zoom(1 / 1.3)}>
        <Icon name="minus" />
      </button>
      <button type="button" aria-label="Show all" onClick={() => stage.fit()}>
        <Icon name="fit" />
      </button>
    </div>
  );
}

/** The vehicle of the robot that was chosen, for as long as it is. */
function useDrive(scene: Scene, robot: Model | undefined): Drive | null {
  const name = robot?.devices.find((one) => one.startsWith('position2d:'));
  const device = name === undefined ? undefined : deviceOf(scene, name);
  const drive = useMemo(() => {
    if (device === undefined) {
      return null;
    }
    const made = new Drive(device, true);
    if (robot !== undefined && robot.size.x < 0.2) {
      made.speed = { forward: 0.15, turn: 1 };
    }
    return made;
  }, [device?.name]);
  useEffect(() => () => drive?.close(), [drive]);
  return drive;
}

function keys(event: KeyboardEvent, stage: Stage, drive: Drive | null): void {
  const pans: Record<string, [number, number]> = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
  if (drive !== null && may('move') && drive.key(event, true)) {
    event.preventDefault();
  } else if (event.key === '+' || event.key === '=') {
    stage.zoom(1.3);
  } else if (event.key === '-') {
    stage.zoom(1 / 1.3);
  } else if (event.key === '0') {
    stage.fit();
  } else if (drive === null && pans[event.key] !== undefined) {
    stage.pan(...pans[event.key]);
    event.preventDefault();
  }
}

/** The name of the robot that was chosen: a new connection makes everything anew but this. */
let chosen = '';

function View({ scene }: { scene: Scene }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [stage, setStage] = useState<Stage | null>(null);
  useEffect(() => {
    const made = new Stage(scene, canvas.current!);
    setStage(made);
    Object.assign(canvas.current!, { stage: made }); // for tests
    const ends = [
      scene.ready.subscribe((ready) => {
        if (ready) {
          offerTour(scene.title);
        }
        const again = ready ? scene.robots().find((one) => one.name === chosen) : undefined;
        if (again !== undefined) {
          made.selected.value = again.number;
        }
      }),
      made.selected.subscribe((number) => {
        if (number >= 0 || scene.ready.peek()) {
          chosen = scene.models[number]?.name ?? ''; // also of a robot that is chosen while the rest of the world loads
        }
      }),
    ];
    void scene.open();
    return () => {
      ends.forEach((end) => end());
      made.close();
      scene.close();
    };
  }, [scene]);
  const robot = stage === null ? undefined : scene.models[stage.selected.value];
  const drive = useDrive(scene, robot);
  const journey = useJourney(scene, stage, robot);
  return (
    <div class="world">
      <h1 class="sr">World</h1>
      <div class="stage">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`The world ${scene.title} from above. ${robot === undefined ? 'Choose a robot in the list to drive it.' : `Arrow keys drive ${robot.name}.`}`}
          onKeyDown={(event) => stage !== null && keys(event, stage, drive)}
          onKeyUp={(event) => drive?.key(event, false)}
          onBlur={() => drive?.release()}
        />
        {!scene.ready.value && <p class="empty over">{scene.error.value || 'Loading the world …'}</p>}
        {stage !== null && !(scene instanceof Odometry) && scene.ready.value && <Clock scene={scene} />}
        {stage !== null && <Shows stage={stage} />}
      </div>
      <aside class="side">
        {stage !== null && robot !== undefined && (
          <RobotPanel key={robot.number} scene={scene} robot={robot} drive={drive} journey={journey} stage={stage} close={() => (stage.selected.value = -1)} />
        )}
        {stage !== null && <Robots scene={scene} stage={stage} chosen={() => canvas.current?.focus()} />}
      </aside>
    </div>
  );
}

export function WorldPage() {
  const device = devices.value.find((one) => one.interface === 'scene');
  const session = link.state.value === 'open';
  const vehicles = devices.value.some((one) => one.interface === 'position2d');
  const services = device !== undefined ? canAsk(device, 'POSES') : link.services.value.size > 0;
  const scene = useMemo(() => {
    if (!session || !services) {
      return null;
    }
    return device !== undefined ? new Scene(device) : vehicles ? new Odometry(devices.peek()) : null;
  }, [device?.name, session, services, vehicles]);
  if (scene === null) {
    return <p class="empty">{!session || device !== undefined || vehicles || descriptors.value === null ? 'Waiting for the server …' : 'This server has no simulated world and no vehicle. Its devices are on the page Devices.'}</p>;
  }
  return <View key={scene.device.name} scene={scene} />;
}
