// studio.mjs - Foxglove Studio 1.48, the last open one, connects to a server, draws a scan and plots a speed. A command, not part of the
// tests: its packages are 180 MB. The server must allow the origin of the page: front ( name "web" origins [ "*" ] ).
//
//   npm install --prefix build/studio ./tests/web/studio
//   NODE_PACKAGES=web STUDIO_PACKAGES=build/studio node tests/web/studio.mjs URL PICTURE.png
import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, begin, end, holds, open, until } from './browser.mjs';

const [base, picture] = process.argv.slice(2);
const packages = join(process.env.STUDIO_PACKAGES ?? '', 'node_modules');
const here = dirname(fileURLToPath(import.meta.url));
const FILES = { '/react.js': 'react/umd/react.production.min.js', '/react-dom.js': 'react-dom/umd/react-dom.production.min.js' };
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.png': 'image/png', '.ttf': 'font/ttf' };
const PAGE = `<!doctype html><meta charset="utf-8"><title>Studio</title><style>html, body, #root { height: 100%; margin: 0 }</style>
<div id="root"></div><script>global = globalThis</script><script src="/react.js"></script><script src="/react-dom.js"></script>
<script>window['react'] = React; window['react-dom'] = ReactDOM</script><script src="/index.js"></script><script src="/host.js"></script>`;

function answer(request, response) {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
  const file = path === '/host.js' ? join(here, 'studio', path) : join(packages, FILES[path] ?? join('@foxglove/studio-base/assets', path));
  if (path === '/favicon.ico') {
    response.writeHead(204).end();
  } else if (path === '/') {
    response.setHeader('Content-Type', 'text/html');
    response.end(PAGE);
  } else if (existsSync(file)) {
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(response);
  } else {
    response.writeHead(404).end();
  }
}

/** How many pixels of a picture have the colour of the scan. */
async function coloured(page, png) {
  return page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      count += data[i] > 200 && data[i + 1] < 80 && data[i + 2] > 200 ? 1 : 0;
    }
    return count;
  }, `data:image/png;base64,${png.toString('base64')}`);
}

holds(existsSync(join(packages, '@foxglove/studio-base')), `${packages} has no @foxglove/studio-base: see the head of this file`);
const { devices } = await ask(base, '/api/devices');
const find = (name) => devices.find((device) => device.interface === name);
const laser = find('laser') ?? find('ranger');
const vehicle = find('position2d');
holds(laser && vehicle, 'the server has no laser or no position2d');
const host = createServer(answer).listen(0, '127.0.0.1');
await new Promise((done) => host.once('listening', done));
await begin(['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']);
const query = new URLSearchParams({
  ds: 'foxglove-websocket',
  'ds.url': base.replace(/^http/, 'ws'),
  layoutId: 'scan',
  scan: `/ros/${laser.robot}/${laser.interface}/${laser.index}/${laser.interface === 'laser' ? 'SCAN' : 'RANGESTAMPED'}`,
  odometry: `/ros/${vehicle.robot}/position2d/${vehicle.index}/STATE`,
  frame: `${laser.robot}/${laser.interface}:${laser.index}`,
});
const page = await open(`http://127.0.0.1:${host.address().port}/?${query}`, '', { viewport: { width: 1280, height: 720 } });
try {
  await page.getByText('ranges').first().waitFor(); // a message of ROS 2, decoded
  const drawn = await until('a scan in the panel 3D', async () => {
    const count = await coloured(page, await page.screenshot());
    return count > 200 && count;
  });
  await page.getByText('Problems').click();
  await page.getByText('No problems found').waitFor();
  await page.getByText('Topics', { exact: true }).click();
  const topics = await page.getByText('troupe.laser_data', { exact: true }).count(); // JSON, beside ROS 2
  holds(topics > 0, 'the topics in JSON are missing');
  await page.waitForTimeout(8000); // some of the speed
  console.log(`Foxglove Studio draws ${query.get('scan')}: ${drawn} pixels`);
} finally {
  await page.getByText('Open settings to configure').locator('xpath=..').locator('button').click({ timeout: 2000 }).catch(() => {});
  writeFileSync(picture, await page.screenshot());
  page.problems.forEach((problem) => console.error(problem.slice(0, 300)));
  await end();
  host.close();
}
