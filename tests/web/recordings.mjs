// recordings.mjs - the page Recordings: record, end, list, download, play, a slider over time, speed, step, loop; and the page
// Charts with a sensor that describes itself.
//
//   node recordings.mjs URL
import { readFileSync } from 'node:fs';
import { accessible, ask, close, equal, holds, main, open, until } from './browser.mjs';

const base = process.argv[2];
const state = (index) => ask(base, `/api/devices/recordings:${index}/request/STATE`, {});

main({
  'a recording is begun, ended, listed and downloaded': async () => {
    const page = await open(base, 'recordings');
    await page.waitForSelector('button:has-text("Record")');
    await page.waitForSelector('.recordings:has-text("There is none yet")');
    await page.fill('.recordings form input', 'lesson');
    await page.click('.recordings form button');
    await page.waitForSelector('.now:has-text("Recording lesson.mcap")');
    await until('a second and a half is recorded', async () => (await state(0)).position > 1.5);
    await page.click('button:has-text("End the recording")');
    await page.waitForSelector('.files tbody tr:has-text("lesson.mcap")');
    equal((await state(0)).runs, 0);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.files button:has-text("Download")')]);
    equal(file.suggestedFilename(), 'lesson.mcap');
    const bytes = readFileSync(await file.path());
    const magic = '89 4d 43 41 50 30 0d 0a';
    const hex = (part) => [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    equal([hex(bytes.subarray(0, 8)), hex(bytes.subarray(-8))], [magic, magic]);
    equal(bytes.length, (await ask(base, '/api/devices/recordings:0/request/LIST', {})).files[0].size);
    await page.fill('.recordings form input', '../outside');
    await page.click('.recordings form button');
    await page.waitForSelector('.note.bad:has-text("a name without a folder is wanted")');
    await close(page);
  },

  'it is played: the slider follows and leads; step, speed, again at the end': async () => {
    const page = await open(base, 'recordings');
    // The whole page is there: nothing moves any more.
    await page.waitForSelector('button:has-text("Record")');
    await page.waitForSelector('.files button:has-text("Play")');
    // It goes round and round from the first, so that it cannot end before the page has been looked at.
    await page.check('.player input[type=checkbox]');
    await until('it goes round', async () => (await state(1)).loops === 1);
    await page.click('.files button:has-text("Play")');
    await page.waitForSelector('.player .chip:has-text("playing")');
    const slider = page.locator('.player input[type=range]');
    const span = await until('its length is known', async () => (await state(1)).span);
    holds(span > 1, `the recording has ${span} s`);
    await until('the slider moves', async () => +(await slider.inputValue()) > 0.2);
    await page.click('.player button:has-text("Pause")');
    await until('it stands', async () => (await state(1)).runs === 0);
    await slider.fill(String(span / 2));
    await until('it is in the middle', async () => Math.abs((await state(1)).position - span / 2) < 1e-6);
    const before = (await state(1)).messages;
    await page.click('.player button:has-text("Step")');
    await until('one message', async () => (await state(1)).messages === before + 1);
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await until('a second back, or the beginning', async () => Math.abs((await state(1)).position - Math.max(0, span / 2 - 1)) < 0.2);
    // Two choices at once: the second one keeps the first.
    await page.selectOption('.player select', '4');
    await page.uncheck('.player input[type=checkbox]');
    await until('it is set', async () => (await state(1)).speed === 4 && (await state(1)).loops === 0);
    await page.check('.player input[type=checkbox]');
    await until('it is set', async () => (await state(1)).speed === 4 && (await state(1)).loops === 1);
    await page.click('.player button:has-text("To the beginning")');
    await until('it is at the beginning', async () => (await state(1)).position === 0);
    await page.click('.player button.go');
    await until('it goes round', async () => (await state(1)).messages > before + 100);
    // The devices say what was recorded.
    const pose = await ask(base, '/api/devices/position2d:10/STATE?wait=10');
    holds(Number.isFinite(pose.value.pos.px), JSON.stringify(pose));
    await page.click('.player button:has-text("Pause")');
    await close(page);
  },

  'a sensor is charted by its name, with unit and uncertainty, over time and over another number': async () => {
    const page = await open(base, 'charts/6665:aio:0');
    await page.waitForSelector('.chooser label:has-text("Input") option:has-text("(°C)")', { state: 'attached' });
    await page.click('.chooser button[type=submit]');
    await page.waitForSelector('.traces li:has-text("Temperature")');
    holds(/\(°C\)/.test(await page.textContent('.chooser label:has-text("Input")')), 'the input has no unit');
    await page.selectOption('.chooser label:has-text("Device") select', '6665:position2d:0');
    await page.selectOption('.chooser label:has-text("Value") select', 'pos.px');
    await page.click('.chooser button[type=submit]');
    await until('two charts', async () => (await page.locator('.chart').count()) === 2);
    await until('values', async () => /±/.test(await page.textContent('.u-legend').catch(() => '')) || (await page.locator('.plot').first().press('ArrowLeft'), false));
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.toolbar button:has-text("CSV")')]);
    const head = readFileSync(await file.path(), 'utf8').split('\n')[0];
    holds(/^time \(s\),.*Temperature \(°C\),.*Temperature uncertainty \(°C\),position2d:0 pos px \(m\)$/.test(head), head);
    // One over the other.
    await page.selectOption('.toolbar label:has-text("over") select', { index: 2 });
    await until('one chart', async () => (await page.locator('.chart').count()) === 1);
    holds(/ over position2d:0 pos px/.test(await page.getAttribute('.plot', 'aria-label')), 'the chart is not over the other number');
    const drawn = () => page.evaluate(() => {
      const canvas = document.querySelector('.plot canvas');
      const bytes = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let coloured = 0;
      for (let i = 0; i < bytes.length; i += 4) {
        coloured += bytes[i + 3] > 200 && Math.max(bytes[i], bytes[i + 1], bytes[i + 2]) - Math.min(bytes[i], bytes[i + 1], bytes[i + 2]) > 60;
      }
      return coloured;
    });
    await until('a curve', async () => (await drawn()) > 20);
    const [picture] = await Promise.all([page.waitForEvent('download'), page.click('.chart button:has-text("PNG")')]);
    holds(readFileSync(await picture.path()).length > 1000, 'the picture is empty');
    if (process.env.PICTURES) {
      await page.screenshot({ path: `${process.env.PICTURES}/charts-over.png` });
      await page.selectOption('.toolbar label:has-text("over") select', '');
      await page.waitForTimeout(3000);
      await page.screenshot({ path: `${process.env.PICTURES}/charts-bands.png` });
    }
    await close(page);
  },

  'nothing serious by axe-core, light and dark, at 360 and 1280 px': async () => {
    for (const width of [360, 1280]) {
      const page = await open(base, 'recordings', { viewport: { width, height: 800 }, bypassCSP: true });
      await page.waitForSelector('.files');
      await accessible(page);
      if (process.env.PICTURES) {
        await page.screenshot({ path: `${process.env.PICTURES}/recordings-${width}.png` });
      }
      await close(page);
    }
  },
});
