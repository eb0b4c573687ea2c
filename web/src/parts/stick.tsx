// stick.tsx - a stick on the screen for pointers; arrow keys drive while it has the focus.
import { useRef } from 'preact/hooks';
import type { Drive } from '../world/drive';

const RADIUS = 52;

export function Stick({ drive }: { drive: Drive }) {
  const held = useRef(-1);
  const move = (event: PointerEvent) => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const x = (event.clientX - box.left - box.width / 2) / RADIUS;
    const y = (box.top + box.height / 2 - event.clientY) / RADIUS;
    const length = Math.max(Math.hypot(x, y), 1);
    drive.push(x / length, y / length);
  };
  const wish = drive.wish.value;
  return (
    <div
      class="stick"
      tabIndex={0}
      role="application"
      aria-label="Drive: arrow keys, or drag the knob"
      onPointerDown={(event) => {
        held.current = event.pointerId;
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={(event) => held.current === event.pointerId && move(event)}
      onPointerUp={() => ((held.current = -1), drive.push(0, 0))}
      onPointerCancel={() => ((held.current = -1), drive.push(0, 0))}
      onKeyDown={(event) => drive.key(event, true) && (event.preventDefault(), event.stopPropagation())}
      onKeyUp={(event) => drive.key(event, false) && event.stopPropagation()}
      onBlur={() => drive.release()}
    >
      <svg viewBox="-75 -75 150 150" aria-hidden="true">
        <circle r="70" class="rim" />
        <path d="M0-64l7 10H-7zM0 64l7-10H-7zM-64 0l10-7V7zM64 0l-10-7V7z" class="marks" />
        <circle r="24" class="knob" cx={-wish.turn * RADIUS * 0.8} cy={-wish.forward * RADIUS * 0.8} />
      </svg>
    </div>
  );
}
