// programs.tsx - a program as blocks and as text, and the robot that runs it.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Editor } from '../blocks/editor';
import { fail, link, may, nameOf, devices } from '../model/state';
import { PHASES, ProgramDevice, type Mistake } from '../model/program';
import { Icon } from '../parts/icons';
import { number } from '../parts/number';
import { go, route } from '../parts/route';
import { save } from '../parts/save';
import './programs.css';

const TYPE_MS = 500; // from the last key to the blocks

// ---- Blocks ------------------------------------------------------------------------------------------

/** What the editors have agreed on: the text that both show. */
function Blocks({ program }: { program: ProgramDevice }) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const shown = useRef<string | null>(null); // the text of the blocks
  const why = useSignal('Loading the block editor …');
  useEffect(() => {
    let gone = false;
    const begin = async () => {
      const { Editor } = await import('../blocks/editor');
      while (program.grammar === null && !gone) {
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
        why.value = problem;
        if (body === null) {
          return;
        }
        try {
          if (await program.textOf(made.program())) {
            shown.current = program.text.peek();
          }
        } catch (error) {
          why.value = (error as Error).message;
        }
      };
      follow();
    };
    let timer = 0;
    const follow = () => {
      clearTimeout(timer);
      const text = program.text.peek();
      if (editor.current === null || shown.current === text) {
        return;
      }
      timer = setTimeout(
        async () => {
          try {
            const blocks = await program.blocksOf(text);
            if (blocks !== null && editor.current !== null && program.text.peek() === text) {
              shown.current = text;
              editor.current.load(blocks);
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
      program.state.subscribe((state) => {
        const runs = state !== null && (state.phase === 2 || state.phase === 3) && program.isLoaded();
        editor.current?.showLines(runs ? state.lines.map((line: any) => line.line) : []);
        editor.current?.showValues(new Map(runs ? state.variables.map((variable: any) => [variable.name, variable.text]) : []));
      }),
      program.report.subscribe((report) => editor.current?.showMistakes(report?.mistakes ?? [])),
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

function Buttons({ program }: { program: ProgramDevice }) {
  const phase = program.state.value?.phase ?? 0;
  const keep = useSignal(false);
  const runs = phase === 2;
  const paused = phase === 3;
  const no = !may('move') || program.busy.value;
  return (
    <div class="row controls" role="group" aria-label="Run">
      <button class="go" type="button" disabled={no || runs} onClick={() => void (paused ? program.resume() : program.run(keep.value, false))}>
        <Icon name="play" /> {paused ? 'Continue' : 'Run'}
      </button>
      <button type="button" disabled={no || !runs} onClick={() => void program.pause()}>
        <Icon name="pause" /> Pause
      </button>
      <button type="button" disabled={no || runs} onClick={() => void program.step()}>
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

function Status({ program }: { program: ProgramDevice }) {
  const state = program.state.value;
  const phase = PHASES[state?.phase ?? 0];
  const report = program.report.value;
  const bytes = report?.bytes || state?.bytes || 0;
  const most = report?.chip_bytes || state?.chip_bytes || 0;
  return (
    <div class="row facts">
      <span id="phase" class={`chip ${phase === 'running' ? 'good' : phase === 'failed' ? 'bad' : phase === 'paused' ? 'warn' : ''}`}>
        {phase}
      </span>
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

function Opened({ program }: { program: ProgramDevice }) {
  const list = program.list.value;
  return (
    <div class="programs">
      <div class="bar">
        <div class="toolbar">
          <h1>Programs</h1>
          <label>
            Robot
            <select value={program.device.name} onChange={(event) => go('programs', event.currentTarget.value)}>
              {devices.value
                .filter((device) => device.interface === 'program')
                .map((device) => (
                  <option key={device.name} value={device.name}>
                    {device.label || nameOf(device)}
                  </option>
                ))}
            </select>
          </label>
          <label>
            Program
            <select
              value={list.some((item) => item.name === program.name.value) ? program.name.value : ''}
              onChange={(event) => event.currentTarget.value !== '' && program.fetch(event.currentTarget.value).catch(fail)}
            >
              {!list.some((item) => item.name === program.name.value) && <option value="">{program.name.value}</option>}
              {list.map((item) => (
                <option key={item.name} value={item.name} title={item.title}>
                  {item.name}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => program.format().catch(fail)}>
            Format
          </button>
          <button type="button" onClick={() => save(program.name.value, 'text/plain', program.text.value)}>
            <Icon name="down" /> Save
          </button>
        </div>
        <Buttons program={program} />
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

export default function ProgramsPage() {
  const all = devices.value.filter((device) => device.interface === 'program');
  const device = all.find((one) => one.name === route.value[1]) ?? all[0];
  const open = link.state.value === 'open' && link.services.value.size > 0;
  const program = useMemo(() => (device === undefined || !open ? null : new ProgramDevice(device)), [device?.name, open]);
  useEffect(() => {
    program?.open().catch(fail);
    return () => program?.close();
  }, [program]);
  if (program === null) {
    return (
      <p class="empty">
        {device === undefined ? 'This server has no device that runs programs. Add a driver “play” to its configuration, or start the demo.' : 'Waiting for the server …'}
      </p>
    );
  }
  return <Opened key={program.device.name} program={program} />;
}
