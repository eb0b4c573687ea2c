// tour.tsx - five steps for somebody who sees the page for the first time: at the first visit of the demo, or on request.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { go } from './route';

type Step = { page: string; at: string; title: string; text: string };

const STEPS: Step[] = [
  { page: 'world', at: '.shows', title: 'The world', text: 'An office, a classroom and a stage, from above. Drag the floor to move the view, turn the wheel or pinch to zoom.' },
  { page: 'world', at: '.robots', title: 'A robot of yours', text: 'Choose bell, here or by a click on it. The arrow keys, the stick or a gamepad drive it. You can also drag robots and things.' },
  { page: 'programs', at: '.editors', title: 'One program, any robot', text: 'Blocks and text are the same program. Change a number, choose a robot and press Run, or run it on all four at once.' },
  { page: 'motion', at: '.motion-grid', title: 'Timed motion', text: 'max and the arm play a sequence, each command at its instant. Hold it, or slow it down with Rate.' },
  { page: 'world', at: '.stop', title: 'STOP', text: 'It stops everything that moves, at once. Esc pressed twice does the same, wherever you type. Try it: Reset lets things move again.' },
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
  // Pages become shorter by the height of the bar, so that it covers nothing.
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const style = document.documentElement.style;
    const observer = new ResizeObserver(() => style.setProperty('--foot', `${bar.current?.offsetHeight ?? 0}px`));
    if (bar.current !== null) {
      observer.observe(bar.current);
    }
    return () => {
      observer.disconnect();
      style.removeProperty('--foot');
    };
  }, [now === undefined]);
  if (now === undefined) {
    return null;
  }
  const last = step.value === STEPS.length - 1;
  return (
    <aside class="tour" aria-label="Tour" ref={bar}>
      <div class="words">
        <h2>
          {now.title}{' '}
          <small>
            {step.value + 1} of {STEPS.length}
          </small>
        </h2>
        <p aria-live="polite">{now.text}</p>
      </div>
      <div class="row">
        {step.value > 0 && (
          <button type="button" onClick={() => step.value--}>
            Back
          </button>
        )}
        <button type="button" class="go" onClick={() => (last ? end() : step.value++)}>
          {last ? 'Done' : 'Next'}
        </button>
        {!last && (
          <button type="button" class="quiet" onClick={end}>
            Skip the tour
          </button>
        )}
      </div>
    </aside>
  );
}
