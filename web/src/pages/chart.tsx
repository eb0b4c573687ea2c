// chart.tsx - one chart: numbers over time or over another number, with bands of uncertainty.
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { over, type Trace } from '../model/trace';
import { Icon } from '../parts/icons';
import { number, ticks } from '../parts/number';
import { savePng } from '../parts/save';
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
const HEIGHT = 240;
const LONGEST_LABEL = 26; // of the upright axis

export function colour(i: number): string {
  return COLOURS[i % COLOURS.length][isDark.value ? 1 : 0];
}

function label(name: string, unit: string): string {
  return unit === '' ? name : `${name} (${unit})`;
}

function tickTexts(_: uPlot, places: number[]): string[] {
  return ticks(places);
}

/** Room for the longest of the texts beside the axis. */
function room(_: uPlot, texts: string[] | null): number {
  return Math.max(56, 22 + 7 * Math.max(0, ...(texts ?? []).map((text) => text.length)));
}

/** From the least to the greatest number, with a margin. */
function range(low: number, high: number): uPlot.Range.MinMax {
  if (low > high) {
    return [0, 1]; // nothing yet
  }
  if (low === high) {
    const margin = 0.1 * Math.abs(low) || 1;
    return [low - margin, high + margin];
  }
  return uPlot.rangeNum(low, high, 0.08, true) as uPlot.Range.MinMax;
}

/** The numbers between which a value lies. */
function drawBands(plot: uPlot, traces: Trace[]): void {
  const { ctx, data } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  ctx.clip();
  ctx.globalAlpha = 0.2;
  traces.forEach((trace, i) => {
    const points = trace.uncertainty > 0 && plot.series[i + 1].show ? [...data[0].keys()].filter((k) => data[i + 1]?.[k] != null) : [];
    const put = (k: number, by: number) => ctx.lineTo(plot.valToPos(data[0][k], 'x', true), plot.valToPos(data[i + 1][k]! + by, 'y', true));
    ctx.fillStyle = colour(trace.color);
    ctx.beginPath();
    points.forEach((k) => put(k, trace.uncertainty));
    points.reverse().forEach((k) => put(k, -trace.uncertainty));
    ctx.fill();
  });
  ctx.restore();
}

/** A curve in the plane: its points in the order of time. */
function drawCurve(plot: uPlot, index: number): null {
  uPlot.orient(plot, index, (series, xs, ys, scaleX, scaleY, posX, posY, left, top, width, height) => {
    const { ctx } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.strokeStyle = (series.stroke as () => string)();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.lineJoin = 'round';
    ctx.beginPath();
    (xs as number[]).forEach((x, i) => ctx.lineTo(posX(x, scaleX, width, left), posY((ys as number[])[i], scaleY, height, top)));
    ctx.stroke();
    ctx.restore();
  });
  return null;
}

type Look = { traces: Trace[]; unit: string; x: Trace | null; width: number };

function axes({ unit, x, traces }: Look): uPlot.Axis[] {
  const style = getComputedStyle(document.documentElement);
  const line = style.getPropertyValue('--line');
  const axis = { stroke: style.getPropertyValue('--ink'), grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: '11px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif' };
  return [
    { ...axis, label: x === null ? 'time (s)' : label(x.name, x.unit), labelSize: 18, size: 34, ...(x === null ? {} : { values: tickTexts }) },
    { ...axis, label: label(traces.length === 1 && traces[0].name.length <= LONGEST_LABEL ? traces[0].name : 'value', unit), labelSize: 20, size: room, values: tickTexts },
  ];
}

function overTime(look: Look): uPlot.Options {
  const { traces, unit, width } = look;
  const widest = Math.max(...traces.map((trace) => trace.uncertainty));
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false }, y: { range: (_, low, high) => range((low ?? 1) - widest, (high ?? 0) + widest) } },
    axes: axes(look),
    series: [
      { label: 'time', value: (_, value) => (value == null ? '–' : `${number(value, 2)} s`) },
      ...traces.map((trace) => ({
        label: trace.name,
        stroke: colour(trace.color),
        width: 1.5,
        spanGaps: true,
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value == null ? '–' : `${number(value)} ${unit}${trace.uncertainty > 0 ? ` ± ${number(trace.uncertainty)}` : ''}`),
      })),
    ],
    cursor: { sync: { key: 'troupe' }, points: { size: 7 } },
    hooks: { drawAxes: [(plot) => drawBands(plot, traces)] },
  };
}

