// recordings.tsx - what the server records and plays: begin, end, files, a slider over the time of a recording.
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { canAsk, devices, fail, link, may, nameOf, request, useSample, type Device } from '../model/state';
import { Icon } from '../parts/icons';
import { bytesText, clockText } from '../parts/amounts';
import { brief, number } from '../parts/number';
import { href } from '../parts/route';
import { save } from '../parts/save';
import './recordings.css';

type State = { records: number; runs: number; name: string; position: number; span: number; speed: number; loops: number; messages: number; size: number; left_out: number; error: string };
type File = { name: string; size: number; modified: number; whole: number; span: number; messages: number };

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10, 0];
const LIST_MS = 3000;

function speedText(speed: number): string {
  return speed === 0 ? 'as fast as it goes' : `${brief(speed)} ×`;
}

/** What a section does: what it said last, or the answer to a question before it says anything. */
function useRecording(device: Device): State | null {
  const told = useSample(device, 'STATE').value;
  const asked = useSignal<State | null>(null);
  const ready = canAsk(device, 'STATE');
  useEffect(() => {
    if (ready) {
      request(device, 'STATE').then((state) => (asked.value = state), fail);
    }
  }, [device.name, ready]);
  return told?.value ?? asked.value;
}

// ---- Recording ---------------------------------------------------------------------------------------------

function Records({ device, state, again }: { device: Device; state: State; again: () => void }) {
  const name = useSignal('');
  const begin = (event: Event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    request(device, 'RECORD', { name: wanted === '' || /\.(mcap|log)$/.test(wanted) ? wanted : `${wanted}.mcap` }).then(again, fail);
  };
  return (
    <section class="panel" aria-label={`Recording with ${nameOf(device)}`}>
      <h2>
        Record <small>{nameOf(device)}</small>
      </h2>
      {state.runs ? (
        <>
          <p class="now" role="status">
            <i class="dot recording" /> Recording <strong>{state.name}</strong>
          </p>
          <dl class="values">
            <dt>for</dt>
            <dd class="num">{clockText(state.position)}</dd>
            <dt>messages</dt>
            <dd class="num">{number(state.messages)}</dd>
            <dt>size</dt>
            <dd class="num">{bytesText(state.size)}</dd>
          </dl>
          <div class="row">
            <button type="button" disabled={!may('write')} onClick={() => void request(device, 'STOP').then(again, fail)}>
              <Icon name="stop" /> End the recording
            </button>
          </div>
        </>
      ) : (
        <form class="row" onSubmit={begin}>
          <label class="grow">
            Name <input type="text" maxLength={120} placeholder={state.name} value={name.value} disabled={!may('write')} onInput={(event) => (name.value = event.currentTarget.value)} />
          </label>
          <button type="submit" class="go" disabled={!may('write')}>
            <Icon name="record" /> Record
          </button>
        </form>
      )}
      {state.error !== '' && <p class="bad">The last recording has ended: {state.error}.</p>}
      {state.left_out > 0 && <p class="hint">{number(state.left_out)} messages are not in the file: its format does not have them.</p>}
    </section>
  );
}

// ---- Playing -----------------------------------------------------------------------------------------------

/** Speed and repetition as they were chosen here. The server's news of a moment ago must not take a choice back: it holds until the
 * first news after the server's answer. */
function useTempo(device: Device, state: State) {
  const wish = useSignal<{ speed: number; loops: boolean; answered: boolean } | null>(null);
  const newest = useRef(state);
  newest.current = state;
  // Before anything else is received: an effect after the next picture could be that of older news.
  useLayoutEffect(() => {
    if (wish.value?.answered) {
      wish.value = null;
    }
  }, [state]);
  const { speed, loops } = wish.value ?? { speed: state.speed, loops: !!state.loops };
  const set = async (change: { speed?: number; loops?: boolean }) => {
    const mine = { speed, loops, ...change, answered: false };
    wish.value = mine;
    const isDone = await request(device, 'SPEED', { speed: mine.speed, loops: +mine.loops }).then(
      () => newest.current.speed === mine.speed && !!newest.current.loops === mine.loops,
      (error) => (fail(error), true),
    );
    if (wish.value === mine) {
      wish.value = isDone ? null : { ...mine, answered: true };
    }
  };
  return { speed, loops, set };
}

