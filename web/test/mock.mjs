// mock.mjs - a small server with made-up devices, to work on the page without robots. It is not part of what is shipped.
//
//   node test/mock.mjs INTERFACES.json [BLOCKS.json] [PORT]     (troupe interfaces --json, troupe play --blocks)
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const interfaces = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const port = +(process.argv[4] ?? 9665);
const dist = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const structs = new Map(Object.values(interfaces).flatMap((one) => one.structs).map((one) => [one.name, one]));
const started = Date.now();
const now = () => (Date.now() - started) / 1000;

// ---- WebSocket -----------------------------------------------------------------------------------
function accept(request, socket, protocol, onMessage) {
  const key = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`);
  let pending = Buffer.alloc(0);
  const send = (data, op = typeof data === 'string' ? 1 : 2) => {
    const body = Buffer.from(data);
    const head = body.length < 126 ? Buffer.from([128 | op, body.length]) : body.length < 65536 ? Buffer.from([128 | op, 126, body.length >> 8, body.length & 255]) : (() => { const h = Buffer.alloc(10); h[0] = 128 | op; h[1] = 127; h.writeBigUInt64BE(BigInt(body.length), 2); return h; })();
    if (!socket.destroyed) socket.write(Buffer.concat([head, body]));
  };
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      if (pending.length < 6) return;
      let length = pending[1] & 127;
      let at = 2;
      if (length === 126) { length = pending.readUInt16BE(2); at = 4; } else if (length === 127) { length = Number(pending.readBigUInt64BE(2)); at = 10; }
      if (pending.length < at + 4 + length) return;
      const mask = pending.subarray(at, at + 4);
      const body = Buffer.from(pending.subarray(at + 4, at + 4 + length)).map((byte, i) => byte ^ mask[i & 3]);
      const op = pending[0] & 15;
      pending = pending.subarray(at + 4 + length);
      if (op === 8) { socket.end(); return; }
      if (op === 9) send(body, 10); else if (op < 3) onMessage(op === 1 ? body.toString() : body);
    }
  });
  socket.on('error', () => {});
  return send;
}

// ---- A world -------------------------------------------------------------------------------------
const color = (hex) => ({ alpha: 255, red: parseInt(hex.slice(0, 2), 16), green: parseInt(hex.slice(2, 4), 16), blue: parseInt(hex.slice(4), 16) });
const polygons = [];
const models = [];
const rect = (w, h) => [w / 2, h / 2, -w / 2, h / 2, -w / 2, -h / 2, w / 2, -h / 2];
const round = (r, n = 20) => Array.from({ length: n }, (_, i) => [r * Math.cos((i * 2 * Math.PI) / n), r * Math.sin((i * 2 * Math.PI) / n)]).flat();
function model(name, x, y, a, xy, height, hex, more = {}) {
  const shape = polygons.length;
  if (xy) polygons.push({ shape, part: 0, z0: 0, z1: height, xy_count: xy.length, xy });
  const xs = (xy ?? [0, 0]).filter((_, i) => i % 2 === 0), ys = (xy ?? [0, 0]).filter((_, i) => i % 2 === 1);
  const one = { model: models.length, parent: -1, shape: xy ? shape : -1, kind: 'model', name, pose: { model: models.length, px: x, py: y, pz: 0, pa: a }, origin: { px: 0, py: 0, pa: 0 },
    size: { sl: Math.max(...xs) - Math.min(...xs), sw: Math.max(...ys) - Math.min(...ys), sh: height }, color: color(hex), robot: 0, controlled: 0, drags: 1, obstacle: 1, picture_width: 0, picture_height: 0, devices: '', ...more };
  models.push(one);
  return one;
}
const walls = [[0, 4, 12, 0.15], [0, -4, 12, 0.15], [-6, 0, 0.15, 8], [6, 0, 0.15, 8], [-2, 2.4, 0.15, 3.2], [1.5, -2.6, 0.15, 2.8], [-4.2, 0, 2, 0.15], [4.4, 0.6, 3.2, 0.15]];
walls.forEach(([x, y, w, h], i) => model(`wall${i}`, x, y, 0, rect(w, h), 0.8, '5a6374', { drags: 0 }));
const boxes = [[-4.5, -2, 0.9, 'c69a5d', 'table'], [3.5, 2.6, 0.5, 'c69a5d', 'round'], [4.6, -2.4, 0.3, '5d9b58', 'plant'], [-0.5, -1.5, 0.35, 'a75f5f', 'stool']];
boxes.forEach(([x, y, r, hex, name]) => model(name, x, y, 0, round(r), 0.4, hex));
const robots = ['ada', 'bell', 'curie', 'dusty'].map((name, i) => {
  const root = model(name, [-3, 3, 3, -1][i], [1.5, -1, 1.6, -3][i], i, [0.22, 0.1, 0.16, 0.16, -0.2, 0.16, -0.22, 0.1, -0.22, -0.1, -0.2, -0.16, 0.16, -0.16, 0.22, -0.1], 0.25, ['d1495b', '2e86ab', 'e0952b', '1b998b'][i], { robot: 1, controlled: i > 0 ? 1 : 0, kind: 'position', devices: `position2d:${i}` });
  model(`${name}.laser`, 0.08, 0, 0, rect(0.12, 0.12), 0.35, '2b3a55', { parent: root.model, kind: 'ranger', drags: 0, devices: `laser:${i}` });
  return { root, x: root.pose.px, y: root.pose.py, a: root.pose.pa, v: 0, w: 0, cmd: 0, home: i };
});
const obstacles = () => [...walls.map(([x, y, w, h]) => ({ x0: x - w / 2, y0: y - h / 2, x1: x + w / 2, y1: y + h / 2 })), ...boxes.map(([x, y, r]) => ({ x0: x - r, y0: y - r, x1: x + r, y1: y + r }))];
function cast(x, y, angle, most) {
  const [dx, dy] = [Math.cos(angle) || 1e-9, Math.sin(angle) || 1e-9];
  let best = most;
  for (const box of obstacles()) {
    const t = [(box.x0 - x) / dx, (box.x1 - x) / dx], u = [(box.y0 - y) / dy, (box.y1 - y) / dy];
    const near = Math.max(Math.min(...t), Math.min(...u)), far = Math.min(Math.max(...t), Math.max(...u));
    if (near < far && near > 0 && near < best) best = near;
  }
  return best;
}
let paused = false, speed = 1, time = 0, steps = 0;
const panic = { active: false, epoch: 1, who: '', why: '', since: 0, count: 0, stopped: true, ms: 0, owing: [] };
function advance(dt) {
  time += dt;
  steps++;
  for (const robot of robots) {
    if (panic.active) { robot.v = robot.w = 0; continue; }
    if (now() - robot.cmd > 1) {
      const free = cast(robot.x, robot.y, robot.a, 3);
      robot.v = robot.home === 0 ? 0 : free > 0.7 ? 0.5 : 0;
      robot.w = robot.home === 0 ? 0 : free > 0.7 ? 0.2 * Math.sin(time / 2 + robot.home) : 1;
    }
    const ahead = cast(robot.x, robot.y, robot.a, 1);
    if (!(robot.v > 0 && ahead < 0.3)) { robot.x += robot.v * Math.cos(robot.a) * dt; robot.y += robot.v * Math.sin(robot.a) * dt; }
    robot.a += robot.w * dt;
  }
}
const moved = new Map();
const poses = () => ({ time, speed, steps, paused: +paused, lockstep: 0, late: 0, revision: 1, drawings: 0, first: 0, end: models.length, poses: [...robots.map((robot) => ({ model: robot.root.model, px: robot.x, py: robot.y, pz: 0, pa: robot.a })), ...moved.values()], lights: [], shifts: [] });

// ---- Devices -------------------------------------------------------------------------------------
const devices = [];
function device(interf, index, label) {
  const one = interfaces[interf];
  const names = (kind) => one.messages.filter((message) => message.kind === kind).map((message) => message.name);
  devices.push({ name: `6665:${interf}:${index}`, robot: 6665, interface: interf, index, number: devices.length + 1, driver: 'mock', label, data: [...names('data'), 'ERROR'], commands: names('command'), requests: [...names('request'), 'GET_GEOMETRY', 'GET_PROPERTIES', 'HALT'] });
}
robots.forEach((robot, i) => { device('position2d', i, robot.root.name); device('laser', i, `${robot.root.name}.laser`); });
Object.keys(interfaces).filter((name) => !['common', 'player', 'position2d', 'laser'].includes(name)).forEach((name) => device(name, 0, ''));
function made(name, depth = 0) {
  const struct = structs.get(name);
  if (!struct) return null;
  const value = {};
  for (const field of struct.fields) {
    const one = () => structs.has(field.type) ? made(field.type, depth + 1) : field.type === 'char' ? 'a' : field.unit === 'bool' ? +(Math.sin(now() + field.name.length) > 0) : /^f/.test(field.type) ? Math.sin(now() / 3 + field.name.length) : Math.floor(3 + 2 * Math.sin(now() / 3));
    if (field.shape === 'one') value[field.name] = one();
    else if (field.type === 'char') value[field.name] = 'text';
    else value[field.name] = Array.from({ length: field.length ?? Math.min(field.max ?? 4, 4) }, one);
    if (field.count) value[field.count] = value[field.name].length;
  }
  return value;
}
function data(one, message) {
  const robot = robots[one.index];
  if (one.interface === 'position2d' && message.name === 'STATE') return { pos: { px: robot.x, py: robot.y, pa: robot.a }, vel: { px: robot.v, py: 0, pa: robot.w }, stall: 0 };
  if (one.interface === 'laser' && message.name === 'SCAN') {
    const count = 181;
    return { min_angle: -Math.PI / 2, max_angle: Math.PI / 2, resolution: Math.PI / (count - 1), max_range: 6, ranges_count: count, ranges: Array.from({ length: count }, (_, i) => +cast(robot.x, robot.y, robot.a - Math.PI / 2 + (i * Math.PI) / (count - 1), 6).toFixed(3)), intensity_count: 0, intensity: [], id: steps };
  }
  if (one.interface === 'scene') return poses();
  if (one.interface === 'power') return { valid: 31, volts: 12.1, percent: 62, joules: 0, watts: -8, charging: 0 };
  if (one.interface === 'camera') { const [w, h] = [64, 48]; return { width: w, height: h, bpp: 24, format: 5, fdiv: 1, compression: 0, image: Array.from({ length: w * h * 3 }, (_, i) => (i + steps * 3) & 255) }; }
  if (one.interface === 'program') return message.name === 'STATE' ? state : message.name === 'OUTPUT' ? { first: 0, lines: [] } : { time: 0, name: 'light', kind: 0, number: 1, text: '1' };
  if (one.interface === 'world') return null;
  return made(message.ask);
}
function answer(one, message, value) {
  const page = (list, name) => ({ revision: 1, total: list.length, [name]: list.slice(value.first ?? 0) });
  const key = `${one.interface} ${message.name}`;
  switch (key) {
    case 'scene GET_INFO': return { title: 'mock', revision: 1, models: models.length, shapes: polygons.length, polygons: polygons.length, drawings: 0, bounds: { x0: -6.1, y0: -4.1, x1: 6.1, y1: 4.1 }, floor: color('ffffff'), ambient: 1 };
    case 'scene MODELS': return page(models, 'models');
    case 'scene POLYGONS': return page(polygons, 'polygons');
    case 'scene POSES': return poses();
    case 'simulation SET_POSE2D': { const robot = robots.find((r) => r.root.name === value.name); const m = models.find((o) => o.name === value.name); if (robot) { robot.x = value.pose.px; robot.y = value.pose.py; } else moved.set(m.model, { model: m.model, ...value.pose, pz: 0 }); return null; }
    case 'world STEP': advance(0.1); return null;
    case 'map GET_INFO': return { scale: 0.1, width: 60, height: 40, origin: { px: -3, py: -2, pa: 0 } };
    case 'map GET_DATA': return { ...value, data_range: 1, data: Array.from({ length: value.width * value.height }, (_, i) => (i % 17 === 0 ? 1 : i % 5 ? -1 : 0)) };
  }
  if (one.interface === 'program') return play(message.name, value);
  if (message.name === 'GET_PROPERTIES') return { properties: [{ type: 3, writable: 1, key: 'rate', unit: 'Hz', doc: 'How often.' }, { type: 1, writable: 0, key: 'ready', unit: '', doc: 'Whether it is.' }] };
  return made(message.answer) ?? {};
}
const messageOf = (one, kind, name) => [...interfaces[one.interface].messages, ...interfaces.common.messages].find((message) => message.kind === kind && message.name === name);
const stat = () => ({ uptime: now(), devices: devices.map((one) => ({ addr: { host: 0, robot: 6665, interf: interfaces[one.interface].code, index: one.index }, state: one.interface === 'gps' ? 4 : 2, readers: 1, published: steps, dropped: 0, commands: 0, requests: 3, failed_requests: 0, refused: 0, latency_mean: 0.001, latency_max: 0.004, guards: 0, guard_restarts: 0, isolated: 0, holder_silent: 0, driver: 'mock', instance: '', failure: one.interface === 'gps' ? 'gps:0: open /dev/ttyUSB0: there is no such line; plug it in' : '', rank: 0, lease_left: 0, rank_left: 0, mover: one.interface === 'position2d' ? '127.0.0.1:50000' : '', holder: '', holder_number: 0, label: one.label })), clients: [{ number: 1, name: '127.0.0.1:50000', software: 'dashboard', age: now(), opened: 3, waiting: 0, sent: steps, received: 10, dropped: 0, refused: 0, right: 2, key: '' }], panic: {} });

// ---- Programs: converted by the real compiler, TROUPE=path of the program -----------------------------
const state = { phase: 0, name: '', loads: 0, line: 0, lines: [], time: 0, bytes: 0, chip_bytes: 2048, steps: 0, commands: 0, printed: 0, held: 0, error_line: 0, error: '', variables: [], devices: [], transfer: '', peer: '' };
const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'programs');
let loaded = '';
const utf8 = (text) => [...Buffer.from(text)];
function convert(text, ...how) {
  const file = join(tmpdir(), `mock-${process.pid}.${how[0] === '--text' ? 'json' : 'play'}`);
  writeFileSync(file, text);
  const run = spawnSync(process.env.TROUPE ?? 'troupe', ['play', file, ...how], { encoding: 'utf8' });
  const mistakes = run.status === 0 ? [] : (run.stderr + run.stdout).split('\n').map((line) => /:(\d+):(\d+): (?:`([^`]*)`: )?(.*)/.exec(line)).filter(Boolean).map((m) => ({ line: +m[1], column: +m[2], width: (m[3] ?? '').length, word: m[3] ?? '', text: m[4], fix: '' }));
  return { report: { bytes: 120, chip_bytes: 2048, total: mistakes.length, mistakes }, text: utf8(run.status === 0 ? run.stdout : '') };
}
const matched = () => ({ fits: 1, why: '', devices: [{ name: 'eye', is_command: 0, fits: 1, moves: 0, part: 2, explanation: 'Light Sensor is part 2, the light sensor at port 3' }] });
function play(name, value) {
  const text = Buffer.from(value.text ?? []).toString();
  switch (name) {
    case 'STATE': return state;
    case 'OUTPUT': return { first: 0, lines: [] };
    case 'GRAMMAR': return { text: utf8(readFileSync(process.argv[3], 'utf8')) };
    case 'LIST': return { items: readdirSync(folder).filter((file) => file.endsWith('.play')).map((file) => ({ name: file, title: '' })) };
    case 'FETCH': return value.name === '' ? { name: state.name, text: utf8(loaded) } : { name: value.name, text: utf8(readFileSync(join(folder, value.name), 'utf8')) };
    case 'BLOCKS': return convert(text, '--blocks');
    case 'TEXT': return convert(text, '--text');
    case 'FORMAT': return convert(text, '--format');
    case 'CHECK': return convert(text, '--check').report;
    case 'LOAD': loaded = text; state.name = value.name; state.phase = 1; return convert(text, '--check').report;
    case 'MATCH': return matched();
    case 'RUN': case 'LAUNCH': Object.assign(state, { phase: 2, devices: matched().devices, variables: [{ name: 'before', kind: 0, number: 12, text: '12' }], lines: [{ task: 0, line: 9, waits: 1 }], line: 9, bytes: 120 }); return matched();
    case 'STOP': state.phase = 6; state.error = 'stopped by 127.0.0.1:50000'; return null;
    case 'PAUSE': state.phase = 3; return null;
    case 'RESUME': state.phase = 2; return null;
  }
  return state;
}

