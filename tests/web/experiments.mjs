// experiments.mjs - the page Experiments: sensors and settings of their manifests, live charts with units and uncertainty, several
// channels and sensors, one number over another, tables and pictures.
//
//   node experiments.mjs URL
import { readFileSync } from 'node:fs';
import { accessible, ask, close, equal, holds, main, open, unmoved, until } from './browser.mjs';

const base = process.argv[2];
const state = (index) => ask(base, `/api/devices/experiment:${index}/request/GET_STATE`, {});
const panel = (name) => `section[aria-label="Sensor ${name}"]`;
const field = (name, legend, label) => `${panel(name)} fieldset:has(legend:has-text("${legend}")) label:has-text("${label}")`;

async function csv(page) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('.toolbar button:has-text("CSV")')]);
  return readFileSync(await file.path(), 'utf8').trim().split('\n');
}

main({
  'a sensor is set up by its manifest, measures, and is charted and saved': async () => {
    const page = await open(base, 'experiments');
    const light = 'NXT Light Sensor';
    await page.waitForSelector(panel(light));
    await page.selectOption(`${field(light, 'Brightness', 'Unit')} select`, { label: '%' });
    await page.selectOption(`${field(light, 'Brightness', 'Floodlight')} select`, { label: 'Off' });
    await page.fill(`${field(light, 'Brightness', 'Every')} input`, '20ms');
    await page.fill(`${field(light, 'Brightness', 'Until')} input`, '50');
    await page.click('.toolbar button:has-text("Start")');
    await page.waitForSelector('.now:has-text("ended")');
    await page.waitForSelector('.now:has-text("50 samples, 0 lost")');
    await unmoved(base, 'experiment:0');
    equal(await page.locator('.note').allTextContents(), []);
    equal((await state(0)).samples, 50);
    equal((await ask(base, '/api/devices/experiment:0/request/GET_TEXT', {})).text, 'ch1 every=20ms end=50 conversion=2 Floodlight=2\n');
    const [head, ...rows] = await csv(page);
    holds(/^time \(s\),[^,]*Brightness \(%\),[^,]*Brightness uncertainty \(%\)$/.test(head), head);
    equal(rows.map((row) => +row.split(',')[0]), rows.map((_, i) => Math.round(i * 20000 + 3004) / 1e6)); // from its trig_delay on
    equal(rows.length, 50);
    holds(rows.every((row) => +row.split(',')[2] > 0), 'a row has no uncertainty');
    holds(/Brightness.* over time in %/.test(await page.getAttribute('.plot', 'aria-label')), 'the chart has no unit');
    const [picture] = await Promise.all([page.waitForEvent('download'), page.click('.chart button:has-text("PNG")')]);
    equal([...readFileSync(await picture.path()).subarray(1, 4)], [80, 78, 71]);
    await close(page);
  },

  'several sensors and channels run together, also one over the other': async () => {
    const page = await open(base, 'experiments');
    await page.waitForSelector(panel('Simulated Set'));
    await page.click(`${panel('NXT Light Sensor')} legend input`);
    for (const [sensor, legend, count] of [['Thermometer', 'Temperature', '20'], ['Simulated Set', 'Brightness', '30']]) {
      const box = page.locator(`${panel(sensor)} fieldset:has(legend:has-text("${legend}")) legend input`).first();
      await box.check();
      await page.locator(`${field(sensor, legend, 'Until')} input`).first().fill(count);
    }
    await page.click('.toolbar button:has-text("Start")');
    await until('both have ended', async () => (await state(1)).phase === 3 && (await state(2)).phase === 3);
    equal([(await state(1)).samples, (await state(2)).samples], [20, 30]);
    await page.waitForSelector('.now:has-text("ended")');
    await page.waitForSelector('.now:has-text("50 samples, 0 lost")');
    equal((await page.locator('.traces li').count()), 2);
    equal((await page.locator('.chart').count()), 2);
    const [head, ...rows] = await csv(page);
    holds(/Thermometer .*Simulated Set /.test(head), head);
    equal(rows.filter((row) => row.split(',')[1] !== '').length, 20);
    await page.selectOption('.toolbar label:has-text("over") select', { index: 1 });
    await until('one chart', async () => (await page.locator('.chart').count()) === 1);
    holds(/ over Thermometer/.test(await page.getAttribute('.plot', 'aria-label')), 'the chart is not over the other number');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('.toolbar button:has-text("Experiment")')]);
    holds(/^sensor s1 experiment:1\nsensor s2 experiment:2\ns1\.ch1 .*end=20\ns2\.ch1 .*end=30\n$/.test(readFileSync(await file.path(), 'utf8')), 'the text of the experiment');
    if (process.env.PICTURES) {
      await page.selectOption('.toolbar label:has-text("over") select', '');
      await page.screenshot({ path: `${process.env.PICTURES}/experiments.png` });
    }
    await close(page);
  },

  'a trigger starts it, and it is ended by hand': async () => {
    const page = await open(base, 'experiments');
    const name = 'Simulated Set';
    await page.waitForSelector(panel(name));
    await page.click(`${panel('NXT Light Sensor')} legend input`); // this one does not take part
    await page.locator(`${panel(name)} legend input`).first().check();
    await page.locator(`${field(name, 'Brightness', 'Start')} select`).first().selectOption('trigger');
    await page.locator(`${field(name, 'Brightness', 'Every')} input`).first().fill('10ms');
    await page.click('.toolbar button:has-text("Start")');
    await page.waitForSelector('.now:has-text("running")');
    equal((await state(2)).samples, 0);
    await page.click('.toolbar button:has-text("Trigger")');
    await until('samples', async () => (await state(2)).samples > 3);
    await page.click('.toolbar button:has-text("End")');
    await page.waitForSelector('.now:has-text("ended")');
    equal((await state(2)).phase, 3);
    await close(page);
  },

  'a mistake is told with its cause, and nothing starts': async () => {
    const page = await open(base, 'experiments');
    const name = 'NXT Light Sensor';
    await page.waitForSelector(panel(name));
    const { runs } = await state(0);
    await page.fill(`${field(name, 'Brightness', 'Every')} input`, '1us');
    await page.click('.toolbar button:has-text("Start")');
    await page.waitForSelector('.note.bad:has-text("ch1 needs at least")');
    equal((await state(0)).runs, runs);
    await close(page);
  },

  'nothing serious by axe-core, light and dark, at 360 and 1280 px': async () => {
    for (const width of [360, 1280]) {
      const page = await open(base, 'experiments', { viewport: { width, height: 800 }, bypassCSP: true });
      await page.waitForSelector(panel('Simulated Set'));
      await accessible(page);
      await close(page);
    }
  },
});
