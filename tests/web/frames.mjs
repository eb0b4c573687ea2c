// frames.mjs - how smooth the world is: pictures a second, long tasks and memory, beside an empty page in the same run. All robots
// are shown with what their sensors see; for the goals, a world of four robots with 361 beams each. The exit code is 1 if a goal is not reached.
//
// A long task takes 50 ms of time; on a busy machine most of it is other processes' time. So the processor time of the longest task is printed too.
//
//   NODE_PACKAGES=web node tests/web/frames.mjs URL [SECONDS]     (120 s; of the empty page at most 120 s)
import { begin, end, open } from './browser.mjs';

const [base, seconds = '120'] = process.argv.slice(2);
const GOALS = { drawn: 30, long: 5, heap: 1.1 };

async function measure(page, time = +seconds) {
  return page.evaluate(async (time) => {
    let long = 0;
    const observer = new PerformanceObserver((list) => (long += list.getEntries().length));
    observer.observe({ type: 'longtask' });
    const canvas = document.querySelector('.stage canvas');
    const before = canvas?.stage.frames ?? 0;
    const heap = [];
    let turns = 0;
    const began = performance.now();
    while (performance.now() - began < time * 1000) {
      await new Promise((done) => requestAnimationFrame(done));
      if (turns++ % 60 === 0) {
        heap.push(performance.memory?.usedJSHeapSize ?? 0);
      }
    }
    const took = (performance.now() - began) / 1000;
    observer.disconnect();
    const third = Math.ceil(heap.length / 3);
    return { drawn: ((canvas?.stage.frames ?? 0) - before) / took, turns: turns / took, long: (long * 60) / took, heap: [Math.min(...heap.slice(0, third)), Math.min(...heap.slice(-third))] };
  }, time);
}

/** The processor time of the longest task of the page, in ms, while it is traced for some seconds. */
async function longest(page) {
  const cdp = await page.context().newCDPSession(page);
  const spent = [0];
  cdp.on('Tracing.dataCollected', ({ value }) => spent.push(...value.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && event.tdur > 5000).map((event) => event.tdur / 1000)));
  const ended = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel'], recordMode: 'recordContinuously' } });
  await page.waitForTimeout(15000);
  await cdp.send('Tracing.end');
  await ended;
  return spent.reduce((most, one) => Math.max(most, one));
}

await begin();
const page = await open(base, 'world');
await page.waitForSelector('.robots button');
await page.waitForTimeout(2000);
const world = await measure(page);
const most = await longest(page);
await page.goto('about:blank');
const empty = await measure(page, Math.min(+seconds, 120));
console.log('page   pictures/s  turns/s  long tasks/min  least heap, first and last third (MB)');
for (const [name, one] of Object.entries({ world, empty })) {
  console.log(`${name.padEnd(6)} ${one.drawn.toFixed(1).padStart(10)} ${one.turns.toFixed(1).padStart(8)} ${one.long.toFixed(1).padStart(15)}  ${one.heap.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')}`);
}
console.log(`the longest task of the world has taken ${most.toFixed(1)} ms of the processor (of 15 s)`);
const verdicts = [
  [`pictures/s at least ${GOALS.drawn}`, world.drawn, world.drawn >= GOALS.drawn],
  [`long tasks a minute above those of the empty page at most ${GOALS.long}`, world.long - empty.long, world.long - empty.long <= GOALS.long],
  [`least heap of the last third over that of the first at most ${GOALS.heap}`, world.heap[1] / world.heap[0], world.heap[1] / world.heap[0] <= GOALS.heap],
];
verdicts.forEach(([text, value, reached]) => console.log(`goal: ${text}: ${value.toFixed(2)}, ${reached ? 'reached' : 'NOT reached'}`));
await end();
process.exit(verdicts.every(([, , reached]) => reached) ? 0 : 1);