// ---- Connections ---------------------------------------------------------------------------------
const stops = new Set();
const tellStops = () => stops.forEach((send) => send(JSON.stringify({ op: 'panic', ...panic })));
const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.split('?')[0]);
  const json = (value, code = 200) => { response.writeHead(code, { 'Content-Type': 'application/json' }); response.end(JSON.stringify(value)); };
  if (path === '/api/devices') return json({ devices });
  if (path === '/api/interfaces') return json(interfaces);
  if (path === '/api/server') return json({ name: 'mock', version: '0.1.0', session: String(started), clock: 'world', time, right: 'move', key: '', keys: false, panic, statistics: stat(), web: { clients: 1, encodings: {}, replaced: 0 } });
  if (path === '/api/reset') { panic.active = false; panic.epoch++; tellStops(); return json({}); }
  if (path === '/api/panic') { raise('HTTP'); return json(panic); }
  try {
    const file = path === '/' ? '/index.html' : path;
    response.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" });
    response.end(readFileSync(join(dist, file)));
  } catch { response.writeHead(404); response.end(); }
});
function raise(why) { Object.assign(panic, { active: true, epoch: panic.epoch + 1, who: '127.0.0.1:50001', why, since: Date.now() / 1000, count: 1, stopped: true, ms: 11.6, owing: [] }); tellStops(); }
const clients = new Set();
server.on('upgrade', (request, socket) => {
  if (request.url.startsWith('/stop')) {
    const send = accept(request, socket, 'troupe.stop.v1', (text) => { const { op, why } = JSON.parse(text); if (op === 'state') send(JSON.stringify({ op: 'panic', ...panic })); else if (op === 'ping') send('{"op":"pong"}'); else raise(why); });
    stops.add(send);
    socket.on('close', () => stops.delete(send));
    return;
  }
  const client = { subscriptions: new Map(), channels: new Map(), send: null };
  client.send = accept(request, socket, 'foxglove.websocket.v1', (message) => receive(client, message));
  clients.add(client);
  socket.on('close', () => clients.delete(client));
  client.send(JSON.stringify({ op: 'serverInfo', name: 'mock', capabilities: [], sessionId: 'x' }));
  client.send(JSON.stringify({ op: 'advertise', channels: devices.flatMap((one) => interfaces[one.interface].messages.filter((message) => message.kind === 'data').map((message) => ({ id: one.number * 1024 + message.code, topic: `/6665/${one.interface}/${one.index}/${message.name}`, encoding: 'json', schemaName: '', schema: '' }))) }));
  client.send(JSON.stringify({ op: 'advertiseServices', services: devices.flatMap((one) => [...interfaces[one.interface].messages, ...interfaces.common.messages].filter((message) => message.kind === 'request').map((message) => ({ id: one.number * 256 + message.code, name: `/6665/${one.interface}/${one.index}/req/${message.name}`, type: '' }))) }));
});
function receive(client, message) {
  if (typeof message === 'string') {
    const value = JSON.parse(message);
    if (value.op === 'subscribe') value.subscriptions.forEach((one) => client.subscriptions.set(one.id, one.channelId));
    if (value.op === 'unsubscribe') value.subscriptionIds.forEach((id) => client.subscriptions.delete(id));
    if (value.op === 'advertise') value.channels.forEach((one) => client.channels.set(one.id, one.topic));
    if (value.op === 'getParameters') client.send(JSON.stringify({ op: 'parameterValues', id: value.id, parameters: value.parameterNames.map((name) => ({ name, value: name.endsWith('rate') ? 10 : true })) }));
    if (value.op === 'setParameters') { for (const one of value.parameters) { if (one.name.endsWith('/paused')) paused = one.value; if (one.name.endsWith('/speed')) speed = one.value; } client.send(JSON.stringify({ op: 'parameterValues', id: value.id, parameters: value.parameters })); }
    if (value.op === 'auth') client.send(JSON.stringify({ op: 'auth', right: 'operate', key: 'teacher' }));
    return;
  }
  if (message[0] === 1) {
    const topic = client.channels.get(message.readUInt32LE(1)).split('/');
    const value = JSON.parse(message.subarray(5));
    if (topic[2] === 'position2d') Object.assign(robots[+topic[3]], { v: value.vel.px, w: value.vel.pa, cmd: now() });
  } else if (message[0] === 2) {
    const [service, call, length] = [message.readUInt32LE(1), message.readUInt32LE(5), message.readUInt32LE(9)];
    const one = devices[(service >> 8) - 1];
    const asked = [...interfaces[one.interface].messages, ...interfaces.common.messages].find((m) => m.kind === 'request' && m.code === (service & 255));
    const body = Buffer.from(JSON.stringify(answer(one, asked, JSON.parse(message.subarray(13 + length).toString() || '{}') ?? {}) ?? {}));
    const head = Buffer.alloc(17);
    head[0] = 3; head.writeUInt32LE(service, 1); head.writeUInt32LE(call, 5); head.writeUInt32LE(4, 9); head.write('json', 13);
    client.send(Buffer.concat([head, body]));
  }
}
setInterval(() => {
  if (!paused) advance(0.05 * (speed || 5));
  for (const client of clients) {
    for (const [id, channel] of client.subscriptions) {
      const one = devices[(channel >> 10) - 1];
      const message = interfaces[one.interface].messages.find((m) => m.kind === 'data' && m.code === (channel & 1023));
      const head = Buffer.alloc(13);
      head[0] = 1; head.writeUInt32LE(id, 1); head.writeBigUInt64LE(BigInt(Math.round(time * 1e9)), 5);
      client.send(Buffer.concat([head, Buffer.from(JSON.stringify(data(one, message)))]));
    }
  }
}, 50);
void messageOf;
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
