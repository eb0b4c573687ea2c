// bench.ts - the program that the user works on: one for the page, whichever robot is to run it. Nothing typed is lost: it is kept
// by the browser for this server, also when the page is left or closed.
import { computed, effect, signal } from '@preact/signals';

export type Kept = { name: string; text: string };

const DRAFT = 'troupe.draft';
const SAVED = 'troupe.programs';
const SET_ASIDE = 'troupe.aside';
const MOST_ASIDE = 8;
const WRITE_MS = 300;

function read<T>(place: string, otherwise: T): T {
  try {
    return JSON.parse(localStorage.getItem(place) ?? 'null') ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** False if the browser keeps nothing: storage is full or forbidden. */
function write(place: string, value: unknown): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function list(place: string): Kept[] {
  const found = read<unknown>(place, []);
  return Array.isArray(found) ? found.filter((one) => typeof one?.name === 'string' && typeof one?.text === 'string') : [];
}

const draft = read<Kept & { saved: string }>(DRAFT, { name: '', text: '', saved: '' });

export const name = signal(typeof draft.name === 'string' ? draft.name : '');
export const text = signal(typeof draft.text === 'string' ? draft.text : '');
/** The text as it was opened or saved last. */
const saved = signal(typeof draft.saved === 'string' ? draft.saved : '');
/** Programs that the user has saved, by name. */
export const shelf = signal(list(SAVED));
/** Unsaved programs that others have taken the place of, newest first. */
export const aside = signal(list(SET_ASIDE));
export const unsaved = computed(() => text.value !== saved.value);
export const isEmpty = computed(() => name.value === '' && text.value === '');

let timer = 0;

function keep(): void {
  clearTimeout(timer);
  timer = 0;
  if (!isEmpty.peek()) {
    write(DRAFT, { name: name.peek(), text: text.peek(), saved: saved.peek() });
  }
}

effect(() => {
  name.value;
  text.value;
  saved.value;
  timer ||= setTimeout(keep, WRITE_MS);
});
addEventListener('pagehide', keep);

/** Puts another program on the bench. One with unsaved changes is set aside. */
export function put(program: Kept): void {
  if (unsaved.peek() && text.peek() !== program.text) {
    aside.value = [{ name: name.peek(), text: text.peek() }, ...aside.peek().filter((one) => one.text !== text.peek())].slice(0, MOST_ASIDE);
    write(SET_ASIDE, aside.peek());
  }
  name.value = program.name;
  text.value = program.text;
  saved.value = program.text;
}

/** Takes up a program that was set aside; it is still unsaved. */
export function takeUp(program: Kept): void {
  aside.value = aside.peek().filter((one) => one !== program);
  put(program);
  saved.value = '';
  write(SET_ASIDE, aside.peek());
}

/** Saves under a name; false if the browser does not keep it. */
export function save(as: string): boolean {
  const programs = [...shelf.peek().filter((one) => one.name !== as), { name: as, text: text.peek() }].sort((a, b) => a.name.localeCompare(b.name));
  if (!write(SAVED, programs)) {
    return false;
  }
  shelf.value = programs;
  name.value = as;
  saved.value = text.peek();
  return true;
}

export function remove(program: Kept): void {
  shelf.value = shelf.peek().filter((one) => one.name !== program.name);
  write(SAVED, shelf.peek());
}
