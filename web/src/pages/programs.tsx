// programs.tsx - a program as blocks and as text, and the robot that runs it.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Editor } from '../blocks/editor';
import * as bench from '../model/bench';
import { canAsk, fail, may, note, right, robotOf, devices, type Device } from '../model/state';
import { PHASES } from '../model/phases';
import { ProgramDevice, type Mistake } from '../model/program';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { go, route } from '../parts/route';
import { save as download } from '../parts/save';
import './programs.css';

const TYPE_MS = 500; // from the last key to the blocks
const MOST_CREW = 24; // robots that are watched

// ---- Blocks ------------------------------------------------------------------------------------------

const LOADING = 'Loading the block editor …';
const NEEDS_KEY = 'Blocks need a key: the button at the top.'; // the server makes them

/** What the editors have agreed on: the text that both show. */
function Blocks({ program }: { program: ProgramDevice }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const shown = useRef<string | null>(null); // the text of the blocks
  const why = useSignal(LOADING);
  useEffect(() => {
    let gone = false;
    const begin = async () => {
      const { Editor } = await import('../blocks/editor');
      while (program.grammar === null && !gone) {
        why.value = program.trouble || LOADING; // the server describes the blocks
        await new Promise((done) => setTimeout(done, 50));
      }
      if (gone || place.current === null) {
        return;
      }
      const made = new Editor(place.current, program.grammar!);
      editor.current = made;
      Object.assign(place.current, { editor: made }); // for tests
      why.value = '';
      made.onChange = async (body, problem) => {
        why.value = may('write') ? problem : NEEDS_KEY;
        if (body === null || behind || !may('write')) {
          return;
        }
        try {
          await program.textOf(made.program(), (text) => (shown.current = text));
        } catch (error) {
          why.value = (error as Error).message;
        }
      };
      follow();
    };
    const show = () => {
      const state = program.state.peek();
      const runs = state !== null && (state.phase === 2 || state.phase === 3) && program.isLoaded();
      editor.current?.showLines(runs ? state.lines.map((line: any) => line.line) : []);
      editor.current?.showValues(new Map(runs ? state.variables.map((variable: any) => [variable.name, variable.text]) : []));
    };
    let timer = 0;
    let behind = false; // the text was typed after the blocks; they are about to follow it
    const follow = () => {
      clearTimeout(timer);
      const text = program.text.peek();
      behind = editor.current !== null && shown.current !== text && may('write');
      if (editor.current !== null && !may('write')) {
        why.value = NEEDS_KEY;
      }
      if (!behind) {
        return;
      }
      timer = setTimeout(
        async () => {
          try {
            const blocks = await program.blocksOf(text).finally(() => (behind &&= program.text.peek() !== text));
            if (blocks !== null && editor.current !== null && program.text.peek() === text) {
              shown.current = text;
              editor.current.load(blocks);
              show(); // the program may stand still: no news of it come
              why.value = '';
              await program.check(); // blocks need right words, not right names
            } else if (program.report.peek()?.mistakes.length) {
              why.value = 'The text has mistakes: the blocks are those before.';
            }
          } catch (error) {
            why.value = (error as Error).message;
          }
        },
        shown.current === null ? 0 : TYPE_MS,
      );
    };
    begin().catch((error) => (why.value = `The block editor cannot be loaded: ${error.message}`));
    const ends = [
      program.text.subscribe(follow),
      right.subscribe(follow),
      program.state.subscribe(show),
      // Lines of another text are not those of the blocks.
      program.report.subscribe((report) => editor.current?.showMistakes(shown.current === program.text.peek() ? (report?.mistakes ?? []) : [])),
    ];
    return () => {
      gone = true;
      clearTimeout(timer);
      ends.forEach((end) => end());
      editor.current?.close();
      editor.current = null;
    };
  }, [program]);
  return (
    <section class="blocks" aria-label="Blocks">
      <div class="workspace" ref={place} />
      {why.value !== '' && (
        <p class="over-blocks" role="status">
          {why.value}
        </p>
      )}
    </section>
  );
}

// ---- Text --------------------------------------------------------------------------------------------

