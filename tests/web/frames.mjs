// frames.mjs - how smooth the world is: pictures a second, long tasks and memory, beside an empty page in the same run.
//
//   NODE_PACKAGES=web node tests/web/frames.mjs URL [SECONDS]
import { begin, end, open } from './browser.mjs';

const [base, seconds = '20'] = process.argv.slice(2);

async function measure(page) {
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
  }, +seconds);
}

await begin();
const page = await open(base, 'world');
await page.waitForSelector('.robots button');
await page.waitForTimeout(2000);
const world = await measure(page);
await page.goto('about:blank');
const empty = await measure(page);
console.log('page   pictures/s  turns/s  long tasks/min  least heap, first and last third (MB)');
for (const [name, one] of Object.entries({ world, empty })) {
  console.log(`${name.padEnd(6)} ${one.drawn.toFixed(1).padStart(10)} ${one.turns.toFixed(1).padStart(8)} ${one.long.toFixed(1).padStart(15)}  ${one.heap.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ')}`);
}
await end();
