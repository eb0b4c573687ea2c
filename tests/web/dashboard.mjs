// dashboard.mjs - the dashboard with a simulated robot: each page, and what they do to devices.
//
//   node dashboard.mjs URL
import { readFileSync } from 'node:fs';
import { ask, close, equal, escapeTwice, holds, main, open, passes, unmoved, until, world } from './browser.mjs';

const base = process.argv[2];

async function pose() {
  const answer = await ask(base, '/api/devices/simulation:0/request/GET_POSE2D', { name: 'ada' });
  return answer.pose;
}

/** The robot stands, wherever it was left: its place is the same over some steps of the world, or the world is paused. */
async function stands() {
  const STEPS = 3;
  let last = await pose();
  let since = await world(base);
  await until('the robot stands', async () => {
    const now = await world(base);
    const next = await pose();
    if (way(next, last) > 0) {
      last = next;
      since = await world(base);
      return false;
    }
    return now.paused || now.steps >= since.steps + STEPS;
  });
  return last;
}

const way = (a, b) => Math.hypot(a.px - b.px, a.py - b.py) + Math.abs(a.pa - b.pa);

async function reset(page) {
  await page.click('#panic button:has-text("Reset")');
  await page.waitForSelector('#panic', { state: 'detached' });
}

main({
  'every page loads, from this host alone, and subscribes only to what it shows': async () => {
    const page = await open(base, 'world');
    for (const [route, sight] of [
      ['world', '.stage canvas'],
      ['devices', '.card'],
      ['charts', '.chooser'],
      ['programs', '.blocklyDraggable'],
      ['motion', '.empty, .motion'],
      ['server', '.server table'],
    ]) {
      await page.click(`nav a[href="#/${route}"]`);
      await page.waitForSelector(sight);
    }
    await page.waitForFunction(() => /receives\s*0/.test(document.querySelector('.tiles').textContent.replace(/channels/, '')));
    const host = new URL(base).host;
    equal(page.requests.filter((url) => new URL(url).host !== host && !url.startsWith('data:') && !url.startsWith('blob:')), []);
    await close(page);
  },

  'a page may open connections to its own host alone': async () => {
    const page = await open(base, 'world');
    const refused = await page.evaluate(
      () =>
        new Promise((done) => {
          addEventListener('securitypolicyviolation', (event) => done(`${event.effectiveDirective} ${event.blockedURI}`));
          new WebSocket('ws://127.0.0.2:1/').onerror = () => setTimeout(done, 1000, 'it tried');
        }),
    );
    equal(refused, 'connect-src ws://127.0.0.2:1/');
    await close(page, /Content Security Policy/);
  },

  'a robot is chosen and driven by keys, and stands when the key is let go': async () => {
    const page = await open(base, 'world');
    await page.click('.robots button:has-text("ada")');
    const before = await stands();
    await page.focus('.stick');
    await page.keyboard.down('ArrowUp');
    await until('the robot moves', async () => way(await pose(), before) > 0.1);
    const told = await page.locator('.note.bad').allTextContents(); // a page that a busy machine has stopped for a second
    await page.keyboard.up('ArrowUp');
    await stands();
    await until('the page shows where it is', async () => {
      const at = await pose();
      const shown = await page.getAttribute('#robot-pose', 'data-x');
      return Math.abs(shown - at.px) < 0.01;
    });
    // All devices of the robot are there, also those of other drivers, with what they say.
    equal(await page.locator('.readings a').allTextContents().then((all) => ['program:0', 'universal:0', 'power:0'].every((name) => all.includes(name))), true);
    await page.waitForFunction(() => /nearest/.test(document.querySelector('.readings').textContent));
    // A drive that ends normally is no error, also when the lease of its last command would have ended.
    await passes(base, 1.5);
    equal((await page.locator('.note.bad').allTextContents()).filter((one) => !told.includes(one)), []);
    await close(page);
  },

  'the stick on the screen and a gamepad drive, and stop when they are let go': async () => {
    const page = await open(base, 'world');
    await page.click('.robots button:has-text("ada")');
    const before = await stands();
    const box = await page.locator('.stick').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2);
    await until('the robot turns', async () => Math.abs((await pose()).pa - before.pa) > 0.1);
    await page.mouse.up();
    const after = await stands();
    // A gamepad drives the chosen robot.
    await page.evaluate(() => {
      globalThis.pad = { id: 'a pad', axes: [0, -1, 0, 0] };
      navigator.getGamepads = () => [globalThis.pad];
    });
    await until('the pad drives', async () => way(await pose(), after) > 0.05);
    await page.waitForSelector('.drive .hint:has-text("a pad")');
    await page.evaluate(() => (globalThis.pad.axes = [0, 0.05, 0, 0])); // sticks never rest quite in the middle
    await stands();
    await close(page);
  },

  'a robot is dragged; time stands still, makes a step and goes on': async () => {
    const page = await open(base, 'world');
    await page.waitForSelector('.clock');
    await page.click('.clock button[aria-label="Pause"]');
    await page.waitForSelector('.clock button[aria-label="Continue"]');
    const before = await stands();
    const { steps } = await world(base);
    await page.click('.clock button[aria-label="One step"]');
    await until('time moves by a step', async () => (await world(base)).steps === steps + 1);
    const { time } = await world(base);
    await page.waitForSelector(`.clock output:text-is("${time.toFixed(2)} s")`); // fine enough for a short step
    const at = await until('the robot is drawn', () =>
      page.evaluate(() => {
        const canvas = document.querySelector('.stage canvas');
        const box = canvas.getBoundingClientRect();
        const found = [];
        for (let x = 0; x < box.width; x += 4) {
          for (let y = 0; y < box.height; y += 4) {
            if (canvas.stage.pick(x, y)?.name === 'ada') {
              found.push([x, y]);
            }
          }
        }
        const middle = found[Math.floor(found.length / 2)];
        return middle && { x: box.left + middle[0], y: box.top + middle[1] };
      }),
    );
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 30, at.y + 10);
    await page.mouse.move(at.x + 40, at.y + 10);
    await page.mouse.up();
    await until('the robot is elsewhere', async () => way(await pose(), before) > 0.05);
    await page.click('.clock button[aria-label="Continue"]');
    await page.waitForSelector('.clock button[aria-label="Pause"]');
    await close(page);
  },

  'a card is made from the descriptor: values with units, a command, a request, a property': async () => {
    const page = await open(base, 'devices/6665:position2d:0');
    const card = page.locator('article[aria-label="position2d:0"]');
    await card.getByText('Numbers', { exact: true }).click();
    await card.locator('[data-message="STATE"] dt:has-text("vel")').waitFor();
    holds(/rad\/s/.test(await card.locator('[data-message="STATE"]').textContent()), 'a unit is missing');
    const before = await stands();
    await card.getByText(/commands?$/).click();
    await card.locator('summary:has-text("Vel")').first().click();
    const form = card.locator('details[open] form');
    await form.locator('fieldset:has(legend:text("vel")) input').nth(2).fill('0.5');
    await form.getByText('state').click();
    await until('the robot turns', async () => {
      await form.locator('button[type=submit]').click(); // again: a command counts for a second, in which a busy machine does little
      return Math.abs((await pose()).pa - before.pa) > 0.05;
    });
    await card.getByText(/requests?$/).click();
    await card.locator('summary:has-text("Get geometry")').click();
    await card.locator('details[open] button[type=submit]').click();
    await card.locator('.answer').waitFor();
    await close(page);
    await stands();
  },

  'a device that is chosen has its card at the upper edge, also when the cards above it are filled': async () => {
    const page = await open(base, 'devices', { viewport: { width: 360, height: 800 } });
    await page.waitForSelector('.card header');
    for (const name of ['universal:1', 'aio:1', 'position2d:0', 'power:0']) {
      await page.selectOption('.toolbar select', { value: `6665:${name}` });
      await page.waitForSelector(`[id="card-6665:${name}"]`);
      await until(`${name} is at the upper edge`, async () => {
        const [card, top] = [await page.locator(`[id="card-6665:${name}"]`).boundingBox(), await page.locator('.top').boundingBox()];
        const atEnd = await page.evaluate(() => scrollY + innerHeight >= document.documentElement.scrollHeight - 1);
        return card !== null && card.y >= top.height && (card.y <= top.height + 20 || atEnd);
      });
    }
    await close(page);
  },

  'STOP is confirmed, holds until the reset, and works while the data socket is closed': async () => {
    const page = await open(base, 'world');
    await page.click('.robots button:has-text("ada")');
    await page.context().route('**/api/panic', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue())); // the line of its own suffices
    await page.evaluate(() => document.querySelector('#app').link.drop());
    const place = async () => {
      const { x, y, width } = await page.locator('main').boundingBox(); // it gets higher when the connection is back
      return { x, y, width };
    };
    const first = await place();
    await page.locator('.stop').dispatchEvent('pointerdown');
    await page.waitForSelector('#panic'); // at once, whatever the robots do
    equal(await place(), first); // nothing is pushed away
    await page.waitForFunction(() => /Stopped in \d+ ms/.test(document.querySelector('#panic')?.textContent ?? ''));
    equal((await ask(base, '/api/panic')).active ? 1 : 0, 1);
    const before = await stands();
    await page.focus('.stick');
    await page.keyboard.down('ArrowUp');
    await passes(base, 0.5);
    await page.keyboard.up('ArrowUp');
    equal(await pose(), before);
    await reset(page);
    await close(page, /WebSocket connection/); // which was cut
  },

  'the stop key works inside the block editor and in texts': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    for (const place of ['.workspace .blocklySvg', '#program-text']) {
      await page.click(place, { position: { x: 200, y: 60 } });
      await escapeTwice(page);
      await page.waitForFunction(() => /Stopped in/.test(document.querySelector('#panic')?.textContent ?? ''));
      await reset(page);
    }
    await page.focus('#program-text');
    await page.keyboard.press('F8');
    await page.waitForFunction(() => /Stopped in/.test(document.querySelector('#panic')?.textContent ?? ''));
    await reset(page);
    await close(page);
  },

  'a program is edited in blocks, runs on the robot and is stopped': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    await page.fill('#program-text', 'let speed be 10\nforever\n    drive 0 turn speed\n    wait 0.1 s\n    change speed by 1\nend\n');
    await until('the blocks follow the text', () => page.evaluate(() => document.querySelector('.workspace').editor.program().body[0].kind === 'let'));
    // In the block `let`, 10 becomes 30.
    await page.locator('.blocklyEditableField:has-text("10")').first().click();
    await page.waitForSelector('.blocklyHtmlInput');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('30');
    await page.keyboard.press('Enter');
    await until('the text follows the blocks', async () => /let speed be 30/.test(await page.inputValue('#program-text')));
    const before = await stands();
    await page.click('button.go');
    await page.waitForSelector('#phase:has-text("running")');
    await until('the robot turns', async () => Math.abs((await pose()).pa - before.pa) > 0.1);
    await page.waitForSelector('.blocklyDraggable.runs');
    await page.waitForSelector('.live-value');
    await until('the variable changes', async () => +(await page.textContent('#variables dd')) > 30);
    // It goes on while the user looks at the world, for longer than its lease.
    const time = async () => (await ask(base, '/api/devices/program:0/request/STATE', {})).time;
    await page.click('nav a[href="#/world"]');
    const left = await time();
    await until('the program runs on', async () => (await time()) > left + 2.5);
    equal((await ask(base, '/api/devices/program:0/request/STATE', {})).phase, 2);
    await page.click('nav a[href="#/programs"]');
    await page.waitForSelector('#phase:has-text("running")');
    await page.click('.controls button:has-text("Stop")');
    await page.waitForSelector('#phase:has-text("stopped")');
    await stands();
    await close(page);
  },

  'what is typed while a block is turned into text stays': async () => {
    const held = []; // frames of the server that the test keeps back
    let holding = false;
    const page = await open(base, 'programs', {}, (one) =>
      one.routeWebSocket(/\/ws\?/, (line) => {
        const server = line.connectToServer();
        server.onMessage((message) => (holding && typeof message !== 'string' && message[0] === 3 ? held.push(() => line.send(message)) : line.send(message)));
      }),
    );
    await page.waitForSelector('.blocklyDraggable');
    await page.fill('#program-text', 'drive 10\nwait 1 s\n');
    await until('the blocks follow the text', () => page.evaluate(() => document.querySelector('.workspace').editor.program().body[1]?.kind === 'wait'));
    holding = true;
    await page.locator('.blocklyEditableField:has-text("10")').first().click();
    await page.waitForSelector('.blocklyHtmlInput');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('30');
    await page.keyboard.press('Enter');
    await until('the text of the blocks is on its way', () => held.length > 0);
    const typed = 'drive 50\nwait 2 s\n';
    await page.fill('#program-text', typed);
    holding = false;
    held.forEach((send) => send());
    await until('the blocks follow what was typed', () => page.evaluate(() => JSON.stringify(document.querySelector('.workspace').editor.program()).includes('50')));
    equal(await page.inputValue('#program-text'), typed);
    await close(page);
  },

  'one number after the other is edited in blocks: they are not made anew meanwhile': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    await page.fill('#program-text', 'drive 10\nwait 20 s\n');
    await until('the blocks follow the text', () => page.evaluate(() => document.querySelector('.workspace').editor.program().body[1]?.kind === 'wait'));
    await page.locator('.blocklyEditableField:has-text("10")').first().click();
    await page.waitForSelector('.blocklyHtmlInput');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('30');
    await page.keyboard.press('Enter');
    await page.locator('.blocklyEditableField:has-text("20")').first().click();
    await page.waitForSelector('.blocklyHtmlInput');
    await page.keyboard.press('Control+a');
    await until('the text follows the first block', async () => /drive 30/.test(await page.inputValue('#program-text')));
    // Blocks follow what is typed after half a second. This text is theirs: three times as long by the clock of the page.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 1500)));
    await page.keyboard.type('40');
    await page.keyboard.press('Enter');
    await until('the text follows the second one', async () => (await page.inputValue('#program-text')) === 'drive 30\nwait 40 s\n');
    await close(page);
  },

  'a program stays when the page is left, another robot is chosen or the page is loaded anew; it is saved and opened by name': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    const text = '# mine.play - a turn on the spot\ndrive 0 turn 20\nwait 600 s\n';
    await page.fill('#program-text', text);
    await page.waitForSelector('.file .chip:has-text("not saved")');
    await page.click('nav a[href="#/world"]');
    await page.click('nav a[href="#/programs"]');
    await page.waitForSelector('.blocklyDraggable');
    equal(await page.inputValue('#program-text'), text);
    await page.selectOption('.programs select', { label: 'nina' });
    await page.waitForSelector('.crew button[aria-pressed=true]:has-text("nina")');
    equal(await page.inputValue('#program-text'), text);
    await page.reload();
    await page.waitForSelector('.blocklyDraggable');
    equal(await page.inputValue('#program-text'), text);
    await page.click('.file ~ .popover button:has-text("Save")');
    await page.fill('.programs-sheet input', 'mine');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.file .chip', { state: 'detached' });
    await page.waitForSelector('#program-name:text-is("mine.play")');
    // Another one takes its place; unsaved changes are set aside, not lost.
    await page.fill('#program-text', `${text}stop\n`);
    await page.click('.popover button:has-text("Open")');
    await page.locator('.programs-sheet .item button:has-text(".play")').last().click();
    await until('another program is open', async () => (await page.inputValue('#program-text')) !== `${text}stop\n`);
    await page.click('.popover button:has-text("Open")');
    await page.waitForSelector('.programs-sheet h3:has-text("Not saved")');
    await page.locator('.programs-sheet .item button:has-text("mine.play")').first().click();
    await until('the saved one is open', async () => (await page.inputValue('#program-text')) === text);
    // It runs on both robots at once.
    await page.click('#run-all');
    await page.waitForFunction(() => document.querySelectorAll('.crew .chip.good').length === 2);
    const phases = async () => [(await ask(base, '/api/devices/program:0/request/STATE', {})).phase, (await ask(base, '/api/devices/program:1/request/STATE', {})).phase];
    await until('both run', async () => (await phases()).every((phase) => phase === 2));
    // A stop ends them; after the reset they run again if the user says so.
    await page.keyboard.press('F8');
    await page.waitForSelector('#panic:has-text("Stopped in")');
    await reset(page);
    await page.click('#ended button:has-text("Run again")');
    await until('both run again', async () => (await phases()).every((phase) => phase === 2));
    await page.click('#run-all'); // for this page, in place of what runs
    await page.waitForFunction(() => document.querySelectorAll('.crew .chip.good').length === 2 && !document.querySelector('#run-all').disabled);
    await close(page);
    await until('both stop with the page', async () => (await phases()).every((phase) => phase === 6));
  },

  'the first step marks the line and the block that the program stands at, the next one the line behind it': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    await page.fill('#program-text', '# steps.play\n\nlet x be 1\nlet x be 2\nwait 600 s\n');
    const marked = async () => [await page.locator('.gutter .runs').allTextContents(), await page.evaluate(() => document.querySelectorAll('.blocklyDraggable.runs').length)];
    const stands = (line) => until(`line ${line} and its block are marked`, async () => JSON.stringify(await marked()) === JSON.stringify([[String(line)], 1]));
    await page.click('.controls button:has-text("Step")'); // at once: the blocks follow the text later
    await page.waitForSelector('#phase:text-is("paused")');
    await stands(3);
    await page.click('.controls button:has-text("Step")');
    await stands(4);
    await page.click('.controls button:has-text("Stop")');
    await until('nothing is marked', async () => JSON.stringify(await marked()) === JSON.stringify([[], 0]));
    await close(page);
  },

  'the end of a program is no failure: the page lets go of the robot': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    for (const [text, end] of [['print "done"\n', ''], ['print "done"\nwait 60 s\n', 'Stop']]) {
      await page.fill('#program-text', text);
      await page.waitForFunction((wanted) => document.querySelector('.blocks')?.textContent.includes('60') === wanted.includes('60'), text);
      await page.click('.controls button.go');
      await page.waitForSelector('.output:has-text("done")');
      if (end !== '') {
        await page.click(`.controls button:has-text("${end}")`);
      }
      await page.waitForSelector(`.bar .chip:has-text("${end === '' ? 'done' : 'stopped'}")`);
      await unmoved(base, 'program:0');
      equal(await page.locator('.note').allTextContents(), []);
    }
    await close(page);
  },

  'a mistake in a text is shown with its line; the blocks stay': async () => {
    const page = await open(base, 'programs');
    await page.waitForSelector('.blocklyDraggable');
    await page.fill('#program-text', 'device eye is Light Senser\ndrive 10\n');
    await page.waitForSelector('.mistakes li:has-text("Line 1")');
    await page.waitForSelector('.mistakes:has-text("Light Sensor")'); // the fix
    await page.waitForSelector('.blocklyDraggable .blocklyIconGroup');
    await page.fill('#program-text', 'drvie 10\n');
    await page.waitForSelector('.blocks :text("the blocks are those before")');
    equal(await page.locator('.blocklyDraggable .blocklyIconGroup').count(), 0); // its line is not that of a block
    await close(page);
  },

  'charts offer a device that sends numbers, and name one that has sent none': async () => {
    const page = await open(base, 'charts');
    await page.click('.chooser button:has-text("Add")');
    await page.waitForFunction(() => +document.querySelector('.chooser')?.querySelectorAll('select').length > 1);
    holds(/position2d/.test(await page.inputValue('.chooser label:has-text("Device") select')), 'a vehicle is not offered first');
    await page.waitForFunction(() => document.querySelectorAll('.chart').length === 1 && document.querySelector('.chart .hint') === null);
    await page.selectOption('.chooser label:has-text("Message") select', 'GEOM');
    await page.click('.chooser button:has-text("Add")');
    await page.waitForSelector('.chart .hint:has-text("no value has come")');
    await close(page);
  },

  'ranges and odometry are charted with units, and exported': async () => {
    const page = await open(base, 'charts/6665:ranger:0');
    await page.click('.chooser button:has-text("Add")');
    await page.selectOption('.chooser label:has-text("Device") select', '6665:position2d:0');
    await page.selectOption('.chooser label:has-text("Value") select', 'vel.pa');
    await page.click('.chooser button:has-text("Add")');
    await page.waitForFunction(() => document.querySelectorAll('.chart').length === 2);
    await page.locator('.chart summary').first().click();
    await page.waitForFunction(() => +document.querySelector('.chart .scroll tbody td:last-child')?.textContent > 3);
    const csv = await Promise.all([page.waitForEvent('download'), page.click('button:has-text("CSV")')]);
    const lines = readFileSync(await csv[0].path(), 'utf8').trim().split('\n');
    equal(lines[0], 'time (s),ranger:0 ranges min (m),position2d:0 vel pa (rad/s)');
    holds(lines.length > 4 && lines.slice(1).every((line) => /^\d+\.\d{6},/.test(line)), lines.slice(0, 3).join('\n'));
    const png = await Promise.all([page.waitForEvent('download'), page.locator('.chart button:has-text("PNG")').first().click()]);
    equal([...readFileSync(await png[0].path()).subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join(''), 'PNG');
    await close(page);
  },

  'a lost connection is a banner, and the page goes on by itself': async () => {
    const lines = [];
    let away = false;
    const page = await open(base, 'world', {}, (one) =>
      one.routeWebSocket(/\/ws\?/, (line) => {
        lines.push(line);
        if (away) {
          void line.close();
        } else {
          line.connectToServer();
        }
      }),
    );
    await page.click('.robots button:has-text("ada")');
    away = true;
    lines.forEach((line) => void line.close());
    await page.waitForSelector('.banner.warn:has-text("lost")');
    await page.waitForSelector('.empty:has-text("Waiting for the server")'); // not that it has no world
    away = false;
    await page.waitForSelector('.banner.warn', { state: 'detached' });
    await page.waitForSelector('.robot h2:has-text("ada")');
    await close(page, /WebSocket connection/);
  },
});
