// icons.tsx - small line drawings, 16 by 16.
const PATHS: Record<string, string> = {
  world: 'M2 4l4-2 4 2 4-2v10l-4 2-4-2-4 2zM6 2v10M10 4v10',
  devices: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  charts: 'M2 2v12h12M4 11l3-4 3 2 4-6',
  experiments: 'M6 2h4M7 2v4L3 13.500h10L9 6V2M5 10h6',
  programs: 'M2 3h6v3h3v3H8v4H2zM11 11h3',
  motion: 'M3 13l3-6 4 2 3-6M3 13h2M6 7a1 1 0 1 0 0-.1M10 9a1 1 0 1 0 0-.1',
  server: 'M2 2h12v5H2zM2 9h12v5H2zM4.5 4.5h1M4.5 11.5h1',
  recordings: 'M2 3h12v10H2zM5.500 8a1.200 1.200 0 1 0 0-.1M10.500 8a1.200 1.200 0 1 0 0-.1M5 11h6',
  record: 'M8 4a4 4 0 1 0 .1 0',
  first: 'M3 2.500v11M13 2.500v11L5 8z',
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M5 2.5v11M11 2.5v11',
  step: 'M3 2.5v11l7-5.5zM13 2.5v11',
  stop: 'M3 3h10v10H3z',
  fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
  key: 'M9.5 6.5a3 3 0 1 0-2.8 2L2 13v1h2.5v-2H6v-1.500L8 9',
  sun: 'M8 5a3 3 0 1 0 .1 0M8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z',
  auto: 'M8 2a6 6 0 1 0 .1 0M8 2v12',
  close: 'M3 3l10 10M13 3L3 13',
  down: 'M8 2v9M4 8l4 4 4-4M3 14h10',
  folder: 'M2 4h4l1.500 2H14v7H2z',
  save: 'M2.500 2.500h9l2 2v9h-11zM5 2.500v4h5v-4M5 13.500v-4h6v4',
  goal: 'M8 2v3M8 11v3M2 8h3M11 8h3M8 5a3 3 0 1 0 .1 0',
  plus: 'M8 2v12M2 8h12',
  minus: 'M2 8h12',
  help: 'M8 1.500a6.500 6.500 0 1 0 .1 0M6 6.200a2 2 0 1 1 2.600 2c-.5.200-.6.500-.6 1.100M8 11.600v.1',
  eye: 'M1 8s2.500-4.500 7-4.500S15 8 15 8s-2.500 4.500-7 4.500S1 8 1 8zM8 6a2 2 0 1 0 .1 0',
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