function Plays({ device, state }: { device: Device; state: State }) {
  const dragged = useSignal<number | null>(null);
  const ask = (message: string, value?: unknown) => request(device, message, value).catch(fail);
  const most = Math.max(state.span, state.position, 0.001);
  const at = Math.min(dragged.value ?? state.position, most);
  const { speed, loops, set } = useTempo(device, state);
  const ready = state.name !== '' && may('write');
  const go = (position: number) => void ask('GO', { position }).then(() => (dragged.value = null));
  return (
    <section class="panel player" aria-label={`Playing with ${nameOf(device)}`}>
      <h2>
        Play <small>{nameOf(device)}</small>
      </h2>
      <p class="now" role="status">
        {state.name === '' ? 'No recording is chosen: press Play beside one below.' : <strong>{state.name}</strong>} {state.name !== '' && <span class={`chip ${state.runs ? 'good' : ''}`}>{state.runs ? 'playing' : 'stopped'}</span>}
      </p>
      <label class="time">
        <span class="sr">Time</span>
        <input
          type="range"
          min="0"
          max={most}
          step="any"
          value={at}
          disabled={!ready}
          aria-valuetext={`${clockText(at)} of ${state.span > 0 ? clockText(state.span) : 'an unknown length'}`}
          onInput={(event) => (dragged.value = +event.currentTarget.value)}
          onChange={(event) => go(+event.currentTarget.value)}
          onKeyDown={(event) => {
            // Seconds, not hundredths of an hour.
            const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
            if (by !== undefined) {
              event.preventDefault();
              go(Math.max(0, Math.min(most, at + by)));
            }
          }}
        />
        <output class="num">
          {clockText(at)} {state.span > 0 && <small>of {clockText(state.span)}</small>}
        </output>
      </label>
      <div class="row">
        {state.runs ? (
          <button type="button" disabled={!ready} onClick={() => void ask('STOP')}>
            <Icon name="pause" /> Pause
          </button>
        ) : (
          <button type="button" class="go" disabled={!ready} onClick={() => void ask('PLAY')}>
            <Icon name="play" /> Play
          </button>
        )}
        <button type="button" disabled={!ready} title="Plays one message and stops" onClick={() => void ask('STEP', { messages: 1 })}>
          <Icon name="step" /> Step
        </button>
        <button type="button" disabled={!ready} onClick={() => go(0)}>
          <Icon name="first" /> To the beginning
        </button>
        <label>
          Speed{' '}
          <select value={String(speed)} disabled={!may('write')} onChange={(event) => void set({ speed: +event.currentTarget.value })}>
            {[...new Set([...SPEEDS, speed])].map((one) => (
              <option key={one} value={String(one)}>
                {speedText(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input type="checkbox" checked={loops} disabled={!may('write')} onChange={(event) => void set({ loops: event.currentTarget.checked })} /> again at the end
        </label>
      </div>
      <p class="hint">
        {number(state.messages)} messages played. The recorded devices are on the pages <a href={href('devices')}>Devices</a> and <a href={href('charts')}>Charts</a>.
        {state.left_out > 0 && ` ${number(state.left_out)} damaged or unknown parts were left out.`}
      </p>
    </section>
  );
}

// ---- Files ---------------------------------------------------------------------------------------------------

/** The bytes of a file, piece by piece. */
async function fetchFile(device: Device, name: string, progress: (share: number) => void): Promise<void> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let from = 0;
  let size = 1;
  while (from < size) {
    const piece = await request(device, 'FETCH', { name, from });
    const bytes = Uint8Array.from(atob(piece.text), (letter) => letter.charCodeAt(0));
    if (bytes.length === 0) {
      break;
    }
    pieces.push(bytes);
    from += bytes.length;
    size = piece.size;
    progress(from / size);
  }
  save(name, 'application/octet-stream', new Blob(pieces));
}

function FileRow({ file, source, player, state }: { file: File; source: Device; player: Device | undefined; state: State | null }) {
  const share = useSignal<number | null>(null);
  const download = () => {
    share.value = 0;
    fetchFile(source, file.name, (part) => (share.value = part))
      .catch(fail)
      .finally(() => (share.value = null));
  };
  const play = () => {
    request(player!, 'OPEN', { name: file.name })
      .then(() => request(player!, 'PLAY'))
      .catch(fail);
  };
  const open = state?.records && state.runs && state.name === file.name;
  return (
    <tr>
      <th scope="row">
        {file.name} {open ? <span class="chip bad">recording</span> : !file.whole && /mcap$/.test(file.name) && <span class="chip warn" title="troupe log recover makes it whole again">not whole</span>}
      </th>
      <td class="num wide">{new Date(file.modified * 1000).toLocaleString()}</td>
      <td class="num right">{file.span > 0 ? clockText(file.span) : '–'}</td>
      <td class="num right wide">{file.messages > 0 ? number(file.messages) : '–'}</td>
      <td class="num right">{bytesText(file.size)}</td>
      <td class="acts">
        {player !== undefined && (
          <button class="small" type="button" disabled={!may('write')} onClick={play}>
            <Icon name="play" /> Play<span class="sr"> {file.name}</span>
          </button>
        )}
        <button class="small" type="button" disabled={!may('write') || share.value !== null} onClick={download}>
          <Icon name="down" /> {share.value === null ? 'Download' : `${Math.round(share.value * 100)} %`}
          <span class="sr"> {file.name}</span>
        </button>
      </td>
    </tr>
  );
}

function Files({ source, player, state, again }: { source: Device; player: Device | undefined; state: State | null; again: Signal<number> }) {
  const list = useSignal<File[] | null>(null);
  const ready = canAsk(source, 'LIST');
  useEffect(() => {
    if (!ready) {
      return undefined;
    }
    const load = () => document.visibilityState === 'visible' && request(source, 'LIST').then((answer) => (list.value = answer.files), fail);
    void load();
    const timer = setInterval(load, LIST_MS);
    return () => clearInterval(timer);
  }, [source.name, ready, again.value]);
  return (
    <section class="panel" aria-label="Recordings">
      <h2>Recordings</h2>
      {list.value === null ? (
        <p class="soft">Loading …</p>
      ) : list.value.length === 0 ? (
        <p class="soft">There is none yet.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="List of recordings">
          <table class="files">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="wide">
                  Written
                </th>
                <th scope="col" class="right">
                  Length
                </th>
                <th scope="col" class="right wide">
                  Messages
                </th>
                <th scope="col" class="right">
                  Size
                </th>
                <th scope="col">
                  <span class="sr">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.value.map((file) => (
                <FileRow key={file.name} file={file} source={source} player={player} state={state} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

// ---- The page ------------------------------------------------------------------------------------------------

const EXAMPLE = `driver ( name "log" requires [ "laser:0" "position2d:0" ] provides [ "recordings:0" ]
  filename "run.mcap" autorecord no )`;

function Section({ device, again }: { device: Device; again: () => void }) {
  const state = useRecording(device);
  return state === null ? <p class="soft">Loading …</p> : state.records ? <Records device={device} state={state} again={again} /> : <Plays device={device} state={state} />;
}

/** The list is that of the first section that records, or plays. Its state marks the file that is being written. */
function FilesOf({ source, player, again }: { source: Device; player: Device | undefined; again: Signal<number> }) {
  return <Files source={source} player={player} state={useRecording(source)} again={again} />;
}

export default function RecordingsPage() {
  const again = useSignal(0);
  const roles = useSignal<Record<string, number>>({});
  const all = devices.value.filter((device) => device.interface === 'recordings');
  const ready = link.state.value === 'open' && all.every((device) => canAsk(device, 'STATE'));
  useEffect(() => {
    if (ready) {
      Promise.all(all.map((device) => request(device, 'STATE'))).then((states) => (roles.value = Object.fromEntries(all.map((device, i) => [device.name, states[i].records]))), fail);
    }
  }, [ready, all.map((device) => device.name).join()]);
  const recorder = all.find((device) => roles.value[device.name] === 1);
  const player = all.find((device) => roles.value[device.name] === 0);
  const source = recorder ?? player;
  return (
    <div class="recordings">
      <div class="toolbar">
        <h1>Recordings</h1>
      </div>
      {all.length === 0 ? (
        <div class="empty">
          <p>This server neither records nor plays. Add a section to its configuration:</p>
          <pre>{EXAMPLE}</pre>
          <p>
            Or record from a terminal: <code>troupe log -o run.mcap</code>
          </p>
        </div>
      ) : (
        <>
          <div class="sections">
            {all.map((device) => (
              <Section key={device.name} device={device} again={() => again.value++} />
            ))}
          </div>
          {source !== undefined && <FilesOf source={source} player={player} again={again} />}
        </>
      )}
    </div>
  );
}