function TextEditor({ program }: { program: ProgramDevice }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const text = program.text.value;
  const state = program.state.value;
  const runs = state !== null && (state.phase === 2 || state.phase === 3);
  const lines: number[] = runs ? state.lines.map((line: any) => line.line) : state?.error_line > 0 ? [state.error_line] : [];
  const mistakes = new Set(program.report.value?.mistakes.map((mistake) => mistake.line));
  const scroll = () => gutter.current !== null && (gutter.current.scrollTop = area.current!.scrollTop);
  return (
    <section class="text" aria-label="Text">
      <div class="code">
        <div class="gutter num" ref={gutter} aria-hidden="true">
          {text.split('\n').map((_, i) => (
            <div key={i} class={`${lines.includes(i + 1) ? 'runs' : ''} ${mistakes.has(i + 1) ? 'wrong' : ''}`}>
              {i + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          id="program-text"
          aria-label="Text of the program"
          spellcheck={false}
          autocapitalize="off"
          value={text}
          onInput={(event) => (program.text.value = event.currentTarget.value)}
          onScroll={scroll}
        />
      </div>
      <Mistakes program={program} go={(mistake) => select(area.current!, mistake)} />
    </section>
  );
}

function select(area: HTMLTextAreaElement, mistake: Mistake): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, mistake.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + mistake.column - 1;
  area.focus();
  area.setSelectionRange(start, start + mistake.width);
}

function Mistakes({ program, go }: { program: ProgramDevice; go: (mistake: Mistake) => void }) {
  const report = program.report.value;
  if (report === null || report.mistakes.length === 0) {
    return null;
  }
  return (
    <ul class="mistakes" aria-label="Mistakes">
      {report.mistakes.slice(0, 20).map((mistake, i) => (
        <li key={i}>
          <button class="quiet small" type="button" onClick={() => go(mistake)}>
            Line {mistake.line}
          </button>{' '}
          <span class="bad">
            {mistake.word !== '' && <code>{mistake.word}</code>} {mistake.text}
          </span>{' '}
          {mistake.fix !== '' && (
            <span>
              Try <code>{mistake.fix}</code>.
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

// ---- Running -----------------------------------------------------------------------------------------

function Buttons({ program, crew }: { program: ProgramDevice; crew: ProgramDevice[] }) {
  const phase = program.state.value?.phase ?? 0;
  const keep = useSignal(false);
  const runs = phase === 2;
  const paused = phase === 3;
  const same = program.isLoaded();
  const no = !may('move') || program.busy.value;
  const all = () => crew.forEach((one) => void one.run(keep.value, false));
  return (
    <div class="row controls" role="group" aria-label="Run">
      <button class="go" type="button" disabled={no || (runs && same)} title={runs && !same ? 'The robot stops what it runs, and runs this program' : undefined} onClick={() => void (paused && same ? program.resume() : program.run(keep.value, false))}>
        <Icon name="play" /> {paused && same ? 'Continue' : 'Run'}
      </button>
      {crew.length > 1 && (
        <button type="button" id="run-all" disabled={no} title="The same program on every robot" onClick={all}>
          <Icon name="play" /> Run on all {crew.length}
        </button>
      )}
      <button type="button" disabled={no || !runs} onClick={() => void program.pause()}>
        <Icon name="pause" /> Pause
      </button>
      <button type="button" disabled={no || (runs && same)} onClick={() => void program.step()}>
        <Icon name="step" /> Step
      </button>
      <button type="button" disabled={!runs && !paused} onClick={() => void program.stop()}>
        <Icon name="stop" /> Stop
      </button>
      <label title="The server runs the program: it goes on when this page is closed.">
        <input type="checkbox" checked={keep.value} onChange={(event) => (keep.value = event.currentTarget.checked)} /> keep running without this page
      </label>
    </div>
  );
}

const LOOKS: Record<string, string> = { running: 'good', failed: 'bad', paused: 'warn' };

/** What every robot does; a click shows it. */
function Crew({ crew, program }: { crew: ProgramDevice[]; program: ProgramDevice }) {
  return (
    <ul class="crew" aria-label="Robots">
      {crew.map((one) => {
        const phase = PHASES[one.state.value?.phase ?? 0];
        const why = one.matches.value !== null && !one.matches.value.fits ? one.matches.value.why : (one.state.value?.error ?? '');
        return (
          <li key={one.device.name}>
            <button class="quiet small" type="button" aria-pressed={one.device.name === program.device.name} title={why} onClick={() => go('programs', one.device.name)}>
              {robotOf(one.device)} <span class={`chip ${LOOKS[phase] ?? ''}`}>{phase}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Status({ program }: { program: ProgramDevice }) {
  const state = program.state.value;
  const phase = PHASES[state?.phase ?? 0];
  const report = program.report.value;
  const bytes = report?.bytes || state?.bytes || 0;
  const most = report?.chip_bytes || state?.chip_bytes || 0;
  return (
    <div class="row facts">
      <span id="phase" class={`chip ${LOOKS[phase] ?? ''}`}>
        {phase}
      </span>
      {program.loaded.value !== null && !program.isLoaded() && (
        <span class="soft">
          {robotOf(program.device)} has{' '}
          <button class="small" type="button" title="Shows the program of the robot. Yours is set aside." onClick={() => bench.put(program.loaded.peek()!)}>
            {program.loaded.value.name === bench.name.value ? `another ${program.loaded.value.name}` : program.loaded.value.name}
          </button>
        </span>
      )}
      {state?.time > 0 && <span class="num soft">{number(state.time, 1)} s</span>}
      {bytes > 0 && (
        <span class="soft">
          <span class="num">{bytes}</span> bytes{most > 0 && ` of ${most} on a chip`}
        </span>
      )}
      {state !== null && state.error !== '' && (state.phase === 5 || state.phase === 6) && <span class={state.phase === 5 ? 'bad' : 'soft'}>{state.error}</span>}
    </div>
  );
}

function Matches({ program }: { program: ProgramDevice }) {
  const matches = program.matches.value;
  return (
    <section class="panel">
      <h2>Devices</h2>
      {matches === null ? (
        <p class="hint">
          How the devices of the program are found on this robot.{' '}
          <button class="small" type="button" disabled={!may('write')} onClick={() => void program.match()}>
            Match now
          </button>
        </p>
      ) : (
        <>
          {!matches.fits && <p class="bad">{matches.why}</p>}
          <ul class="plain matches">
            {matches.devices.map((device: any) => (
              <li key={device.name}>
                <span class={`chip ${device.fits ? 'good' : 'bad'}`}>{device.fits ? 'found' : 'missing'}</span> <strong>{device.name}</strong> <span class="soft">{device.explanation}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Variables({ program }: { program: ProgramDevice }) {
  const variables: any[] = program.state.value?.variables ?? [];
  return (
    <section class="panel">
      <h2>Variables</h2>
      {variables.length === 0 ? (
        <p class="soft">None yet.</p>
      ) : (
        <dl class="values" id="variables">
          {variables.map((variable) => (
            <>
              <dt key={variable.name}>{variable.name}</dt>
              <dd class="num">{variable.text}</dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

function Output({ program }: { program: ProgramDevice }) {
  const end = useRef<HTMLDivElement>(null);
  const lines = program.output.value;
  useEffect(() => {
    const box = end.current;
    if (box !== null) {
      box.scrollTop = box.scrollHeight;
    }
  }, [lines]);
  return (
    <section class="panel">
      <h2>Output</h2>
      <div class="output" ref={end} role="log" tabIndex={0} aria-label="What the program prints">
        {lines.length === 0 ? <span class="soft">Nothing printed yet.</span> : lines.map((line, i) => <div key={i}>{line.text}</div>)}
      </div>
    </section>
  );
}

// ---- The page ------------------------------------------------------------------------------------------

/** A button and what it opens: Escape or a click elsewhere closes it. */
function Sheet({ label, icon, children }: { label: string; icon: string; children: (close: () => void) => ComponentChildren }) {
  const open = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const close = () => {
    open.value = false;
    place.current?.querySelector('button')?.focus();
  };
  useEffect(() => {
    if (!open.value) {
      return undefined;
    }
    place.current?.querySelector<HTMLElement>('.sheet input, .sheet button')?.focus();
    const outside = (event: Event) => !place.current?.contains(event.target as Node) && (open.value = false);
    addEventListener('pointerdown', outside, { capture: true });
    return () => removeEventListener('pointerdown', outside, { capture: true });
  }, [open.value]);
  return (
    <div class="popover" ref={place} onKeyDown={(event) => event.key === 'Escape' && open.value && close()}>
      <button type="button" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
        <Icon name={icon} /> {label}
      </button>
      {open.value && <div class="panel sheet programs-sheet">{children(close)}</div>}
    </div>
  );
}

function Rows({ title, list, choose, remove }: { title: string; list: { name: string; title?: string }[]; choose: (index: number) => void; remove?: (index: number) => void }) {
  if (list.length === 0) {
    return null;
  }
  return (
    <>
      <h3>{title}</h3>
      <ul class="plain">
        {list.map((item, i) => (
          <li key={i} class="item">
            <button class="quiet small" type="button" onClick={() => choose(i)}>
              {item.name} <small>{item.title}</small>
            </button>
            {remove !== undefined && (
              <button class="quiet small" type="button" aria-label={`Delete ${item.name}`} onClick={() => remove(i)}>
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first comment of a text, as the server's list has it. */
function titleOf(text: string): string {
  return /^#\s*(.*)/.exec(text)?.[1].replace(/^\S+\.play - /, '').slice(0, 60) ?? '';
}

function Open({ program, close }: { program: ProgramDevice; close: () => void }) {
  const [saved, aside, shipped] = [bench.shelf.value, bench.aside.value, program.list.value];
  const file = async (input: HTMLInputElement) => {
    const chosen = input.files?.[0];
    if (chosen !== undefined) {
      bench.put({ name: chosen.name, text: await chosen.text() });
      close();
    }
  };
  return (
    <>
      <Rows title="Saved in this browser" list={saved.map((one) => ({ name: one.name, title: titleOf(one.text) }))} choose={(i) => (bench.put(saved[i]), close())} remove={(i) => bench.remove(saved[i])} />
      <Rows title="Not saved" list={aside.map((one) => ({ name: one.name, title: titleOf(one.text) }))} choose={(i) => (bench.takeUp(aside[i]), close())} />
      <Rows title="Of the server" list={shipped} choose={(i) => void program.openNamed(shipped[i].name).then(close, fail)} />
      <h3>A file</h3>
      <input type="file" accept=".play,text/plain" aria-label="A file of this computer" onChange={(event) => void file(event.currentTarget).catch(fail)} />
    </>
  );
}

function Save({ close }: { close: () => void }) {
  const typed = useSignal(bench.name.peek());
  const name = typed.value.trim();
  const replaces = name !== bench.name.value && bench.shelf.value.some((one) => one.name === name);
  const keep = (event: Event) => {
    event.preventDefault();
    const full = name.endsWith('.play') ? name : `${name}.play`;
    if (bench.save(full)) {
      note(`${full} is saved in this browser.`);
    } else {
      note('This browser keeps nothing: download the program instead.', true);
    }
    close();
  };
  return (
    <form onSubmit={keep}>
      <label>
        Name
        <input type="text" required maxLength={60} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="submit" class="go" disabled={name === ''}>
          {replaces ? 'Replace' : 'Save'}
        </button>
        <button type="button" onClick={() => (download(bench.name.peek(), 'text/plain', bench.text.peek()), close())}>
          <Icon name="down" /> Download
        </button>
      </div>
      <p class="hint">This browser keeps it for this server.</p>
    </form>
  );
}

function Opened({ program, crew }: { program: ProgramDevice; crew: ProgramDevice[] }) {
  return (
    <div class="programs">
      <div class="bar">
        <div class="toolbar">
          <h1>Programs</h1>
          <label>
            Robot
            <select value={program.device.name} onChange={(event) => go('programs', event.currentTarget.value)}>
              {crew.map(({ device }) => (
                <option key={device.name} value={device.name}>
                  {robotOf(device)}
                </option>
              ))}
            </select>
          </label>
          <span class="file">
            <strong id="program-name">{bench.name.value || 'no program yet'}</strong> {bench.unsaved.value && <span class="chip warn">not saved</span>}
          </span>
          <Sheet label="Open" icon="folder">
            {(close) => <Open program={program} close={close} />}
          </Sheet>
          <Sheet label="Save" icon="save">
            {(close) => <Save close={close} />}
          </Sheet>
          <button type="button" disabled={!may('write')} onClick={() => program.format().catch(fail)}>
            Format
          </button>
        </div>
        <Buttons program={program} crew={crew} />
        {crew.length > 1 && <Crew crew={crew} program={program} />}
        <Status program={program} />
      </div>
      <div class="editors">
        <Blocks program={program} />
        <div class="right-side">
          <TextEditor program={program} />
          <div class="facts-side">
            <Matches program={program} />
            <Variables program={program} />
            <Output program={program} />
          </div>
        </div>
      </div>
    </div>
  );
}

/** The robot that was chosen last. */
let chosen = '';

export default function ProgramsPage() {
  const all = devices.value.filter((device) => device.interface === 'program');
  const named = (name: string): Device | undefined => all.find((one) => one.name === name);
  const device = named(route.value[1] ?? '') ?? named(chosen) ?? all[0];
  const open = all.every((one) => canAsk(one, 'TRANSFER'));
  const names = all.map((one) => one.name).join();
  const crew = useMemo(() => (open ? all.slice(0, MOST_CREW).map((one) => new ProgramDevice(one)) : []), [names, open]);
  useEffect(() => {
    crew.forEach((one) => one.watch());
    return () => crew.forEach((one) => one.close());
  }, [crew]);
  const program = crew.find((one) => one.device.name === device?.name) ?? null;
  useEffect(() => {
    chosen = program?.device.name ?? chosen;
    program?.open().catch((error) => {
      program.trouble = error.message;
      fail(error);
    });
    return () => program?.leave();
  }, [program]);
  if (program === null) {
    return (
      <p class="empty">
        {device === undefined ? 'This server has no device that runs programs. Add a driver “program” to its configuration, or start the demo.' : 'Waiting for the server …'}
      </p>
    );
  }
  return <Opened key={program.device.name} program={program} crew={crew} />;
}
