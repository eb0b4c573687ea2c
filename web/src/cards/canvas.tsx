// canvas.tsx - a small picture that is drawn anew when its value, its size or the colours change.
import { useEffect, useRef } from 'preact/hooks';
import { isDark } from '../parts/theme';

export type Pen = CanvasRenderingContext2D & { ink: string; soft: string; accent: string };

export function Canvas({ height, label, value, draw }: { height: number; label: string; value: unknown; draw: (pen: Pen, width: number, height: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = isDark.value;
  useEffect(() => {
    const element = canvas.current!;
    const width = element.clientWidth || 280;
    const style = getComputedStyle(element);
    element.width = Math.round(width * devicePixelRatio);
    element.height = Math.round(height * devicePixelRatio);
    const pen = element.getContext('2d') as Pen;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.ink = style.getPropertyValue('--ink');
    pen.soft = style.getPropertyValue('--line-strong');
    pen.accent = style.getPropertyValue('--accent');
    pen.font = '11px system-ui, sans-serif';
    draw(pen, width, height);
  }, [value, dark, height]);
  return <canvas ref={canvas} class="picture" style={{ height: `${height}px` }} role="img" aria-label={label} />;
}
