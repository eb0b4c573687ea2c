// card.tsx - a device: live values, commands, requests, properties. Made from descriptors for every interface; common
// interfaces have a picture of their own above that.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { descriptors, fail, link, may, nameOf, note, request, topicOf, useSample, type Device, type Right } from '../model/state';
import { forget, halt, move, moved } from '../model/moves';
import { title, type Effect, type Message } from '../model/descriptors';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { href } from '../parts/route';
import { MessageForm } from './form';
import { PICTURES } from './pictures';
import { Values } from './values';

const RIGHT_OF: Record<Effect, Right> = { reads: 'read', writes: 'write', moves: 'move', actuates: 'move', operates: 'operate' };
const NOT_ASKED = ['CAPABILITIES', 'TRACE', 'HALT_SO', 'LEASE', 'READ_AND_CLEAR', 'TEST_AND_SET', 'GET_PROPERTIES']; // of all devices
const PROPERTY = /^(GET|SET)_(INT|DBL|STR|BOOL)PROP$/;

function Latest({ device, message, only }: { device: Device; message: Message; only: boolean }) {
  const sample = useSample(device, message.name).value;
  const struct = descriptors.value!.struct(message.ask);
  return (
    <div class="data" data-message={message.name}>
      {!only && (
        <h4 title={message.doc}>
          {title(message.name)} <small>{sample === null ? 'nothing yet' : ''}</small>
        </h4>
      )}
      {sample === null ? only && <p class="soft">No data yet.</p> : <Values struct={struct} value={sample.value} />}
    </div>
  );
}

