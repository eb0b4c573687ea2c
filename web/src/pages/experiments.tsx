// experiments.tsx - experiments with sensors that describe themselves: choose channels and settings, start, watch, save.
import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { unitText } from '../model/descriptors';
import { acts, draftOf, ENDED, RUNNING, textOf, timeText, used, type Channel, type Draft, type Part, type Sensor, type Setting } from '../model/experiment';
import { Run } from '../model/run';
import { canAsk, devices, fail, link, may, nameOf, request, type Device } from '../model/state';
import { csvOf } from '../model/trace';
import { Icon } from '../parts/icons';
import { brief, number } from '../parts/number';
import { save } from '../parts/save';
import { Chart, colour } from './chart';
import './experiments.css';

// They stay while the user is on another page.
const parts = signal<Part[]>([]);
const run = signal<Run | null>(null);
const title = signal('');
const everything = signal(Infinity); // seconds of a chart

const LOOK_MS = 1500;

// ---- Sensors --------------------------------------------------------------------------------------------

/** What the user chose stays for the same kind of sensor. At first the first channel of the first sensor is chosen. */
function partOf(device: Device, sensor: Sensor, before: Part | undefined, isFirst: boolean): Part {
  const same = before !== undefined && before.sensor.uuid === sensor.uuid;
  const first = isFirst ? sensor.channels.find((channel) => !acts(channel)) : undefined;
  const drafts = Object.fromEntries(sensor.channels.map((channel) => [channel.number, same ? before.drafts[channel.number] : draftOf(channel, channel === first)]));
  return { device, sensor, drafts };
}

async function look(all: Device[]): Promise<void> {
  const answers = await Promise.all(all.map((device) => request(device, 'GET_CHANNELS').catch(() => null)));
  const fresh = all.flatMap((device, i) => (answers[i]?.sensor ? [partOf(device, answers[i], parts.peek().find((part) => part.device.name === device.name), i === 0)] : []));
  if (JSON.stringify(fresh) !== JSON.stringify(parts.peek())) {
    parts.value = fresh;
  }
}

/** Sensors come and go; while something runs, nothing is asked. */
function useSensors(all: Device[]): void {
  const ready = all.length > 0 && all.every((device) => canAsk(device, 'GET_CHANNELS'));
  useEffect(() => {
    if (!ready) {
      return undefined;
    }
    const ask = () => document.visibilityState === 'visible' && run.peek()?.phase !== RUNNING && void look(all).catch(() => {});
    void look(all).then(() => adopt(all), fail);
    const timer = setInterval(ask, LOOK_MS);
    return () => clearInterval(timer);
  }, [ready, all.map((device) => device.name).join()]);
}

/** An experiment that somebody else has started is shown too. */
async function adopt(all: Device[]): Promise<void> {
  const states = await Promise.all(all.map((device) => request(device, 'GET_STATE')));
  if (run.peek() === null && states.some((state) => state.phase === RUNNING)) {
    const running = parts.peek().filter((part) => states[all.findIndex((device) => device.name === part.device.name)]?.phase === RUNNING);
    const made = new Run(running, () => true);
    running.forEach((part) => made.see(part, states[all.findIndex((device) => device.name === part.device.name)]));
    run.value = made;
  }
}

// ---- Starting and ending --------------------------------------------------------------------------------

async function begin(): Promise<void> {
  const chosen = used(parts.peek());
  const text = textOf(title.peek(), parts.peek());
  for (const part of chosen) {
    await request(part.device, 'SETUP', { name: 'experiment', text });
  }
  // Units and uncertainties are those of the conversions that were chosen.
  await look(parts.peek().map((part) => part.device));
  const fresh = parts.peek().filter((part) => chosen.some((one) => one.device.name === part.device.name));
  run.peek()?.end();
  const made = new Run(fresh, (part, channel) => part.drafts[channel].on);
  run.value = made;
  const started: Part[] = [];
  try {
    for (const part of fresh) {
      await request(part.device, 'START');
      started.push(part);
      made.keep();
    }
  } catch (error) {
    await Promise.all(started.map((part) => request(part.device, 'STOP').catch(() => null)));
    throw error;
  }
  for (const part of fresh) {
    made.see(part, await request(part.device, 'GET_STATE'));
  }
}

function end(): void {
  const states = run.peek()?.states.peek() ?? {};
  for (const part of parts.peek()) {
    if (states[part.device.name]?.phase === RUNNING) {
      request(part.device, 'STOP').catch(fail);
    }
  }
}

function trigger(): void {
  for (const part of used(parts.peek())) {
    if (Object.values(part.drafts).some((draft) => draft.on && draft.start === 'trigger')) {
      request(part.device, 'TRIGGER', { channel: 0 }).catch(fail);
    }
  }
}