function overNumber(look: Look): uPlot.Options {
  const bounds = (plot: uPlot, axis: 0 | 1): uPlot.Range.MinMax => {
    const all = (plot.data.slice(1) as unknown as number[][][]).flatMap((pair) => pair[axis]);
    return all.reduce<[number, number]>(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
  };
  return {
    mode: 2,
    width: look.width,
    height: HEIGHT,
    scales: { x: { time: false, range: (plot) => range(...(bounds(plot, 0) as [number, number])) }, y: { range: (plot) => range(...(bounds(plot, 1) as [number, number])) } },
    axes: axes(look),
    series: [null as unknown as uPlot.Series, ...look.traces.map((trace) => ({ label: trace.name, stroke: colour(trace.color), paths: drawCurve as unknown as uPlot.Series.PathBuilder }))],
    legend: { show: false },
    cursor: { show: false },
  };
}

function dataOf({ traces, x }: Look, seconds: number): uPlot.AlignedData {
  if (x !== null) {
    return [null, ...traces.map((trace) => over(trace, x, seconds))] as unknown as uPlot.AlignedData;
  }
  const tables = traces.map((trace) => trace.recent(seconds) as uPlot.AlignedData);
  return tables.length === 1 ? tables[0] : uPlot.join(tables);
}

export function Chart({ unit, traces, x, seconds }: { unit: string; traces: Trace[]; x: Trace | null; seconds: Signal<number> }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dark = isDark.value;
  const silent = useSignal<string[]>([]); // what has sent nothing yet
  const names = traces.map((trace) => trace.name).join(', ');
  useEffect(() => {
    const element = place.current!;
    const look = { traces, unit, x, width: element.clientWidth || 300 };
    const made = new uPlot(x === null ? overTime(look) : overNumber(look), (x === null ? [[]] : [null, ...traces.map(() => [[], []])]) as unknown as uPlot.AlignedData, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    let drawn = -1;
    const timer = setInterval(() => {
      const total = traces.reduce((sum, trace) => sum + trace.total, 0);
      if (total !== drawn && document.visibilityState === 'visible') {
        drawn = total;
        silent.value = traces.filter((trace) => trace.total === 0).map((trace) => trace.name);
        made.setData(dataOf(look, seconds.peek()));
      }
    }, DRAW_MS);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      made.destroy();
    };
  }, [names, unit, dark, x]);
  // The cursor by keys.
  const keys = (event: KeyboardEvent) => {
    const u = plot.current;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 };
    if (u === null || x !== null || steps[event.key] === undefined || u.data[0].length === 0) {
      return;
    }
    event.preventDefault();
    const at = Math.max(0, Math.min(u.data[0].length - 1, (u.cursor.idx ?? u.data[0].length - 1) + steps[event.key]));
    u.setCursor({ left: u.valToPos(u.data[0][at], 'x'), top: u.bbox.height / devicePixelRatio / 2 });
  };
  const png = () => {
    const file = `troupe-${(x === null ? unit : names).replace(/[^a-z0-9]/gi, '') || 'values'}.png`;
    savePng(plot.current!.ctx.canvas, traces.map((trace) => ({ text: trace.name, color: colour(trace.color) })), file);
  };
  return (
    <section class="panel chart" aria-label={`Chart of ${names}`}>
      <div
        class="plot"
        ref={place}
        tabIndex={0}
        role="img"
        aria-label={`${names} over ${x === null ? 'time' : x.name}${unit === '' ? '' : ` in ${unit}`}. ${x === null ? 'Arrow keys move the cursor; the' : 'The'} table below has the values.`}
        onKeyDown={keys}
      />
      {silent.value.length > 0 && <p class="hint">{silent.value.join(', ')}: no value has come since this page was opened. Some devices send only when something changes.</p>}
      <div class="row">
        <button type="button" class="small" onClick={png}>
          <Icon name="down" /> PNG
        </button>
        <Table traces={traces} unit={unit} seconds={seconds} />
      </div>
    </section>
  );
}

/** The last values, for readers of the screen and for those who like numbers. */
function Table({ traces, unit, seconds }: { traces: Trace[]; unit: string; seconds: Signal<number> }) {
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
