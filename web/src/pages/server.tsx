// server.tsx - the server: what runs, who is connected, who moves and holds what, and what went wrong.
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { post } from '../wire/api';
import { descriptors, devices, fail, link, may, nameOf, refreshServer, serverInfo } from '../model/state';
import { number } from '../parts/number';
import { href } from '../parts/route';

const EVERY_MS = 2000;
const STATES = ['idle', 'starting', 'running', 'stopping', 'failed', 'troubled'];
const RIGHTS = ['read', 'write', 'move', 'operate'];

function span(seconds: number): string {
  if (seconds < 120) {
    return `${number(seconds, 0)} s`;
  }
  return seconds < 7200 ? `${number(seconds / 60, 0)} min` : `${number(seconds / 3600, 1)} h`;
}

function count(value: number): string {
  return value >= 1e6 ? `${number(value / 1e6, 1)} M` : value >= 1e4 ? `${number(value / 1e3, 0)} k` : number(value);
}

function Tile({ label, value, unit = '' }: { label: string; value: string; unit?: string }) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd class="num">
        {value} <small>{unit}</small>
      </dd>
    </div>
  );
}

function DeviceRows({ list }: { list: any[] }) {
  const known = new Map(devices.value.map((device) => [`${device.robot} ${descriptors.value?.interfaces[device.interface]?.code} ${device.index}`, device]));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Devices of the server">
      <table>
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col">State</th>
            <th scope="col">Moved by</th>
            <th scope="col">Held by</th>
            <th scope="col" class="right">
              Readers
            </th>
            <th scope="col" class="right">
              Sent
            </th>
            <th scope="col" class="right">
              Commands
            </th>
            <th scope="col" class="right">
              Requests
            </th>
            <th scope="col" class="right">
              Refused
            </th>
            <th scope="col" class="right">
              Slowest answer
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => {
            const device = known.get(`${one.addr.robot} ${one.addr.interf} ${one.addr.index}`);
            const state = STATES[one.state] ?? number(one.state);
            return (
              <tr key={`${one.addr.robot} ${one.addr.interf} ${one.addr.index}`}>
                <th scope="row">
                  {device === undefined ? `${one.addr.interf}:${one.addr.index}` : <a href={href('devices', device.name)}>{nameOf(device)}</a>}{' '}
                  <small>{one.label || one.driver}</small>
                </th>
                <td>
                  <span class={`chip ${state === 'running' ? 'good' : state === 'failed' ? 'bad' : state === 'troubled' ? 'warn' : ''}`}>{state}</span>
                  {one.failure !== '' && <p class="bad small">{one.failure}</p>}
                </td>
                <td>
                  {one.mover}
                  {one.mover !== '' && one.lease_left > 0 && <small> {number(one.lease_left, 1)} s left</small>}
                </td>
                <td>
                  {one.holder} {!!one.holder_silent && <span class="chip warn">silent</span>}
                </td>
                <td class="num right">{one.readers}</td>
                <td class="num right">{count(one.published)}</td>
                <td class="num right">{count(one.commands)}</td>
                <td class="num right">{count(one.requests)}</td>
                <td class="num right">{count(one.refused + one.failed_requests)}</td>
                <td class="num right">{one.latency_max > 0 ? `${number(one.latency_max * 1000, 1)} ms` : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function ClientRows({ list }: { list: any[] }) {
  const kick = (number: number) => void post('/api/server/request/KICK', { number }).then(refreshServer, fail);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Clients of the server">
      <table>
        <thead>
          <tr>
            <th scope="col">Client</th>
            <th scope="col">May</th>
            <th scope="col" class="right">
              For
            </th>
            <th scope="col" class="right">
              Open
            </th>
            <th scope="col" class="right">
              Sent
            </th>
            <th scope="col" class="right">
              Received
            </th>
            <th scope="col" class="right">
              Lost
            </th>
            <th scope="col" class="right">
              Refused
            </th>
            <th scope="col">
              <span class="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => (
            <tr key={one.number}>
              <th scope="row">
                {one.name} <small>{one.software}</small>
              </th>
              <td>
                {RIGHTS[one.right]} <small>{one.key}</small>
              </td>
              <td class="num right">{span(one.age)}</td>
              <td class="num right">{one.opened}</td>
              <td class="num right">{count(one.sent)}</td>
              <td class="num right">{count(one.received)}</td>
              <td class="num right">{count(one.dropped)}</td>
              <td class="num right">{count(one.refused)}</td>
              <td>
                <button class="small" type="button" disabled={!may('move')} onClick={() => kick(one.number)}>
                  Disconnect<span class="sr"> {one.name}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function ServerPage() {
  const why = useSignal('');
  useEffect(() => {
    const load = () => document.visibilityState === 'visible' && refreshServer().then(() => (why.value = ''), (error) => (why.value = error.message));
    load();
    const timer = setInterval(load, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const info = serverInfo.value;
  if (info === null) {
    return <p class="empty">{why.value || 'Waiting for the server …'}</p>;
  }
  const stat = info.statistics;
  const errors = stat.devices.filter((one: any) => one.failure !== '');
  const name = (one: any) => {
    const found = devices.value.find((device) => device.robot === one.addr.robot && device.index === one.addr.index && descriptors.value?.interfaces[device.interface]?.code === one.addr.interf);
    return found === undefined ? one.driver : nameOf(found);
  };
  return (
    <div class="server">
      <h1>Server</h1>
      <dl class="tiles">
        <Tile label="Running for" value={span(stat.uptime)} />
        <Tile label="Version" value={info.version} />
        <Tile label="Clock" value={info.clock === 'world' ? 'simulated' : 'machine'} />
        <Tile label="Devices" value={number(stat.devices.length)} />
        <Tile label="Clients" value={number(stat.clients.length)} />
        <Tile label="You may" value={info.right} />
        <Tile label="This page receives" value={number(link.subscribed().length)} unit="channels" />
        <Tile label="Replaced by newer" value={count(info.web?.replaced ?? 0)} />
      </dl>
      {why.value !== '' && <p class="bad">{why.value}</p>}
      <section class="panel" id="errors">
        <h2>Errors</h2>
        {errors.length === 0 && link.notes.value.length === 0 && <p class="soft">None.</p>}
        <ul class="plain">
          {errors.map((one: any) => (
            <li key={`${one.addr.interf} ${one.addr.index} ${one.addr.robot}`}>
              <strong>{name(one)}</strong> <span class="bad">{one.failure}</span>
            </li>
          ))}
          {link.notes.value.slice(-8).map((one) => (
            <li key={one.time}>
              <span class={one.level > 1 ? 'bad' : 'soft'}>{one.message}</span>
            </li>
          ))}
        </ul>
      </section>
      <section class="panel">
        <h2>Clients</h2>
        <ClientRows list={stat.clients} />
      </section>
      <section class="panel">
        <h2>Devices</h2>
        <DeviceRows list={stat.devices} />
      </section>
    </div>
  );
}
