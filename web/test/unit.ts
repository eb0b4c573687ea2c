// unit.ts - what can be tested without a page. Bundled and run by tests/system/99-dashboard-build.py.
import { deepStrictEqual as same, ok } from 'node:assert';
import { grouped, linesOf, partsOf, type Grammar, type Program } from '../src/blocks/grammar';
import { asNumber, asText, Descriptors, seriesOf, title, unitOf } from '../src/model/descriptors';
import { draftOf, textOf, timeText, type Channel, type Part } from '../src/model/experiment';
import { factsAt, inputsOf } from '../src/model/sensors';
import { csvOf, over, pick, Trace } from '../src/model/trace';
import { bytesText, clockText } from '../src/parts/amounts';
import { brief, number, ticks } from '../src/parts/number';
import { readPicture } from '../src/wire/cdr';
import { callFrame, publishFrame, readFrame, readJson } from '../src/wire/frames';

const tests: Record<string, () => void> = {
  'frames are read with their times, and short ones are refused'() {
    const bytes = new Uint8Array([1, 7, 0, 0, 0, 0, 202, 154, 59, 0, 0, 0, 0, 123, 125]);
    const frame = readFrame(bytes.buffer);
    ok(frame?.kind === 'data' && frame.subscription === 7 && Math.abs(frame.time - 1) < 1e-9);
    same(readJson(frame.body), {});
    for (let length = 0; length < 13; length++) {
      same(readFrame(bytes.slice(0, length).buffer), null);
    }
    same(readFrame(new Uint8Array([3, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0, 1]).buffer), null);
  },

  'frames are written as the protocol has them'() {
    same([...new Uint8Array(publishFrame(258, { a: 1 }))], [1, 2, 1, 0, 0, ...new TextEncoder().encode('{"a":1}')]);
    same([...new Uint8Array(callFrame(1, 2, undefined))], [2, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, ...new TextEncoder().encode('jsonnull')]);
  },

  'an experiment is written as its text'() {
    const channel = (number: number, kind: number): Channel => ({ number, kind, name: 'n', parameter: '', unit: '', min: 0, max: 100, resolution: 1, uncertainty: 0, min_period: 0.25, settings: [{ name: 'Flood light', value: 1, min: 1, max: 2, choices: [] }] });
    const part = (index: number, kind: number): Part => {
      const one = channel(1, kind);
      return { device: { interface: 'experiment', index, name: `experiment:${index}` } as any, sensor: { sensor: 's', uuid: 'u', serial: '', channels: [one] }, drafts: { 1: draftOf(one, true) } };
    };
    const [a, b] = [part(0, 0), part(3, 1)];
    a.drafts[1].settings['Flood light'] = '2';
    a.drafts[1].end = ' 10 ';
    same(textOf(' T ', [a]), 'title T\nch1 every=250ms end=10 Flood_light=2\n');
    b.drafts[1].values = '0, 50';
    same(textOf('', [a, b]), 'sensor s0 experiment:0\nsensor s3 experiment:3\ns0.ch1 every=250ms end=10 Flood_light=2\ns3.ch1 every=1s values=0,50\n');
    a.drafts[1].on = b.drafts[1].on = false;
    same([textOf('T', [a, b]), timeText(0.0005), timeText(90), timeText(0.01)], ['', '500us', '90s', '10ms']);
  },

  'a picture of ROS 2 is read'() {
    const head = [0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 120, 0, 0, 0];
    const image = [...head, 1, 0, 0, 0, 2, 0, 0, 0, 6, 0, 0, 0, ...new TextEncoder().encode('mono8\0'), 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 9, 8];
    const picture = readPicture(Uint8Array.from(image), false);
    same([picture.height, picture.width, picture.format, picture.step, [...picture.data]], [1, 2, 'mono8', 2, [9, 8]]);
  },

  'numbers are for people'() {
    same([number(-0.0001, 2), number(-1.5, 1), number(NaN), number(Infinity), number(12345678.5), number(3), number(undefined)], ['0.00', '−1.5', 'not a number', '∞', '1.23e+7', '3', '–']);
    same([asNumber('NaN'), asNumber('-Infinity'), asNumber(true)], [NaN, -Infinity, 1]);
    same(asText([195, 164, 0]), 'ä');
    same(ticks([0, 0.25, 0.5]), ['0.00', '0.25', '0.50']);
    same(ticks([481369998, 481369998.5, 481369999]), ['481369998.0', '481369998.5', '481369999.0']);
    same(ticks([-20000, -10000, 0]), ['−20000', '−10000', '0']);
    same(ticks([2.3502, 2.3504]), ['2.3502', '2.3504']);
    same(ticks([-2e-9, 0, 2e-9]), ['−2.0e−9', '0.0e+0', '2.0e−9']);
    same([ticks([7]), ticks([])], [['7'], []]);
    same([title('GET_GEOM'), unitOf({ name: 'a', type: 'f32', shape: 'one', unit: 'm/s^2' })], ['Get geom', 'm/s²']);
  },

  'all numbers of a message are found, with units of velocities'() {
    const field = (name: string, type: string, unit?: string, count?: string) => ({ name, type, unit, count, shape: (count ? 'variable' : 'one') as 'one' });
    const all = new Descriptors({
      x: {
        name: 'x', code: 1, doc: '', uses: [], messages: [], enums: [],
        structs: [
          { name: 'pose2d', doc: '', fields: [field('px', 'f64', 'm'), field('pa', 'f64', 'rad')] },
          { name: 'data', doc: '', fields: [field('vel', 'pose2d', '/s'), field('list_count', 'u32', 'count'), field('list', 'f32', 'm', 'list_count'), field('text', 'char', undefined, 'text_count')] },
        ],
      },
    });
    same(seriesOf(all, all.struct('data')).map((one) => [one.path.join('.'), one.unit]), [['vel.px', 'm/s'], ['vel.pa', 'rad/s'], ['list.0', 'm']]);
  },

  'a number is picked from a message, also of lists'() {
    const value = { scan: { ranges: [3, 1, 'Infinity', 2] } };
    same(['0', 'min', 'max', 'mean', '2'].map((step) => pick(value, ['scan', 'ranges', step])), [3, 1, 3, 2, Infinity]);
    same([pick(value, ['none', 'min']), pick({ list: [] }, ['list', 'min'])], [NaN, NaN]);
  },

  'traces become a table; time that runs back begins anew'() {
    const [a, b] = [new Trace({} as any, 'STATE', [], 'm', 'laser:0 a', 0), new Trace({} as any, 'STATE', [], '', 'b, "c"', 1)];
    a.add(0, 1);
    a.add(0.5, 2);
    b.add(0.5, 3);
    same(csvOf([a, b]), 'time (s),laser:0 a (m),"b, ""c"""\n0.000000,1,\n0.500000,2,3\n');
    same(a.recent(0.2), [[0.5], [2]]);
    a.add(0.1, 7);
    same([a.times, a.values], [[0.1], [7]]);
  },

  'a value with an uncertainty has two columns, and a number can be drawn over another one'() {
    const [a, b] = [new Trace({} as any, 'STATE', [], '%', 'light', 0, 0.5), new Trace({} as any, 'STATE', [], 'cm', 'way', 1)];
    a.add(0, 10);
    b.add(0.5, 1);
    b.add(0.6, 2);
    a.add(0.7, 20);
    same(csvOf([a, b]), 'time (s),light (%),light uncertainty (%),way (cm)\n0.000000,10,0.5,\n0.500000,,,1\n0.600000,,,2\n0.700000,20,0.5,\n');
    same(over(a, b, 10), [[2], [20]]);
    same(over(b, a, 10), [[10, 10], [1, 2]]);
  },

  'inputs of a sensor have names, units and uncertainties'() {
    same(inputsOf('0 Light Sensor: Brightness (%), 0 to 100, resolution 0.1, uncertainty 0.0488; 1 Switch: State, 0 to 1, resolution 1, uncertainty 1e-3'), [
      { index: 0, name: 'Light Sensor: Brightness', unit: '%', min: 0, max: 100, uncertainty: 0.0488 },
      { index: 1, name: 'Switch: State', unit: '', min: 0, max: 1, uncertainty: 0.001 },
    ]);
    same(inputsOf('nothing of the kind'), []);
    const facts = new Map<string, unknown>([['uncertainty', 0.2], ['uncertainty.pos.px', '0.1'], ['unit.voltages', 'lx']]);
    same(factsAt(facts, ['pos', 'px']), { unit: undefined, uncertainty: 0.1 });
    same(factsAt(facts, ['voltages', '3']), { unit: 'lx', uncertainty: 0.2 });
    same(factsAt(new Map([['uncertainty', 'none']]), ['x']), { unit: undefined, uncertainty: 0 });
  },

  'times and sizes are for people'() {
    same([0, 10, 100, -50, 0.25, 2.5, 0.1].map(brief), ['0', '10', '100', '−50', '0.25', '2.5', '0.1']);
    same([0, 9.96, 59.97, 75.25, 3600, 36061].map(clockText), ['0:00.0', '0:10.0', '1:00.0', '1:15.3', '1:00:00.0', '10:01:01.0']);
    same([0, 999, 1000, 99449, 99999, 1234567, 5e12].map(bytesText), ['0 B', '999 B', '1.0 kB', '99.4 kB', '100 kB', '1.2 MB', '5000 GB']);
  },

  'lines of statements follow from comments, blanks and ends'() {
    const grammar = { statements: [{ kind: 'if', items: [{ word: 'if' }, { word: 'end' }] }, { kind: 'stop', items: [] }, { kind: 'else', items: [] }] } as unknown as Grammar;
    const inner = { kind: 'stop', comments: [{ text: 'a' }, { text: 'b', blank: true }] };
    const other = { kind: 'else', body: [{ kind: 'stop', blank: true }] };
    const last = { kind: 'stop' };
    const program: Program = { version: 1, body: [{ kind: 'if', blank: true, body: [inner], end_comments: [{ text: 'c' }], branches: [other] }, last] };
    const lines = linesOf(grammar, program);
    same([lines.get(program.body[0]), lines.get(inner), lines.get(other), lines.get(other.body[0]), lines.get(last)], [2, 6, 8, 10, 12]);
  },

  'parentheses stand where a text needs them, and only there'() {
    const n = { kind: 'number', text: '1' };
    const binary = (text: string, left: any, right: any) => ({ kind: 'binary', text, left, right });
    const group = (value: any) => ({ kind: 'group', value });
    same(grouped(binary('*', binary('+', n, n), n)), binary('*', group(binary('+', n, n)), n));
    same(grouped(binary('-', n, binary('-', n, n))), binary('-', n, group(binary('-', n, n))));
    same(grouped(binary('-', binary('-', n, n), n)), binary('-', binary('-', n, n), n));
    same(grouped(binary('<', binary('<', n, n), n)), binary('<', group(binary('<', n, n)), n));
    same(grouped({ kind: 'not', value: binary('and', n, n) }), { kind: 'not', value: group(binary('and', n, n)) });
    same(grouped({ kind: 'not', value: binary('<', n, n) }), { kind: 'not', value: binary('<', n, n) });
    same(grouped({ kind: 'negative', value: binary('+', n, n) }), { kind: 'negative', value: group(binary('+', n, n)) });
    same(grouped(binary('+', { kind: 'do', text: 'X', values: [n] }, n)), binary('+', group({ kind: 'do', text: 'X', values: [n] }), n));
    same(grouped(group(binary('+', n, n))), group(binary('+', n, n)));
  },

  'optional words go with their slot'() {
    const parts = partsOf([{ word: 'drive' }, { slot: 'power', type: 'expression' }, { word: 'turn', optional: true }, { slot: 'turn', type: 'expression', optional: true }]);
    same(parts.map((part) => [part.items.length, part.slot?.slot ?? null, part.optional]), [[1, null, false], [1, 'power', false], [2, 'turn', true]]);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
  } catch (error) {
    failed++;
    console.log(`${name}: ${(error as Error).stack}`);
  }
}
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length}`);
process.exit(failed > 0 ? 1 : 0);