/** Data messages that came, and those that every such device sends. */
function Data({ device }: { device: Device }) {
  const all = descriptors.value!;
  const messages = all.messages(device.interface, 'data').filter((message) => device.data.includes(message.name));
  const wanted = useSignal('');
  const main = messages.filter((message) => message.mark === 'required');
  const shown = main.length > 0 ? main : messages.slice(0, 1);
  const more = messages.filter((message) => !shown.includes(message));
  const chosen = more.find((message) => message.name === wanted.value);
  return (
    <>
      {shown.map((message) => (
        <Latest key={message.name} device={device} message={message} only={shown.length === 1 && chosen === undefined} />
      ))}
      {chosen !== undefined && <Latest key={chosen.name} device={device} message={chosen} only={false} />}
      {more.length > 0 && (
        <label class="more">
          Also show{' '}
          <select value={wanted.value} onChange={(event) => (wanted.value = event.currentTarget.value)}>
            <option value="">nothing</option>
            {more.map((message) => (
              <option key={message.name} value={message.name}>
                {title(message.name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {messages.length === 0 && <p class="soft">It sends no data.</p>}
    </>
  );
}

function Ask({ device, message }: { device: Device; message: Message }) {
  const all = descriptors.value!;
  const answer = useSignal<{ value: any } | null>(null);
  const busy = useSignal(false);
  const needed = RIGHT_OF[message.effect ?? 'writes'];
  const send = async (value: any) => {
    if (message.kind === 'command') {
      move(device, message.name, value);
      return;
    }
    busy.value = true;
    try {
      answer.value = { value: await request(device, message.name, value) };
      if (message.answer == null) {
        note(`${nameOf(device)}: ${title(message.name)} is done.`);
      }
    } catch (error) {
      answer.value = null;
      fail(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <details class="ask">
      <summary>
        {title(message.name)} {(message.effect === 'moves' || message.effect === 'actuates') && <span class="chip">moves</span>}
      </summary>
      <p class="hint">{message.doc}</p>
      <MessageForm struct={all.struct(message.ask)} action={message.kind === 'command' ? 'Send' : 'Ask'} disabled={busy.value || !may(needed)} send={(value) => void send(value)} />
      {!may(needed) && <p class="hint">This needs the right to {needed}: the key at the top.</p>}
      {answer.value !== null && message.answer != null && (
        <div class="answer" role="status">
          <Values struct={all.struct(message.answer)} value={answer.value.value} />
        </div>
      )}
    </details>
  );
}

function messagesOf(device: Device, kind: 'command' | 'request', names: string[]): Message[] {
  const all = descriptors.value!;
  const known = [...all.messages(device.interface, kind), ...all.common(kind).filter((message) => !NOT_ASKED.includes(message.name) && !PROPERTY.test(message.name))];
  const moves = [...all.messages(device.interface, 'command'), ...all.messages(device.interface, 'request')].some((message) => message.effect === 'moves');
  return known.filter((message) => names.includes(message.name) && message.mark !== 'extension' && (moves || message.name !== 'HALT'));
}

type Property = { type: number; writable: number; key: string; unit: string; doc: string; value?: any };
const KINDS = ['', 'bool', 'int', 'double', 'text'];

function PropertyRow({ device, property, again }: { device: Device; property: Property; again: () => void }) {
  const typed = useSignal<any>(null);
  const kind = KINDS[property.type];
  const value = typed.value ?? property.value;
  const set = (next: any) => {
    typed.value = null;
    if (next === '' && kind !== 'text') {
      return; // emptied: the value stays
    }
    link
      .setParameters([{ name: topicOf(device, property.key), value: kind === 'bool' ? !!next : kind === 'text' ? String(next) : +next, type: kind === 'double' ? 'float64' : undefined }])
      .then(again, fail);
  };
  const id = `p-${device.number}-${property.key}`;
  return (
    <div class="field">
      <label for={id} title={property.doc}>
        {property.key}
      </label>
      {!property.writable ? (
        <output id={id} class="num">
          {kind === 'bool' ? (property.value ? 'yes' : 'no') : number(property.value)} <small>{property.unit}</small>
        </output>
      ) : kind === 'bool' ? (
        <input id={id} type="checkbox" disabled={!may('write')} checked={!!value} onChange={(event) => set(event.currentTarget.checked)} />
      ) : (
        <span class="unit">
          <input
            id={id}
            {...({ type: kind === 'text' ? 'text' : 'number' } as { type: 'number' })}
            step="any"
            disabled={!may('write')}
            value={value ?? ''}
            onInput={(event) => (typed.value = event.currentTarget.value)}
            onChange={(event) => set(event.currentTarget.value)}
          />
          <small>{property.unit}</small>
        </span>
      )}
    </div>
  );
}

function Properties({ device }: { device: Device }) {
  const list = useSignal<Property[] | null>(null);
  const load = async () => {
    try {
      const properties: Property[] = (await request(device, 'GET_PROPERTIES')).properties;
      const values = properties.length === 0 ? [] : await link.getParameters(properties.map((property) => topicOf(device, property.key)));
      const known = new Map(values.map((value) => [value.name, value.value]));
      list.value = properties.map((property) => ({ ...property, value: known.get(topicOf(device, property.key)) }));
    } catch (error) {
      fail(error);
    }
  };
  useEffect(() => void load(), [device.name]);
  if (list.value === null) {
    return <p class="soft">Loading …</p>;
  }
  return (
    <>
      {list.value.length === 0 && <p class="soft">It has none.</p>}
      {list.value.map((property) => (
        <PropertyRow key={property.key} device={device} property={property} again={() => void load()} />
      ))}
    </>
  );
}

function Errors({ device }: { device: Device }) {
  const sample = useSample(device.data.includes('ERROR') ? device : undefined, 'ERROR').value;
  useEffect(() => void (/\bstopped\b/.test(sample?.value?.text ?? '') && forget(device)), [sample]);
  return sample?.value?.text ? (
    <p class="bad" role="alert">
      {sample.value.text}
    </p>
  ) : null;
}

type Part = 'numbers' | 'commands' | 'requests' | 'properties';

export function Card({ device }: { device: Device }) {
  const described = descriptors.value!.interfaces[device.interface];
  const Picture: ComponentType<{ device: Device }> | undefined = PICTURES[device.interface];
  const open = useSignal<Part | ''>('');
  const commands = messagesOf(device, 'command', device.commands);
  const requests = messagesOf(device, 'request', device.requests);
  const parts: [Part, string][] = [
    ...(Picture === undefined ? [] : [['numbers', 'Numbers'] as [Part, string]]),
    ...(commands.length === 0 ? [] : [['commands', `${commands.length} ${commands.length === 1 ? 'command' : 'commands'}`] as [Part, string]]),
    ...(requests.length === 0 ? [] : [['requests', `${requests.length} ${requests.length === 1 ? 'request' : 'requests'}`] as [Part, string]]),
    ['properties', 'Properties'],
  ];
  return (
    <article class="card panel" id={`card-${device.name}`} aria-label={nameOf(device)}>
      <header>
        <h2>
          {nameOf(device)} <small>{device.label || device.driver}</small>
        </h2>
        {descriptors.value!.messages(device.interface, 'data').some((message) => device.data.includes(message.name)) && (
          <a class="button quiet small" href={href('charts', device.name)} aria-label={`Chart of ${nameOf(device)}`}>
            <Icon name="charts" />
          </a>
        )}
      </header>
      <p class="hint doc">{described?.doc}</p>
      <Errors device={device} />
      {Picture !== undefined ? <Picture device={device} /> : <Data device={device} />}
      {moved.value.has(device.name) && (
        <p class="row">
          This page moves it.
          <button type="button" class="small" onClick={() => halt(device)}>
            Stop
          </button>
        </p>
      )}
      <div class="parts">
        {parts.map(([part, text]) => (
          <button key={part} class="quiet small" type="button" aria-expanded={open.value === part} onClick={() => (open.value = open.value === part ? '' : part)}>
            {text}
          </button>
        ))}
      </div>
      {open.value === 'numbers' && <Data device={device} />}
      {open.value === 'commands' && commands.map((message) => <Ask key={message.name} device={device} message={message} />)}
      {open.value === 'requests' && requests.map((message) => <Ask key={message.name} device={device} message={message} />)}
      {open.value === 'properties' && <Properties device={device} />}
    </article>
  );
}
