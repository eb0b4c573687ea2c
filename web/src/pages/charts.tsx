// charts.tsx - numbers of devices over time, one chart for each unit, or over another number.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { factsAt, inputsOf, type Facts } from '../model/sensors';
import { csvOf } from '../model/trace';
import { Recorder } from '../model/traces';
import { canAsk, descriptors, deviceNamed, devices, link, nameOf, request, topicOf, type Device } from '../model/state';
import { seriesOf, title, unitText, type Series } from '../model/descriptors';
import { Icon } from '../parts/icons';
import { route } from '../parts/route';
import { save } from '../parts/save';
import { Chart, colour } from './chart';

// They stay while the user is on another page; nothing is read then.
const recorder = new Recorder();
const seconds = signal(30);

const AGAIN_MS = 700;
// Offered first, since they send numbers all the time.
const LIVELY = ['position2d', 'ranger', 'laser', 'sonar', 'aio', 'imu', 'power'];

// ---- What is drawn -----------------------------------------------------------------------------------

function key(series: Series): string {
  return series.path.join('.');
}

/** The properties of a device that tell something about its numbers. */
function useFacts(device: Device | undefined): Facts {
  const facts = useSignal<Facts>(new Map());
  const ready = canAsk(device, 'GET_PROPERTIES');
  useEffect(() => {
    let wanted = true;
    let timer = 0;
    facts.value = new Map();
    const load = async () => {
      const names: string[] = (await request(device!, 'GET_PROPERTIES')).properties.map((one: { key: string }) => one.key).filter((key: string) => /^(inputs|unit\.|uncertainty)/.test(key));
      const values = names.length === 0 ? [] : await link.getParameters(names.map((key) => topicOf(device!, key)));
      if (wanted) {
        facts.value = new Map(values.map((one) => [one.name.split('/').pop()!, one.value]));
        // A sensor that was just opened has not described itself yet.
        if (facts.peek().get('inputs') === '') {
          timer = setTimeout(() => void load().catch(() => {}), AGAIN_MS);
        }
      }
    };
    if (ready) {
      load().catch(() => {}); // a device without properties is charted without
    }
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [device?.name, ready]);
  return facts.value;
}

function Chooser() {
  const all = descriptors.value!;
  const useful = devices.value.filter((device) => all.messages(device.interface, 'data').some((message) => device.data.includes(message.name) && seriesOf(all, all.struct(message.ask)).length > 0));
  const wanted = useSignal(route.value[1] || '');
  const message = useSignal('');
  const value = useSignal('');
  const element = useSignal('min');
  const device: Device | undefined = deviceNamed(wanted.value) ?? LIVELY.map((name) => useful.find((one) => one.interface === name)).find((one) => one !== undefined) ?? useful[0];
  const messages = device === undefined ? [] : all.messages(device.interface, 'data').filter((one) => device.data.includes(one.name) && seriesOf(all, all.struct(one.ask)).length > 0);
  const chosen = messages.find((one) => one.name === message.value) ?? messages[0];
  const list = chosen === undefined ? [] : seriesOf(all, all.struct(chosen.ask));
  const series = list.find((one) => key(one) === value.value) ?? list.find((one) => one.path.includes('0')) ?? list[0];
  const isArray = series !== undefined && series.path.includes('0');
  const facts = useFacts(device);
  const inputs = isArray && device?.interface === 'aio' ? inputsOf(String(facts.get('inputs') ?? '')) : [];
  const place = inputs.length > 0 && !inputs.some((one) => String(one.index) === element.value) ? String(inputs[0].index) : element.value;
  const add = (event: Event) => {
    event.preventDefault();
    if (device !== undefined && chosen !== undefined && series !== undefined) {
      const path = series.path.map((step) => (step === '0' && isArray ? place || '0' : step));
      const input = inputs.find((one) => String(one.index) === place);
      const known = factsAt(facts, path);
      recorder.add(device, chosen.name, path, unitText(input?.unit ?? known.unit ?? series.unit), nameOf(device), input?.name, input?.uncertainty ?? known.uncertainty);
    }
  };
  return (
    <form class="toolbar chooser" onSubmit={add}>
      <label>
        Device
        <select value={device?.name} onChange={(event) => (wanted.value = event.currentTarget.value)}>
          {useful.map((one) => (
            <option key={one.name} value={one.name}>
              {nameOf(one)} {one.label}
            </option>
          ))}
        </select>
      </label>
      {messages.length > 1 && (
        <label>
          Message
          <select value={chosen?.name} onChange={(event) => (message.value = event.currentTarget.value)}>
            {messages.map((one) => (
              <option key={one.name} value={one.name}>
                {title(one.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Value
        <select value={series === undefined ? '' : key(series)} onChange={(event) => (value.value = event.currentTarget.value)}>
          {list.map((one) => (
            <option key={key(one)} value={key(one)} title={one.doc}>
              {one.path.filter((step) => step !== '0').join(' ').replace(/_/g, ' ')} {one.unit && `(${one.unit})`}
            </option>
          ))}
        </select>
      </label>
      {inputs.length > 0 && (
        <label>
          Input
          <select value={place} onChange={(event) => (element.value = event.currentTarget.value)}>
            {inputs.map((one) => (
              <option key={one.index} value={String(one.index)}>
                {one.name} {one.unit && `(${unitText(one.unit)})`}
              </option>
            ))}
          </select>
        </label>
      )}
      {isArray && inputs.length === 0 && (
        <label>
          Element
          <input type="text" size={5} list="elements" value={element.value} onInput={(event) => (element.value = event.currentTarget.value)} />
          <datalist id="elements">
            <option value="min" />
            <option value="max" />
            <option value="mean" />
            <option value="0" />
          </datalist>
        </label>
      )}
      <button type="submit" disabled={series === undefined}>
        <Icon name="plus" /> Add
      </button>
    </form>
  );
}

export default function ChartsPage() {
  const across = useSignal('');
  useEffect(() => recorder.listen(), [link.state.value]);
  if (descriptors.value === null) {
    return <p class="empty">Waiting for the server …</p>;
  }
  const traces = recorder.traces.value;
  const x = traces.find((trace) => trace.name === across.value) ?? null;
  const drawn = traces.filter((trace) => trace !== x);
  const units = [...new Set(drawn.map((trace) => trace.unit))];
  return (
    <div class="charts">
      <div class="toolbar">
        <h1>Charts</h1>
        <label>
          Show the last
          <select value={String(seconds.value)} onChange={(event) => (seconds.value = +event.currentTarget.value)}>
            {[10, 30, 60, 300, 900].map((one) => (
              <option key={one} value={String(one)}>
                {one < 60 ? `${one} s` : `${one / 60} min`}
              </option>
            ))}
          </select>
        </label>
        <label>
          over
          <select value={x?.name ?? ''} onChange={(event) => (across.value = event.currentTarget.value)}>
            <option value="">time</option>
            {traces.map((trace) => (
              <option key={trace.name} value={trace.name}>
                {trace.name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" aria-pressed={recorder.paused.value} onClick={() => (recorder.paused.value = !recorder.paused.value)}>
          <Icon name={recorder.paused.value ? 'play' : 'pause'} /> {recorder.paused.value ? 'Continue' : 'Pause'}
        </button>
        <button type="button" disabled={traces.length === 0} onClick={() => save('troupe.csv', 'text/csv', csvOf(recorder.traces.peek()))}>
          <Icon name="down" /> CSV
        </button>
      </div>
      <Chooser />
      {traces.length === 0 ? (
        <p class="empty">Add a number of a device: a range of a laser, the speed of a vehicle, the charge of a battery.</p>
      ) : (
        <ul class="traces" aria-label="Values in the charts">
          {traces.map((trace) => (
            <li key={trace.name}>
              <i class="swatch" style={{ background: colour(trace.color) }} />
              {trace.name}
              <button class="quiet small" type="button" aria-label={`Remove ${trace.name}`} onClick={() => recorder.remove(trace)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {units.map((unit) => (
        <Chart key={unit} unit={unit} traces={drawn.filter((trace) => trace.unit === unit)} x={x} seconds={seconds} />
      ))}
    </div>
  );
}

