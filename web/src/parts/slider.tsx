// slider.tsx - a slider of a value that changes by itself: it stays where the user has it until it is let go.
import { useSignal } from '@preact/signals';

type Props = { id?: string; min: number; max: number; step?: number; value: number; disabled?: boolean; title?: string; set: (value: number) => void };

/** `set` is called when the user lets go of it, or presses a key. */
export function Slider({ id, min, max, step, value, disabled, title, set }: Props) {
  const held = useSignal<number | null>(null);
  const release = () => (held.value = null);
  return (
    <input
      id={id}
      type="range"
      min={min}
      max={max}
      step={step}
      value={held.value ?? value}
      disabled={disabled}
      title={title}
      onInput={(event) => (held.value = +event.currentTarget.value)}
      onChange={(event) => {
        release();
        set(+event.currentTarget.value);
      }}
      onBlur={release}
      onPointerUp={() => setTimeout(release)} // it can be where it was: then there is no change
    />
  );
}
