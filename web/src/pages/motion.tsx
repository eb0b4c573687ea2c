// motion.tsx - timed motion: the mechanism, its joints, frames that wait, rate and hold.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Canvas, type Pen } from '../cards/canvas';
import { Mechanism, OWN_NAME, skeleton, type Description, type Joint } from '../model/mechanism';
import { canAsk, devices, fail, may, robotOf, stop } from '../model/state';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { go, route } from '../parts/route';
import { Slider } from '../parts/slider';
import './motion.css';

const SHOWN_S = 20; // of the timeline

// ---- The robot -----------------------------------------------------------------------------------------

function drawRobot(pen: Pen, width: number, height: number, robot: Description, dofs: number[], angle: number): void {
  const shape = skeleton(robot, dofs);
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const lift = 0.42;
  const flat = (p: number[]): [number, number] => [c * p[0] - s * p[1], -(p[2] * Math.cos(lift) - (s * p[0] + c * p[1]) * Math.sin(lift))];
  const points = [...shape.lines.flat(), ...shape.joints].map(flat);
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((width - 60) / Math.max(x1 - x0, 0.2), (height - 50) / Math.max(y1 - y0, 0.2), 900);
  const place = (p: number[]): [number, number] => {
    const [x, y] = flat(p);
    return [width / 2 + (x - (x0 + x1) / 2) * scale, height / 2 + (y - (y0 + y1) / 2) * scale];
  };
  pen.lineCap = 'round';
  pen.lineWidth = 7;
  pen.strokeStyle = pen.soft;
  pen.beginPath();
  for (const [from, to] of shape.lines) {
    pen.moveTo(...place(from));
    pen.lineTo(...place(to));
  }
  pen.stroke();
  pen.fillStyle = pen.accent;
  for (const joint of shape.joints) {
    pen.beginPath();
    pen.arc(...place(joint), 5, 0, 2 * Math.PI);
    pen.fill();
  }
}

function Robot({ robot, mechanism }: { robot: Description; mechanism: Mechanism }) {
  const angle = useSignal(0.7);
  const state = mechanism.state.value;
  return (
    <section class="panel">
      <h2>{robot.name}</h2>
      <Canvas height={260} label={`The mechanism ${robot.name} with ${robot.joints.length} joints`} value={`${state?.dofs} ${angle.value}`} draw={(pen, width, height) => drawRobot(pen, width, height, robot, state?.dofs ?? [], angle.value)} />
      <label class="turn">
        Look from
        <input type="range" min="-3.14" max="3.14" step="0.05" value={angle.value} onInput={(event) => (angle.value = +event.currentTarget.value)} />
      </label>
    </section>
  );
}

