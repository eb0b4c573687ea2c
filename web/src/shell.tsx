// shell.tsx - what is around every page: title, pages, connection, stop.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ended, giveKey, link, loadError, may, notes, resetPanic, right, robotOf, runEnded, serverInfo, stop } from './model/state';
import { DevicesPage } from './pages/devices';
import { ServerPage } from './pages/server';
import { WorldPage } from './pages/world';
import { Icon } from './parts/icons';
import { lazy } from './parts/lazy';
import { href, route } from './parts/route';
import { beginTour, Tour } from './parts/tour';
import { setTheme, theme, type Theme } from './parts/theme';
import { key } from './wire/key';

const PAGES: { name: string; title: string; page: ComponentType }[] = [
  { name: 'world', title: 'World', page: WorldPage },
  { name: 'devices', title: 'Devices', page: DevicesPage },
  { name: 'charts', title: 'Charts', page: lazy(() => import('./pages/charts')) },
  { name: 'experiments', title: 'Experiments', page: lazy(() => import('./pages/experiments')) },
  { name: 'programs', title: 'Programs', page: lazy(() => import('./pages/programs')) },
  { name: 'motion', title: 'Motion', page: lazy(() => import('./pages/motion')) },
  { name: 'recordings', title: 'Recordings', page: lazy(() => import('./pages/recordings')) },
  { name: 'server', title: 'Server', page: ServerPage },
];

const ESCAPES_MS = 500;

/** Stops by keyboard, wherever the focus is: the keys are seen before the block editor and texts get them. */
function useStopKeys(): void {
  useEffect(() => {
    let escaped = -1e9;
    const seen = (event: KeyboardEvent) => {
      const twice = event.key === 'Escape' && !event.repeat && event.timeStamp - escaped < ESCAPES_MS;
      if (event.key === 'Escape' && !event.repeat) {
        escaped = event.timeStamp;
      }
      if (event.key === 'F8' || event.key === 'Pause' || twice) {
        event.preventDefault();
        event.stopImmediatePropagation();
        if (!event.repeat) {
          stop.press('STOP key of the dashboard');
        }
      }
    };
    addEventListener('keydown', seen, { capture: true });
    return () => removeEventListener('keydown', seen, { capture: true });
  }, []);
}

function StopButton() {
  const press = (event: Event) => {
    event.preventDefault();
    stop.press('STOP of the dashboard');
  };
  return (
    <button
      class="stop"
      type="button"
      aria-keyshortcuts="F8 Pause"
      title="Stops everything that moves. Keys: Esc twice, F8 or Pause"
      onPointerDown={press}
      onKeyDown={(event) => (event.key === 'Enter' || event.key === ' ') && !event.repeat && press(event)}
    >
      STOP <small>{stop.report.value === '' ? 'Esc Esc' : stop.report.value.startsWith('Stopp') && stop.panic.value?.stopped ? 'stopped' : 'stopping'}</small>
    </button>
  );
}

function ThemeButton() {
  const next: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
  const icons: Record<Theme, string> = { auto: 'auto', light: 'sun', dark: 'moon' };
  return (
    <button class="quiet" type="button" title={`Colours: ${theme.value}`} aria-label={`Colours: ${theme.value}`} onClick={() => setTheme(next[theme.value])}>
      <Icon name={icons[theme.value]} />
    </button>
  );
}

function KeyButton() {
  const open = useSignal(false);
  const text = useSignal('');
  const words = { read: 'You may look.', write: 'You may look and change settings.', move: 'You may drive.', operate: 'You may operate.' };
  const give = (event: Event) => {
    event.preventDefault();
    giveKey(text.value);
    text.value = '';
    open.value = false;
  };
  return (
    <div class="popover">
      <button class="quiet" type="button" aria-expanded={open.value} title="Rights and key" aria-label="Rights and key" onClick={() => (open.value = !open.value)}>
        <Icon name="key" />
        {right.value === 'read' && <span class="chip warn">look only</span>}
      </button>
      {open.value && (
        <form class="panel sheet" onSubmit={give} onKeyDown={(event) => event.key === 'Escape' && (open.value = false)}>
          <p>{words[right.value]} Stopping needs no key.</p>
          <label>
            Key
            <input type="password" autocomplete="off" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
          </label>
          <div class="row">
            <button type="submit">Use key</button>
            {key.value !== '' && (
              <button type="button" onClick={() => giveKey('')}>
                Forget key
              </button>
            )}
          </div>
        </form>
      )}
    </div>
  );
}

