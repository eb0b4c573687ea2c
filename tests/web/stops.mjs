// stops.mjs - STOP, by pointer and by key, while a robot is driven: what the robot receives decides.
//
//   node stops.mjs URL        with the trace of the emulated robot as input
import { createInterface } from 'node:readline';
import { close, escapeTwice, holds, main, open, until } from './browser.mjs';

const base = process.argv[2];
const received = [];
createInterface({ input: process.stdin }).on('line', (line) => / > .*SETOUTPUTSTATE/.test(line) && received.push(line));

// 0c 00 80 04 PORT POWER ...: power 0 of all motors is the robot's stop.
const power = (line) => parseInt(line.match(/> 0c 00 .. 04 .. (..)/)[1], 16);
const moves = () => received.length > 0 && power(received[received.length - 1]) !== 0;
const stands = () => received.length > 0 && power(received[received.length - 1]) === 0;

async function drive(page) {
  const stick = page.locator('article[aria-label="position2d:0"] .stick');
  await stick.focus();
  received.length = 0;
  await page.keyboard.down('ArrowUp');
  await until('the robot gets power', moves);
}

async function confirmed(page) {
  await page.waitForFunction(() => /Stopped in \d+ ms/.test(document.querySelector('#panic')?.textContent ?? ''));
  await until('the robot gets its stop', stands);
  const count = received.length;
  await new Promise((done) => setTimeout(done, 300)); // the key is still down
  holds(received.slice(count).every((line) => power(line) === 0), `it moves again: ${received.slice(count)}`);
  await page.keyboard.up('ArrowUp');
  await page.click('#panic button:has-text("Reset")');
  await page.waitForSelector('#panic', { state: 'detached' });
}

main({
  'the pointer on STOP stops the motors of the robot, and they stay off': async () => {
    const page = await open(base, 'devices/6665:position2d:0');
    await drive(page);
    const box = await page.locator('.stop').boundingBox();
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down(); // pointer down suffices
    await confirmed(page);
    await page.mouse.up();
    await close(page);
  },

  'the stop keys do the same': async () => {
    const page = await open(base, 'devices/6665:position2d:0');
    await drive(page);
    await page.keyboard.press('F8');
    await confirmed(page);
    await drive(page);
    await escapeTwice(page);
    await confirmed(page);
    await close(page);
  },

  'STOP needs no data connection': async () => {
    let line = null;
    let away = false;
    const page = await open(base, 'devices/6665:position2d:0', {}, (one) =>
      one.routeWebSocket(/\/ws\?/, (socket) => {
        if (away) {
          return; // the server does not answer on this line
        }
        line = socket;
        line.connectToServer();
      }),
    );
    await drive(page);
    away = true;
    await page.click('.stop');
    await page.waitForFunction(() => /Stopped in \d+ ms/.test(document.querySelector('#panic')?.textContent ?? ''));
    await until('the robot gets its stop', stands);
    await page.keyboard.up('ArrowUp');
    await line.close();
    await page.click('#panic button:has-text("Reset")');
    await page.waitForSelector('#panic', { state: 'detached' });
    await close(page, /WebSocket/);
  },

  'a page that is closed lets the robot stand': async () => {
    const page = await open(base, 'devices/6665:position2d:0');
    await drive(page);
    await page.context().close();
    await until('the robot gets its stop', stands);
  },
});