/** Links and joints as a tree. */
function Tree({ robot, mechanism }: { robot: Description; mechanism: Mechanism }) {
  const rows: { joint: Joint; index: number; depth: number }[] = [];
  const walk = (parent: number, depth: number) =>
    robot.joints.forEach((joint, index) => {
      if (joint.parent === parent) {
        rows.push({ joint, index, depth });
        const branches = robot.joints.filter((other) => other.parent === joint.child).length > 1;
        walk(joint.child, branches ? depth + 1 : depth);
      }
    });
  walk(0xffff, 0);
  return (
    <section class="panel" aria-label="Joints">
      <h2>Joints</h2>
      <ul class="tree">
        {rows.map(({ joint, index, depth }) => (
          <li key={joint.name} style={{ marginLeft: `${depth * 18}px` }}>
            <div class="node">
              <strong>{index === 0 ? 'base' : joint.name}</strong> <small>→ {robot.links[joint.child]}</small>
            </div>
            {joint.dofs.map((_, dof) => (
              <DofRow key={dof} robot={robot} joint={joint} index={index} dof={dof} mechanism={mechanism} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function DofRow({ joint, index, dof, mechanism }: { robot: Description; joint: Joint; index: number; dof: number; mechanism: Mechanism }) {
  const what = joint.dofs[dof];
  const turns = what.type === 1;
  const value: number = mechanism.state.value?.dofs[joint.first + dof] ?? 0;
  const holder = mechanism.holders.value.find((one) => one.joint === index && one.dof === dof);
  const [low, high] = [Number.isFinite(what.lower) ? what.lower : turns ? -Math.PI : -2, Number.isFinite(what.upper) ? what.upper : turns ? Math.PI : 2];
  const id = `dof-${index}-${dof}`;
  const taken = holder !== undefined && holder.label !== OWN_NAME && !mechanism.takes.value;
  const fixed = index === 0 || what.mimics || (what.servo & 1) === 0;
  const names = index === 0 ? (joint.dofs.length === 3 ? ['x', 'y', 'heading'] : ['x', 'y', 'z', 'yaw', 'pitch', 'roll']) : null;
  return (
    <div class="dof">
      <label for={id}>{names?.[dof] ?? (joint.dofs.length > 1 ? `${joint.name}:${dof}` : turns ? 'turn' : 'slide')}</label>
      {fixed ? (
        <meter id={id} min={low} max={high} value={value} />
      ) : (
        <Slider id={id} min={low} max={high} step={(high - low) / 200} value={value} disabled={!may('move') || taken || !!mechanism.state.value?.panicked} title={taken ? `${holder.label} moves it` : undefined} set={(place) => void mechanism.set(index, dof, place, 1).catch(fail)} />
      )}
      <output class="num">{turns ? `${number((value * 180) / Math.PI, 1)} °` : `${number(value, 3)} m`}</output>
      {holder !== undefined && <span class={`chip ${taken ? 'warn' : 'good'}`}>{holder.label === OWN_NAME ? 'yours' : holder.label || 'held'}</span>}
    </div>
  );
}

// ---- Time ------------------------------------------------------------------------------------------------

const COLOURS = ['#1f6f94', '#b3392f', '#2f7d4a', '#8a5a00', '#6b4a94', '#0f7a70'];

/** Positions of the first dofs, frames that wait below, and where the rate was not 1. */
function drawTimeline(pen: Pen, width: number, height: number, mechanism: Mechanism): void {
  const { past } = mechanism;
  const now = past[past.length - 1]?.time ?? 0;
  const left = 34;
  const x = (time: number) => width - 8 - ((now - time) / SHOWN_S) * (width - left - 8);
  const shown = past.filter((one) => one.time > now - SHOWN_S);
  const split = height * 0.66;
  pen.strokeStyle = pen.soft;
  pen.fillStyle = pen.ink;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(left, split);
  pen.lineTo(width - 8, split);
  pen.moveTo(left, height - 16);
  pen.lineTo(width - 8, height - 16);
  pen.stroke();
  for (let age = 0; age <= SHOWN_S; age += 5) {
    pen.fillText(age === 0 ? 'now' : `−${age} s`, Math.min(x(now - age) - 10, width - 28), height - 3);
  }
  pen.fillText('dofs', 2, 14);
  pen.fillText('frames', 0, split + 14);
  const count = Math.min(6, shown[0]?.dofs.length ?? 0);
  for (let dof = 0; dof < count; dof++) {
    const values = shown.map((one) => one.dofs[dof]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = Math.max(high - low, 0.05);
    pen.strokeStyle = COLOURS[dof];
    pen.lineWidth = 1.5;
    pen.beginPath();
    shown.forEach((one, i) => {
      const y = split - 8 - ((one.dofs[dof] - (low + high) / 2) / room + 0.5) * (split - 20);
      i === 0 ? pen.moveTo(x(one.time), y) : pen.lineTo(x(one.time), y);
    });
    pen.stroke();
  }
  const most = Math.max(5, ...shown.map((one) => one.frames));
  pen.fillStyle = pen.accent;
  shown.forEach((one) => {
    const bar = (one.frames / most) * (height - 16 - split - 4);
    pen.fillRect(x(one.time) - 1.5, height - 16 - bar, 3, bar);
  });
  pen.globalAlpha = 0.18;
  pen.fillStyle = '#c4201a';
  shown.filter((one) => one.rate < 1).forEach((one) => pen.fillRect(x(one.time) - 2, 0, 4, height - 16));
  pen.globalAlpha = 1;
}

function Timeline({ mechanism }: { mechanism: Mechanism }) {
  const queues = mechanism.queues.value;
  const state = mechanism.state.value;
  return (
    <section class="panel">
      <h2>Timeline</h2>
      <Canvas height={190} label={`Positions of the last ${SHOWN_S} seconds, and ${state?.frames ?? 0} frames that wait`} value={state} draw={(pen, width, height) => drawTimeline(pen, width, height, mechanism)} />
      <p class="caption">Red where the robot's time is slowed or held.</p>
      <dl class="tiles small-tiles">
        {[
          ['Frames that wait', number(state?.frames)],
          ['Commands to devices', number(state?.writes)],
          ['Clients', number(state?.clients)],
          ['Over the limits', number(state?.excesses)],
          ...(queues === null || queues.played + queues.command + queues.playback === 0
            ? []
            : [
                ['Yours: waiting', `${queues.command} + ${queues.playback}`],
                ['Yours: played', number(queues.played)],
                ['Yours: late', `${queues.late}, at most ${number(queues.longest * 1000, 1)} ms`],
                ['Yours: dropped', number(queues.dropped)],
              ]),
        ].map(([label, value]) => (
          <div class="tile" key={label}>
            <dt>{label}</dt>
            <dd class="num">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

// ---- Rate ------------------------------------------------------------------------------------------------

function Controls({ mechanism }: { mechanism: Mechanism }) {
  const rate: number = mechanism.state.value?.rate ?? 1;
  const panicked = !!mechanism.state.value?.panicked;
  const no = !may('move') || panicked;
  const others = mechanism.others();
  const busy = others.length > 0 && !mechanism.takes.value;
  const set = (value: number) => void mechanism.rate(value).catch(fail);
  return (
    <div class="row controls" role="group" aria-label="Motion">
      <button type="button" disabled={no} aria-pressed={rate === 0} onClick={() => set(rate === 0 ? 1 : 0)}>
        <Icon name={rate === 0 ? 'play' : 'pause'} /> {rate === 0 ? 'Resume' : 'Hold'}
      </button>
      <label>
        Rate
        <Slider min={0} max={1} step={0.05} disabled={no} value={rate} set={set} />
        <output class="num">{number(rate * 100, 0)} %</output>
      </label>
      <button type="button" disabled={no || busy} title={busy ? `${others.join(', ')} moves joints` : undefined} onClick={() => void mechanism.home().catch(fail)}>
        All joints home
      </button>
      <button type="button" disabled={no} title="Ends what this page has commanded" onClick={() => void mechanism.cancel().catch(fail)}>
        Cancel
      </button>
      {mechanism.mayTake() && (
        <label title="Your commands take joints from other clients, for example from a sequence that plays">
          <input type="checkbox" checked={mechanism.takes.value} disabled={no} onChange={(event) => void mechanism.take(event.currentTarget.checked).catch(fail)} /> take over
        </label>
      )}
      <button type="button" class="danger" onClick={() => stop.press('panic of the page Motion')}>
        Panic
      </button>
    </div>
  );
}

/** Who moves it, and what the robot answered to the last action. */
function Words({ mechanism }: { mechanism: Mechanism }) {
  const others = mechanism.others();
  return (
    <div class="words" role="log" aria-label="What the robot answers">
      {mechanism.state.value?.panicked ? (
        <div class="bad">Nothing moves: there is a panic. Reset it below.</div>
      ) : (
        others.length > 0 &&
        !mechanism.takes.value && (
          <div class="soft">
            {others.join(', ')} moves this robot. {mechanism.mayTake() ? 'Choose take over to move its joints yourself.' : 'Its joints are free when it has ended.'}
          </div>
        )
      )}
      {mechanism.words.value.map((word) => (
        <div key={word.text} class={word.bad ? 'bad' : 'soft'}>
          {word.text} {word.count > 1 && `(${word.count} times)`}
        </div>
      ))}
    </div>
  );
}

function Modes() {
  return (
    <details class="ask">
      <summary>Modes of frames</summary>
      <dl class="values">
        <dt>direct</dt>
        <dd>Commands start when they arrive. This page uses it.</dd>
        <dt>delay</dt>
        <dd>Frames start at their instants; a late one starts at once.</dd>
        <dt>playback</dt>
        <dd>A whole sequence starts when it cannot stall any more.</dd>
        <dt>adaptive</dt>
        <dd>A sequence starts soon; time runs slower when frames are late, so that the path stays right.</dd>
      </dl>
    </details>
  );
}

export default function MotionPage() {
  const all = devices.value.filter((device) => device.interface === 'mechanism');
  const device = all.find((one) => one.name === route.value[1]) ?? all[0];
  const open = canAsk(device, 'PROMOTE');
  const mechanism = useMemo(() => (device === undefined || !open ? null : new Mechanism(device)), [device?.name, open]);
  useEffect(() => {
    void mechanism?.open();
    return () => mechanism?.close();
  }, [mechanism]);
  if (mechanism === null) {
    return <p class="empty">{device === undefined ? 'This server has no robot that plays timed motion (the interface mechanism).' : 'Waiting for the server …'}</p>;
  }
  const robot = mechanism.description.value;
  return (
    <div class="motion">
      <div class="toolbar">
        <h1>Motion</h1>
        {all.length > 1 && (
          <label>
            Robot
            <select value={device!.name} onChange={(event) => go('motion', event.currentTarget.value)}>
              {all.map((one) => (
                <option key={one.name} value={one.name}>
                  {robotOf(one)}
                </option>
              ))}
            </select>
          </label>
        )}
        <Controls mechanism={mechanism} />
      </div>
      {mechanism.error.value !== '' && (
        <p class="bad" role="alert">
          {mechanism.error.value}
        </p>
      )}
      <Words mechanism={mechanism} />
      <div class="motion-grid">
        {robot !== null && <Robot robot={robot} mechanism={mechanism} />}
        <Timeline mechanism={mechanism} />
        {robot !== null && <Tree robot={robot} mechanism={mechanism} />}
      </div>
      <Modes />
    </div>
  );
}