function Notes() {
  return (
    <div class="notes" role="status">
      {notes.value.map((note) => (
        <p key={note.id} class={note.bad ? 'note bad' : 'note'}>
          {note.text}
        </p>
      ))}
    </div>
  );
}

function Banners() {
  const panic = stop.panic.value;
  const state = link.state.value;
  return (
    <div class="banners">
      <Notes />
      <div role="status">
        {state === 'lost' && (
          <div class="banner warn">
            <span>The connection to the server is lost. Trying again … What you drove has stopped.</span>
            <button type="button" onClick={() => link.retry()}>
              Try now
            </button>
          </div>
        )}
        {state === 'open' && !panic?.active && ended.value.length > 0 && may('move') && (
          <div class="banner plain-banner" id="ended">
            <span>The stop has ended the {ended.value.length === 1 ? 'program' : 'programs'} of {ended.value.map(robotOf).join(', ')}.</span>
            <button type="button" class="go" onClick={runEnded}>
              Run again
            </button>
            <button type="button" class="quiet" aria-label="Close" onClick={() => (ended.value = [])}>
              <Icon name="close" />
            </button>
          </div>
        )}
        {state === 'open' && loadError.value !== '' && <div class="banner warn">{loadError.value}</div>}
      </div>
      <div role="alert">
        {(panic?.active || stop.report.value !== '') && (
          <div class="banner bad" id="panic">
            <span>
              <strong>{stop.report.value || (panic!.stopped ? 'Everything is stopped' : `Not stopped yet: ${panic!.owing.join(', ')}`)}.</strong>{' '}
              {panic?.active && (
                <span class="why">
                  {stop.pressed.value ? '' : `${panic.why || 'Panic'}, raised by ${panic.who || 'the server'}. `}Nothing moves until the stop is reset.
                </span>
              )}
            </span>
            {panic?.active && (
              <button type="button" onClick={() => void resetPanic()}>
                Reset
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

function State() {
  const state = link.state.value;
  const text = { connecting: 'connecting', open: 'connected', lost: 'not connected' }[state];
  return (
    <span class={`state ${state}`} title={`${text}; stop line ${stop.open.value ? 'ready' : 'not ready'}`}>
      <i class="dot" />
      <span class="label">{state === 'open' ? serverInfo.value?.name ?? text : text}</span>
    </span>
  );
}

export function Shell() {
  const name = route.value[0] || 'world';
  const page = PAGES.find((one) => one.name === name) ?? PAGES[0];
  useStopKeys();
  useEffect(() => {
    document.title = `${page.title} · Troupe`;
    // On a narrow screen the list of pages is wider than the screen.
    document.querySelector('nav a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [page]);
  const Page = page.page;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById('main')?.focus())}>
        To the content
      </a>
      <header class="top">
        <div class="brand">
          <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
            <path d="M16 4 27 27l-11-6-11 6z" />
          </svg>
          <span>Troupe</span>
        </div>
        <nav aria-label="Pages">
          {PAGES.map((one) => (
            <a key={one.name} href={href(one.name)} aria-current={one === page ? 'page' : undefined}>
              <Icon name={one.name} />
              {one.title}
            </a>
          ))}
        </nav>
        <div class="tools">
          <State />
          <KeyButton />
          <ThemeButton />
          <button class="quiet" type="button" title="Tour" aria-label="Tour of this page" onClick={beginTour}>
            <Icon name="help" />
          </button>
        </div>
        <StopButton />
      </header>
      <Banners />
      <main id="main" tabIndex={-1} class={`page-${page.name}`}>
        <Page />
      </main>
      <Tour />
    </>
  );
}
