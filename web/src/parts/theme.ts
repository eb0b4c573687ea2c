// theme.ts - light or dark: as the system, or as the user chose.
import { computed, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const PLACE = 'troupe.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const systemDark = signal(system.matches);

function stored(): Theme {
  try {
    const value = localStorage.getItem(PLACE);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(stored());
export const isDark = computed(() => (theme.value === 'auto' ? systemDark.value : theme.value === 'dark'));

export function applyTheme(): void {
  system.addEventListener('change', (event) => (systemDark.value = event.matches));
  isDark.subscribe((dark) => (document.documentElement.dataset.theme = dark ? 'dark' : 'light'));
}

export function setTheme(value: Theme): void {
  theme.value = value;
  try {
    localStorage.setItem(PLACE, value);
  } catch {
    // It is kept for this page only.
  }
}
