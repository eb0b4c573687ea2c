// unit.ts - what can be tested without a page. Bundled and run by tests/system/99-dashboard-build.py.
import { deepStrictEqual as same, ok } from 'node:assert';
import { grouped, linesOf, partsOf, type Grammar, type Program } from '../src/blocks/grammar';
import { asNumber, asText, Descriptors, seriesOf, title, unitOf } from '../src/model/descriptors';
import { csvOf, pick, Trace } from '../src/model/trace';
import { number } from '../src/parts/number';
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
