// pictures.mjs - the pictures of docs/guide/dashboard.md, of a running demo.
//
//   NODE_PACKAGES=web node tests/web/pictures.mjs URL docs
import { join } from 'node:path';
import { begin, end, open } from './browser.mjs';

const [base, folder] = process.argv.slice(2);
const options = { viewport: { width: 1000, height: 620 } };

await begin();
const page = await open(base, 'world', options);
const picture = (name) => page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
await page.getByText('Skip the tour').click({ timeout: 5000 }).catch(() => {});
await page.click('.robots button:has-text("bell")');
await page.fill('.go-to label:has-text("x") input', '-7');
await page.fill('.go-to label:has-text("y") input', '2.2');
await page.click('.go-to button[type=submit]');
await page.waitForTimeout(7000); // trails, and a way
await picture('world');
await page.setViewportSize({ width: 1200, height: 640 });
await page.click('.robot header button');
await page.waitForTimeout(1500);
await page.screenshot({ path: join(folder, 'demo-page.png') });
await page.setViewportSize(options.viewport);
await page.goto(`${base}#/programs`);
await page.waitForSelector('.blocklyDraggable.runs');
await page.waitForTimeout(1000);
await picture('programs');
await page.goto(`${base}#/devices`);
await page.fill('input[type=search]', 'nina');
await page.waitForTimeout(2500);
await picture('devices');
await page.goto(`${base}#/charts/6665:laser:0`);
await page.click('.chooser button:has-text("Add")');
await page.selectOption('.chooser label:has-text("Device") select', '6665:position2d:0');
await page.selectOption('.chooser label:has-text("Value") select', 'vel.px');
await page.click('.chooser button:has-text("Add")');
await page.waitForTimeout(20000);
await picture('charts');
await page.goto(`${base}#/recordings`);
await page.fill('.recordings input[type=text]', 'office');
await page.getByRole('button', { name: 'Record' }).click();
await page.waitForTimeout(20000);
await page.getByRole('button', { name: 'End' }).click();
await page.locator('td button:has-text("Play")').first().click();
await page.waitForTimeout(8000);
await page.setViewportSize({ width: 1000, height: 480 });
await picture('recordings');
await end();
