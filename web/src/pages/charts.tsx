// charts.tsx - numbers of devices over time, one chart for each unit.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { csvOf, type Trace } from '../model/trace';
import { Recorder } from '../model/traces';
import { descriptors, deviceNamed, devices, link, nameOf, type Device } from '../model/state';
import { seriesOf, title, type Series } from '../model/descriptors';
import { save, savePng } from '../parts/save';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { route } from '../parts/route';
import { isDark } from '../parts/theme';

const COLOURS = [
  ['#1f6f94', '#6cb4d8'],
  ['#b3392f', '#ff9a8c'],
  ['#2f7d4a', '#6cc08b'],
  ['#8a5a00', '#e0b050'],
  ['#6b4a94', '#b79be0'],
  ['#0f7a70', '#5cc7bb'],
];
const DRAW_MS = 100;

// They stay while the user is on another page; nothing is read then.
const recorder = new Recorder();
const seconds = signal(30);

function colour(i: number): string {
  return COLOURS[i % COLOURS.length][isDark.value ? 1 : 0];
}

// ---- One chart -------------------------------------------------------------------------------------

function options(traces: Trace[], unit: string, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue('--ink');
  const line = style.getPropertyValue('--line');
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif' };
  return {
    width,
    height: 240,
    scales: { x: { time: false } },
    axes: [
      { ...axis, label: 'time (s)', labelSize: 18, size: 34 },
      { ...axis, label: unit === '' ? 'value' : `value (${unit})`, labelSize: 20, size: 56, values: (_, ticks) => ticks.map((tick) => number(tick, undefined).replace(/\.?0+$/, '')) },
    ],
    series: [
      { label: 'time', value: (_, value) => (value == null ? '–' : `${number(value, 2)} s`) },
      ...traces.map((trace) => ({
        label: trace.name,
        stroke: colour(trace.color),
        width: 1.5,
        spanGaps: true,
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value == null ? '–' : `${number(value)} ${unit}`),
      })),
    ],
    cursor: { sync: { key: 'troupe' }, points: { size: 7 } },
  };
}

function Chart({ unit, traces }: { unit: string; traces: Trace[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = isDark.value;
  const names = traces.map((trace) => trace.name).join();
  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(options(traces, unit, element.clientWidth || 300), [[]], element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: 240 }));
    observer.observe(element);
    let drawn = -1;
    const timer = setInterval(() => {
      const total = traces.reduce((sum, trace) => sum + trace.total, 0);
      if (total === drawn || document.visibilityState !== 'visible') {
        return;
      }
      drawn = total;
      const tables = traces.map((trace) => trace.recent(seconds.peek())).map(([x, y]) => [x, y] as uPlot.AlignedData);
      made.setData(tables.length === 1 ? tables[0] : uPlot.join(tables));
    }, DRAW_MS);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      made.destroy();
    };
  }, [names, unit, dark]);
  // The cursor by keys.
  const keys = (event: KeyboardEvent) => {
    const u = plot.current;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 };
    if (u === null || steps[event.key] === undefined || u.data[0].length === 0) {
      return;
    }
    event.preventDefault();
    const at = Math.max(0, Math.min(u.data[0].length - 1, (u.cursor.idx ?? u.data[0].length - 1) + steps[event.key]));
    u.setCursor({ left: u.valToPos(u.data[0][at], 'x'), top: u.bbox.height / devicePixelRatio / 2 });
  };
  const png = () => {
    const canvas = plot.current!.ctx.canvas;
    savePng(canvas, traces.map((trace) => ({ text: trace.name, color: colour(trace.color) })), `troupe-${unit.replace(/[^a-z0-9]/gi, '') || 'values'}.png`);
  };
  return (
    <section class="panel chart" aria-label={`Chart of ${traces.map((trace) => trace.name).join(', ')}`}>
      <div class="plot" ref={place} tabIndex={0} role="img" aria-label={`${traces.map((trace) => trace.name).join(', ')} over time${unit === '' ? '' : ` in ${unit}`}. Arrow keys move the cursor; the table below has the values.`} onKeyDown={keys} />
      <div class="row">
        <button type="button" class="small" onClick={png}>
          <Icon name="down" /> PNG
        </button>
        <Table traces={traces} unit={unit} />
      </div>
    </section>
  );
}

/** The last values, for readers of the screen and for those who like numbers. */
function Table({ traces, unit }: { traces: Trace[]; unit: string }) {
  const open = useSignal(false);
  const tick = useSignal(0);
  useEffect(() => {
    if (!open.value) {
      return undefined;
    }
    const timer = setInterval(() => tick.value++, 1000);
    return () => clearInterval(timer);
  }, [open.value]);
  tick.value;
  return (
    <details class="ask grow" onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>Table of the last values</summary>
      {open.value && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Last values">
          <table>
            <thead>
              <tr>
                <th scope="col">Value{unit === '' ? '' : ` in ${unit}`}</th>
                <th scope="col" class="right">
                  now
                </th>
                <th scope="col" class="right">
                  least
                </th>
                <th scope="col" class="right">
                  mean
                </th>
                <th scope="col" class="right">
                  greatest
                </th>
                <th scope="col" class="right">
                  values
                </th>
              </tr>
            </thead>
            <tbody>
              {traces.map((trace) => {
                const values = trace.recent(seconds.value)[1];
                return (
                  <tr key={trace.name}>
                    <th scope="row">{trace.name}</th>
                    <td class="num right">{number(values[values.length - 1])}</td>
                    <td class="num right">{values.length > 0 ? number(Math.min(...values)) : '–'}</td>
                    <td class="num right">{values.length > 0 ? number(values.reduce((sum, value) => sum + value, 0) / values.length) : '–'}</td>
                    <td class="num right">{values.length > 0 ? number(Math.max(...values)) : '–'}</td>
                    <td class="num right">{values.length}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

// ---- What is drawn -----------------------------------------------------------------------------------

function key(series: Series): string {
  return series.path.join('.');
}

function Chooser() {
  const all = descriptors.value!;
  const useful = devices.value.filter((device) => all.messages(device.interface, 'data').some((message) => device.data.includes(message.name) && seriesOf(all, all.struct(message.ask)).length > 0));
  const wanted = useSignal(route.value[1] || '');
  const message = useSignal('');
  const value = useSignal('');
  const element = useSignal('min');
  const device: Device | undefined = deviceNamed(wanted.value) ?? useful[0];
  const messages = device === undefined ? [] : all.messages(device.interface, 'data').filter((one) => device.data.includes(one.name) && seriesOf(all, all.struct(one.ask)).length > 0);
  const chosen = messages.find((one) => one.name === message.value) ?? messages[0];
  const list = chosen === undefined ? [] : seriesOf(all, all.struct(chosen.ask));
  const series = list.find((one) => key(one) === value.value) ?? list.find((one) => one.path.includes('0')) ?? list[0];
  const isArray = series !== undefined && series.path.includes('0');
  const add = (event: Event) => {
    event.preventDefault();
    if (device !== undefined && chosen !== undefined && series !== undefined) {
      const path = series.path.map((step) => (step === '0' && isArray ? element.value || '0' : step));
      recorder.add(device, chosen.name, path, series.unit, nameOf(device));
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
      {isArray && (
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
  useEffect(() => recorder.listen(), [link.state.value]);
  if (descriptors.value === null) {
    return <p class="empty">Waiting for the server …</p>;
  }
  const traces = recorder.traces.value;
  const units = [...new Set(traces.map((trace) => trace.unit))];
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
        <Chart key={unit} unit={unit} traces={traces.filter((trace) => trace.unit === unit)} />
      ))}
    </div>
  );
}

