// tour.tsx - five steps for somebody who sees the page for the first time: at the first visit of the demo, or on request.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { go } from './route';

type Step = { page: string; at: string; title: string; text: string };

const STEPS: Step[] = [
  { page: 'world', at: '.shows', title: 'The world', text: 'You see it from above. Drag the floor to move the view, turn the wheel or pinch to zoom. Scans, trails and names can be switched off.' },
  { page: 'world', at: '.robots', title: 'A robot of yours', text: 'Choose a robot, here or by a click on it. The arrow keys or the stick drive it. You can also drag robots and things.' },
  { page: 'programs', at: '.editors', title: 'One program, any robot', text: 'Blocks and text are the same program. Change a number, choose a robot, and press Run. The block that runs is marked.' },
  { page: 'charts', at: '.chooser', title: 'Numbers', text: 'Choose a device and a value, press Add, and see it over time. CSV and PNG export it.' },
  { page: 'server', at: '.stop', title: 'STOP', text: 'This button stops everything that moves, at once. Esc pressed twice does the same, wherever you type. Try it: Reset lets things move again.' },
];
const PLACE = 'troupe.tour';

/** The step that is shown, from 0; -1 for none. */
const step = signal(-1);

function seen(): boolean {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return true;
  }
}

export function beginTour(): void {
  step.value = 0;
}

/** At the first visit of a demo. */
export function offerTour(title: string): void {
  if (title === 'demo' && !seen() && step.peek() < 0) {
    beginTour();
  }
}

function end(): void {
  step.value = -1;
  try {
    localStorage.setItem(PLACE, 'seen');
  } catch {
    // It is offered again at the next visit.
  }
}

export function Tour() {
  const now = STEPS[step.value];
  useEffect(() => {
    if (now === undefined) {
      return undefined;
    }
    go(now.page);
    // The page may have to be loaded first.
    const mark = () => document.querySelectorAll(now.at).forEach((element) => element.classList.add('toured'));
    const timer = setInterval(mark, 200);
    return () => {
      clearInterval(timer);
      document.querySelectorAll('.toured').forEach((element) => element.classList.remove('toured'));
    };
  }, [now]);
  if (now === undefined) {
    return null;
  }
  const last = step.value === STEPS.length - 1;
  return (
    <aside class="panel tour" aria-label="Tour">
      <h2>{now.title}</h2>
      <p aria-live="polite">{now.text}</p>
      <div class="row">
        <button type="button" class="go" onClick={() => (last ? end() : step.value++)}>
          {last ? 'Done' : 'Next'}
        </button>
        {!last && (
          <button type="button" class="quiet" onClick={end}>
            Skip the tour
          </button>
        )}
        <small>
          {step.value + 1} of {STEPS.length}
        </small>
      </div>
    </aside>
  );
}
