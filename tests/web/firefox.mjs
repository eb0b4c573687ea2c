// firefox.mjs - the page in Firefox: it loads, shows the world, and STOP stops. Debian's firefox-esr, spoken to by WebDriver BiDi.
//
//   node --experimental-websocket tests/web/firefox.mjs URL [FIREFOX]     (apt-get install firefox-esr)
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [base, program = 'firefox-esr'] = process.argv.slice(2);
const PATIENCE = 120000; // ms, far beyond anything that a healthy page needs

const profile = mkdtempSync(join(tmpdir(), 'troupe-firefox-'));
const firefox = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });

function address() {
  return new Promise((done, fail) => {
    let said = '';
    firefox.on('error', (error) => fail(new Error(`${program}: ${error.message}`)));
    firefox.on('exit', (code) => fail(new Error(`${program} has ended with ${code}: ${said.slice(-500)}`)));
    firefox.stderr.on('data', (text) => {
      said += text;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found !== null) {
        done(found[1]);
      }
    });
  });
}

/** One command after the other; `ask` is answered with its result. */
async function connect(url) {
  const socket = new WebSocket(`${url}/session`);
  const waiting = new Map();
  let next = 1;
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if (one !== undefined) {
      message.type === 'success' ? one.done(message.result) : one.fail(new Error(`${message.error}: ${message.message}`));
    }
  };
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = () => fail(new Error('Firefox does not answer'));
  });
  return (method, params) =>
    new Promise((done, fail) => {
      waiting.set(next, { done, fail });
      socket.send(JSON.stringify({ id: next++, method, params }));
    });
}

async function main() {
  const ask = await connect(await address());
  await ask('session.new', { capabilities: {} });
  const { context } = (await ask('browsingContext.getTree', {})).contexts[0];
  const evaluate = async (expression) => {
    const answer = await ask('script.evaluate', { expression, target: { context }, awaitPromise: true });
    if (answer.type === 'exception') {
      throw new Error(answer.exceptionDetails.text);
    }
    return answer.result.value;
  };
  const until = async (what, expression) => {
    for (const late = Date.now() + PATIENCE; ; await new Promise((done) => setTimeout(done, 50))) {
      if (await evaluate(expression)) {
        console.log(`ok - ${what}`);
        return;
      }
      if (Date.now() > late) {
        throw new Error(`never: ${what}`);
      }
    }
  };
  await ask('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } });
  await ask('browsingContext.navigate', { context, url: base, wait: 'complete' });
  await until('the page is connected', `document.querySelector('.state.open') !== null`);
  await until('robots are listed', `document.querySelectorAll('.robots button').length > 0`);
  await until('the world is drawn', `(document.querySelector('.stage canvas')?.stage.frames ?? 0) > 10`);
  const [x, y] = JSON.parse(await evaluate(`(() => { const box = document.querySelector('.stop').getBoundingClientRect(); return JSON.stringify([box.x + box.width / 2, box.y + box.height / 2]); })()`)).map(Math.round);
  const press = { type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] };
  await ask('input.performActions', { context, actions: [press] });
  await until('STOP is confirmed on the page', `/Stopped in/.test(document.querySelector('#panic')?.textContent ?? '')`);
  const panic = await (await fetch(new URL('/api/panic', base))).json();
  if (!panic.active || !panic.stopped) {
    throw new Error(`the server says ${JSON.stringify(panic)}`);
  }
  console.log('ok - the server has stopped everything');
  console.log(await evaluate(`navigator.userAgent + ': ' + document.querySelector('#panic strong').textContent`));
  await evaluate(`document.querySelector('#panic button').click()`);
  await until('the stop is reset', `document.querySelector('#panic') === null`);
}

let failed = false;
try {
  await main();
} catch (error) {
  failed = true;
  console.error(error);
}
firefox.removeAllListeners('exit');
firefox.on('exit', () => {
  rmSync(profile, { recursive: true, force: true });
  process.exit(failed ? 1 : 0);
});
firefox.kill();
