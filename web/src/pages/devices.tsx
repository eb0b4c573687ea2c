// devices.tsx - all devices as cards. Only the cards on the screen read their devices.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Card } from '../cards/card';
import { descriptors, devices, nameOf, robotOf, type Device } from '../model/state';
import { go, route } from '../parts/route';

// What robots are made of comes first, what runs them last.
const LAST = ['program', 'universal', 'mechanism', 'scene', 'simulation', 'world', 'log'];
const NEAR = '150px'; // a card is filled before it is quite on the screen
const SETTLE_MS = 3000;
const TAKES_OVER = ['wheel', 'pointerdown', 'touchstart', 'keydown'];

/** Brings a card to the upper edge. It stays there while the cards above it are filled and grow, unless the user scrolls. */
function bringUp(slot: HTMLElement): () => void {
  const observer = new ResizeObserver(() => slot.scrollIntoView({ block: 'start' }));
  const end = () => observer.disconnect();
  const timer = setTimeout(end, SETTLE_MS);
  slot.closest('.devices')!.querySelectorAll('.slot').forEach((one) => observer.observe(one));
  TAKES_OVER.forEach((name) => addEventListener(name, end, { passive: true }));
  return () => {
    end();
    clearTimeout(timer);
    TAKES_OVER.forEach((name) => removeEventListener(name, end));
  };
}

function Slot({ device, open }: { device: Device; open: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const visible = useSignal(open);
  const height = useRef(260);
  useEffect(() => {
    const element = place.current!;
    const observer = new IntersectionObserver(
      (entries) => {
        const seen = entries[entries.length - 1].isIntersecting;
        if (!seen && visible.peek()) {
          height.current = element.offsetHeight;
        }
        // A card with something typed into it stays.
        visible.value = seen || element.contains(document.activeElement);
      },
      { rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => (open ? bringUp(place.current!) : undefined), [open]);
  return (
    <div class="slot" ref={place} style={visible.value ? {} : { minHeight: `${height.current}px` }}>
      {visible.value ? <Card device={device} /> : <article class="card panel" aria-label={nameOf(device)} />}
    </div>
  );
}

/** Devices by robot, in the order of the robots' first devices; those without a robot come last. */
function robotsOf(list: Device[]): [string, Device[]][] {
  const robots = new Map<string, Device[]>();
  for (const device of list.filter((one) => one.label !== '')) {
    robots.set(robotOf(device), [...(robots.get(robotOf(device)) ?? []), device]);
  }
  const rest = list.filter((one) => one.label === '');
  return [...robots, ...(rest.length > 0 ? [[robots.size > 0 ? 'Others' : '', rest] as [string, Device[]]] : [])];
}

export function DevicesPage() {
  const filter = useSignal('');
  const chosen = route.value[1] ?? '';
  if (descriptors.value === null) {
    return <p class="empty">Waiting for the server …</p>;
  }
  const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const ordered = [...devices.value].sort((a, b) => LAST.indexOf(a.interface) - LAST.indexOf(b.interface));
  const list = ordered.filter((device) => words.every((word) => `${device.name} ${device.label} ${device.driver}`.toLowerCase().includes(word)));
  const groups = robotsOf(list);
  return (
    <div class="devices">
      <div class="toolbar">
        <h1>Devices</h1>
        <label>
          <span class="sr">Find</span>
          <input type="search" placeholder="Find: laser, a robot's name …" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
        </label>
        <label>
          <span class="sr">Go to</span>
          <select value={chosen} onChange={(event) => go('devices', event.currentTarget.value)}>
            <option value="">Go to …</option>
            {groups.map(([robot, members]) => (
              <optgroup key={robot} label={robot || 'Devices'}>
                {members.map((device) => (
                  <option key={device.name} value={device.name}>
                    {nameOf(device)} {device.label}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <span class="soft">
          {list.length} of {devices.value.length}
        </span>
      </div>
      {list.length === 0 && <p class="empty">No device has these words.</p>}
      {groups.map(([robot, members]) => (
        <section key={robot} aria-label={robot || 'Devices'}>
          {robot !== '' && groups.length > 1 && <h2 class="group">{robot}</h2>}
          <div class="cards">
            {members.map((device) => (
              <Slot key={device.name} device={device} open={device.name === chosen} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
