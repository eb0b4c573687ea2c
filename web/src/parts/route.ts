// route.ts - which page is shown: the part of the address behind #.
import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);

addEventListener('hashchange', () => (hash.value = location.hash));

/** #/devices/6665:laser:0 is ['devices', '6665:laser:0']. */
export const route = computed(() =>
  hash.value
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    }),
);

export function href(...parts: string[]): string {
  return '#/' + parts.map(encodeURIComponent).join('/');
}

export function go(...parts: string[]): void {
  location.hash = href(...parts);
}