// ---- Forms ----------------------------------------------------------------------------------------------

function change(part: Part, channel: Channel, by: Partial<Draft>): void {
  parts.value = parts.peek().map((one) => (one.device.name !== part.device.name ? one : { ...one, drafts: { ...one.drafts, [channel.number]: { ...one.drafts[channel.number], ...by } } }));
}

function Text({ label, hint, value, long, set }: { label: string; hint: string; value: string; long?: boolean; set: (value: string) => void }) {
  return (
    <label title={hint}>
      {label}
      <input type="text" class={long ? 'long' : ''} placeholder={hint} value={value} onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
}

function SettingField({ setting, value, set }: { setting: Setting; value: string; set: (value: string) => void }) {
  if (setting.name === 'conversion' && setting.choices.length < 2) {
    return null;
  }
  const name = setting.name === 'conversion' ? 'Unit' : setting.name.replace(/_/g, ' ');
  const now = value === '' ? String(setting.value) : value;
  return setting.choices.length === 0 ? (
    <Text label={name} hint={`${brief(setting.min)} to ${brief(setting.max)}`} value={value} set={set} />
  ) : (
    <label>
      {name}
      <select value={now} onChange={(event) => set(event.currentTarget.value)}>
        {setting.choices.map((choice) => (
          <option key={choice.value} value={String(choice.value)}>
            {setting.name === 'conversion' ? unitText(choice.name) : choice.name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ChannelForm({ part, channel }: { part: Part; channel: Channel }) {
  const draft = part.drafts[channel.number];
  const put = (by: Partial<Draft>) => change(part, channel, by);
  const others = part.sensor.channels.filter((one) => one.number !== channel.number && part.drafts[one.number].on);
  const kinds = ['measures', 'acts', 'says when'];
  return (
    <fieldset>
      <legend>
        <label>
          <input type="checkbox" checked={draft.on} onChange={(event) => put({ on: event.currentTarget.checked })} /> {channel.name}
          {channel.parameter !== '' && channel.parameter !== channel.name && `: ${channel.parameter}`}
        </label>
      </legend>
      <p class="hint">
        ch{channel.number} {kinds[channel.kind]} {channel.kind === 2 ? '' : `${brief(channel.min)} to ${brief(channel.max)} ${unitText(channel.unit)}`}
        {channel.uncertainty > 0 && `, ± ${brief(channel.uncertainty)}`}
        {channel.min_period > 0 && `, at most every ${timeText(channel.min_period)}`}
      </p>
      {draft.on && (
        <div class="choices">
          <Text label="Every" hint="10ms, 1s" value={draft.every} set={(every) => put({ every })} />
          <Text label="Until" hint="100, 60s" value={draft.end} set={(end) => put({ end })} />
          <label>
            Start
            <select value={draft.start} onChange={(event) => put({ start: event.currentTarget.value })}>
              <option value="now">at once</option>
              <option value="trigger">with Trigger</option>
              {others.map((one) => (
                <option key={one.number} value={`ch${one.number}`}>
                  with {one.name}
                </option>
              ))}
            </select>
          </label>
          {acts(channel) && <Text label="Values" hint="0,50,100" long value={draft.values} set={(values) => put({ values })} />}
          {acts(channel) && (
            <label>
              <span>At the last value</span>
              <select value={draft.repeats ? 'repeat' : 'hold'} onChange={(event) => put({ repeats: event.currentTarget.value === 'repeat' })}>
                <option value="hold">hold it</option>
                <option value="repeat">begin again</option>
              </select>
            </label>
          )}
          {channel.kind === 2 && <Text label="Event" hint="VALUE:RANGE:once" long value={draft.event} set={(event) => put({ event })} />}
          {channel.settings.map((setting) => (
            <SettingField key={setting.name} setting={setting} value={draft.settings[setting.name] ?? ''} set={(value) => put({ settings: { ...draft.settings, [setting.name]: value } })} />
          ))}
        </div>
      )}
    </fieldset>
  );
}

function SensorPanel({ part }: { part: Part }) {
  return (
    <section class="panel" aria-label={`Sensor ${part.sensor.sensor}`}>
      <h2>
        {part.sensor.sensor} <small>{nameOf(part.device)}</small>
      </h2>
      {part.sensor.channels.map((channel) => (
        <ChannelForm key={channel.number} part={part} channel={channel} />
      ))}
    </section>
  );
}

// ---- What comes -----------------------------------------------------------------------------------------

function Now({ now }: { now: Run | null }) {
  const states = now === null ? [] : Object.values(now.states.value);
  const sum = (of: 'samples' | 'lost') => states.reduce((all, state) => all + state[of], 0);
  // A fast sensor can send more than a slow connection takes.
  const missing = now !== null && now.phase === ENDED ? sum('samples') - now.taken : 0;
  const why = states.map((state) => state.why).find((text) => text !== '');
  if (now === null || states.length === 0) {
    return null;
  }
  return (
    <p class="now" role="status">
      <span class={`chip ${now.phase === RUNNING ? 'good' : ''}`}>{now.phase === RUNNING ? 'running' : now.phase === ENDED ? 'ended' : 'ready'}</span> {number(sum('samples'))} samples, {number(sum('lost'))} lost
      {missing > 0 && `; ${number(missing)} of them did not reach this page: record them with troupe log --experiment`}
      {why !== undefined && <span class="bad">. It has ended early: {why}</span>}
    </p>
  );
}

function Results({ now, across }: { now: Run; across: Signal<string> }) {
  const x = now.traces.find((trace) => trace.name === across.value) ?? null;
  const drawn = now.traces.filter((trace) => trace !== x);
  return (
    <>
      <ul class="traces" aria-label="Channels in the charts">
        {now.traces.map((trace) => (
          <li key={trace.name}>
            <i class="swatch" style={{ background: colour(trace.color) }} />
            {trace.name}
          </li>
        ))}
      </ul>
      {[...new Set(drawn.map((trace) => trace.unit))].map((unit) => (
        <Chart key={unit} unit={unit} traces={drawn.filter((trace) => trace.unit === unit)} x={x} seconds={everything} />
      ))}
    </>
  );
}

// ---- The page -------------------------------------------------------------------------------------------

const EXAMPLE = 'driver ( name "sensor" port "/dev/ttyACM*" provides [ "aio:0" "experiment:0" ] )';

function Bar({ across }: { across: Signal<string> }) {
  const busy = useSignal(false);
  const now = run.value;
  const runs = now?.phase === RUNNING;
  const text = textOf(title.value, parts.value);
  const waits = used(parts.value).some((part) => Object.values(part.drafts).some((draft) => draft.on && draft.start === 'trigger'));
  const go = () => {
    busy.value = true;
    begin()
      .catch(fail)
      .finally(() => (busy.value = false));
  };
  return (
    <>
      <div class="toolbar">
        <h1>Experiments</h1>
        <label>
          Title <input type="text" maxLength={80} value={title.value} onInput={(event) => (title.value = event.currentTarget.value)} />
        </label>
        {runs ? (
          <button type="button" disabled={!may('write')} onClick={end}>
            <Icon name="stop" /> End
          </button>
        ) : (
          <button type="button" class="go" disabled={!may('move') || text === '' || busy.value} onClick={go}>
            <Icon name="play" /> Start
          </button>
        )}
        {waits && (
          <button type="button" disabled={!runs || !may('move')} onClick={trigger}>
            Trigger
          </button>
        )}
        <label>
          over
          <select value={across.value} onChange={(event) => (across.value = event.currentTarget.value)}>
            <option value="">time</option>
            {(now?.traces ?? []).map((trace) => (
              <option key={trace.name} value={trace.name}>
                {trace.name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={now === null} onClick={() => save('experiment.csv', 'text/csv', csvOf(now!.traces))}>
          <Icon name="down" /> CSV
        </button>
        <button type="button" disabled={text === ''} title="For troupe log --experiment" onClick={() => save('experiment.exp', 'text/plain', text)}>
          <Icon name="down" /> Experiment
        </button>
      </div>
      <Now now={now} />
    </>
  );
}

export default function ExperimentsPage() {
  const across = useSignal('');
  const all = devices.value.filter((device) => device.interface === 'experiment');
  useSensors(link.state.value === 'open' ? all : []);
  const now = run.value;
  return (
    <div class="experiments">
      <Bar across={across} />
      {all.length === 0 ? (
        <div class="empty">
          <p>This server has no sensor for experiments. Add a section to its configuration:</p>
          <pre>{EXAMPLE}</pre>
        </div>
      ) : (
        parts.value.length === 0 && <p class="empty">No sensor is plugged in.</p>
      )}
      {now !== null && <Results now={now} across={across} />}
      <div class="sections">
        {parts.value.map((part) => (
          <SensorPanel key={part.device.name} part={part} />
        ))}
      </div>
      {parts.value.length > 0 && (
        <details class="ask">
          <summary>The experiment as text</summary>
          <pre>{textOf(title.value, parts.value) || 'Choose a channel.'}</pre>
        </details>
      )}
    </div>
  );
}
