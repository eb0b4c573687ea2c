// key.ts - the key that the user typed; kept for this tab only.
import { signal } from '@preact/signals';

const PLACE = 'troupe.key';

function stored(): string {
  try {
    return sessionStorage.getItem(PLACE) ?? '';
  } catch {
    return '';
  }
}

export const key = signal(stored());

export function setKey(value: string): void {
  key.value = value;
  try {
    if (value === '') {
      sessionStorage.removeItem(PLACE);
    } else {
      sessionStorage.setItem(PLACE, value);
    }
  } catch {
    // A browser that keeps nothing: the key lives as long as the page.
  }
}
