// palette.ts - the colours of pictures of worlds: those of `troupe sim --render`.
export type Rgb = [number, number, number];
export type Palette = { ground: Rgb; grid: Rgb; heavy: Rgb; shadow: string; ink: string; glow: number; light: number; floor: number; dark: boolean };

const light: Palette = { ground: [246, 243, 236], grid: [236, 231, 220], heavy: [224, 217, 202], shadow: 'rgba(44,36,24,0.3)', ink: '#4a443c', glow: 0.3, light: 0.34, floor: 1, dark: false };
const dark: Palette = { ground: [18, 21, 26], grid: [25, 29, 36], heavy: [34, 40, 51], shadow: 'rgba(0,0,0,0.69)', ink: '#c4cad4', glow: 0.5, light: 0.26, floor: 0.45, dark: true };
const DUSK: Rgb = [58, 63, 71]; // black tape can be told from it, white paper too

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => from[i] + (to[i] - from[i]) * share) as Rgb;
}

export function brightness(color: ArrayLike<number>): number {
  return (0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]) / 255;
}

export function css(color: ArrayLike<number>, alpha = 1): string {
  return `rgba(${Math.round(color[0])},${Math.round(color[1])},${Math.round(color[2])},${alpha})`;
}

function withGround(palette: Palette, ground: Rgb): Palette {
  const ink: Rgb = palette.dark ? [196, 202, 212] : [74, 68, 60];
  return { ...palette, ground, grid: mix(ground, ink, 0.06), heavy: mix(ground, ink, 0.12) };
}

/** The usual one, or one that suits the floor of the world. */
export function paletteFor(isDark: boolean, floor: Rgb, floors: boolean): Palette {
  const usual = floor.every((part) => part === 255);
  if (usual && isDark && floors) {
    return withGround(dark, DUSK);
  }
  if (usual) {
    return isDark ? dark : light;
  }
  const ground = mix([0, 0, 0], floor, isDark ? dark.floor : light.floor);
  return withGround(brightness(ground) < 0.45 ? dark : light, ground);
}

/** What is as dark as the ground is shown a little lighter. */
export function bodyColor(palette: Palette, color: ArrayLike<number>): Rgb {
  const own: Rgb = [color[0], color[1], color[2]];
  const bright = brightness(own);
  return palette.dark && bright < 0.35 ? mix(own, [255, 255, 255], 0.38 - bright) : own;
}

/** Light that is as bright as the ground would not be seen on it. */
export function scanColor(palette: Palette, color: ArrayLike<number>): Rgb {
  const own = bodyColor(palette, color);
  return Math.abs(brightness(own) - brightness(palette.ground)) < 0.1 ? mix(own, [0, 0, 0], 0.35) : own;
}
