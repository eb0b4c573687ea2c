// pictures.tsx - cards of common interfaces: what a person wants to see and do first.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { command, descriptors, fail, link, may, request, topicOf, useSample, type Device } from '../model/state';
import { move } from '../model/moves';
import { number } from '../parts/number';
import { Slider } from '../parts/slider';
import { Stick } from '../parts/stick';
import { Drive } from '../world/drive';
import { readPicture } from '../wire/cdr';
import { Canvas, type Pen } from './canvas';
import { enumText } from './values';

type Props = { device: Device };

function Waiting() {
  return <p class="soft">No data yet.</p>;
}

/** The answer to a question that is asked once. */
function useAnswer(device: Device, message: string, value?: unknown): any {
  const answer = useSignal<any>(null);
  const there = device.requests.includes(message) && link.services.value.size > 0;
  useEffect(() => {
    if (there) {
      request(device, message, value).then((got) => (answer.value = got), () => {});
    }
  }, [device.name, there]);
  return answer.value;
}

// ---- Ranges ----------------------------------------------------------------------------------------

type Beam = { angle: number; range: number; wide: number; x: number; y: number };

/** Straight ahead is up. */
function drawFan(pen: Pen, width: number, height: number, beams: Beam[], reach: number): void {
  const behind = beams.some((beam) => Math.abs(beam.angle) > (100 * Math.PI) / 180);
  const middle: [number, number] = [width / 2, behind ? height / 2 : height - 14];
  const scale = Math.min(width / 2 - 12, behind ? height / 2 - 14 : height - 26) / reach;
  pen.strokeStyle = pen.soft;
  pen.fillStyle = pen.ink;
  pen.lineWidth = 1;
  for (let i = 1; i <= 2; i++) {
    pen.beginPath();
    pen.arc(...middle, (reach * scale * i) / 2, behind ? 0 : -Math.PI, behind ? 2 * Math.PI : 0);
    pen.stroke();
    pen.fillText(`${number((reach * i) / 2, reach < 3 ? 1 : 0)} m`, middle[0] + 3, middle[1] - (reach * scale * i) / 2 - 2);
  }
  const place = (beam: Beam, angle: number, range: number): [number, number] => [
    middle[0] - (beam.y + range * Math.sin(angle)) * scale,
    middle[1] - (beam.x + range * Math.cos(angle)) * scale,
  ];
  pen.beginPath();
  const scan = beams.length > 0 && beams[0].wide === 0;
  if (scan) {
    pen.moveTo(...place(beams[0], 0, 0));
  }
  for (const beam of beams) {
    const range = Math.min(beam.range, reach);
    if (scan) {
      pen.lineTo(...place(beam, beam.angle, range));
    } else {
      pen.moveTo(...place(beam, 0, 0));
      for (let i = -3; i <= 3; i++) {
        pen.lineTo(...place(beam, beam.angle + (beam.wide * i) / 6, range));
      }
      pen.closePath();
    }
  }
  pen.closePath();
  pen.fillStyle = pen.strokeStyle = pen.accent;
  pen.globalAlpha = 0.28;
  pen.fill();
  pen.globalAlpha = 0.8;
  pen.stroke();
  pen.globalAlpha = 1;
}

function Fan({ beams, reach, value }: { beams: Beam[]; reach: number; value: unknown }) {
  const nearest = beams.reduce((least, beam) => (beam.range < least.range ? beam : least), { range: Infinity, angle: 0 } as Beam);
  const label = beams.length === 0 ? 'no ranges' : `nearest ${number(nearest.range, 2)} m at ${number((nearest.angle * 180) / Math.PI, 0)}°`;
  return (
    <>
      <Canvas height={180} label={`${beams.length} ranges, ${label}`} value={value} draw={(pen, width, height) => drawFan(pen, width, height, beams, reach)} />
      <p class="caption">
        {beams.length} ranges, {label}
      </p>
    </>
  );
}

function ranges(list: any[]): number[] {
  return list.map((range) => (typeof range === 'number' ? Math.max(range, 0) : range === 'Infinity' ? Infinity : 0));
}

function Laser({ device }: Props) {
  const sample = useSample(device, 'SCAN').value;
  if (sample === null) {
    return <Waiting />;
  }
  const scan = sample.value;
  const beams = ranges(scan.ranges).map((range, i) => ({ angle: scan.min_angle + i * scan.resolution, range, wide: 0, x: 0, y: 0 }));
  return <Fan beams={beams} reach={scan.max_range || 8} value={sample} />;
}

function elements(list: any[], poses: any[]): Beam[] {
  return ranges(list).map((range, i) => ({ angle: poses[i]?.pyaw ?? 0, range, wide: 0.35, x: poses[i]?.px ?? 0, y: poses[i]?.py ?? 0 }));
}

function Ranger({ device }: Props) {
  const sample = useSample(device, 'RANGE').value;
  const geom = useAnswer(device, 'GET_GEOM');
  const config = useAnswer(device, 'GET_CONFIG');
  if (sample === null) {
    return <Waiting />;
  }
  const list: any[] = sample.value.ranges;
  const poses: any[] = geom?.element_poses ?? [];
  const reach = config?.max_range || Math.max(...ranges(list).filter(Number.isFinite), 1);
  const step = config?.angular_res || (config ? (config.max_angle - config.min_angle) / Math.max(list.length - 1, 1) : 0);
  const beams =
    poses.length > 1 && poses.length === list.length
      ? elements(list, poses)
      : ranges(list).map((range, i) => ({ angle: (config?.min_angle ?? 0) + i * step, range, wide: list.length === 1 ? 0.35 : 0, x: 0, y: 0 }));
  return <Fan beams={beams} reach={reach} value={sample} />;
}

function Sonar({ device }: Props) {
  const sample = useSample(device, 'RANGES').value;
  const geom = useAnswer(device, device.interface === 'ir' ? 'POSE' : 'GET_GEOM');
  if (sample === null) {
    return <Waiting />;
  }
  const list = sample.value.ranges;
  return <Fan beams={elements(list, geom?.poses ?? [])} reach={Math.max(...ranges(list).filter(Number.isFinite), 0.5)} value={sample} />;
}

// ---- Pictures --------------------------------------------------------------------------------------

function rgba(width: number, height: number, data: ArrayLike<number>, format: number): ImageData {
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    let color: [number, number, number];
    if (format === 5) {
      color = [data[3 * i], data[3 * i + 1], data[3 * i + 2]];
    } else if (format === 4) {
      const word = data[2 * i] | (data[2 * i + 1] << 8);
      color = [(word >> 11) << 3, ((word >> 5) & 63) << 2, (word & 31) << 3];
    } else {
      const grey = data[format === 2 ? 2 * i : i];
      color = [grey, grey, grey];
    }
    image.data.set([...color, 255], 4 * i);
  }
  return image;
}

const ROS_FORMATS: Record<string, number> = { mono8: 1, mono16: 2, rgb8: 5 };

/** The newest picture as something to draw. While one is being decoded, newer ones take the place of those that wait. */
function Camera({ device }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal('');
  const count = useSignal(0);
  useEffect(() => {
    let busy = false;
    let waiting: (() => Promise<ImageBitmap>) | null = null;
    let gone = false;
    const next = async () => {
      while (waiting !== null && !gone) {
        const make = waiting;
        waiting = null;
        const bitmap = await make().catch(() => null);
        if (bitmap !== null && canvas.current !== null) {
          canvas.current.width = bitmap.width;
          canvas.current.height = bitmap.height;
          canvas.current.getContext('2d')!.drawImage(bitmap, 0, 0);
          size.value = `${bitmap.width} × ${bitmap.height} pixels`;
          count.value++;
        }
      }
      busy = false;
    };
    const take = (make: () => Promise<ImageBitmap>) => {
      waiting = make;
      if (!busy) {
        busy = true;
        void next();
      }
    };
    const ros = `/ros${topicOf(device, 'STATE')}`;
    const channel = link.channels.peek().get(ros);
    const end =
      channel !== undefined
        ? link.listen(ros, (bytes) =>
            take(() => {
              const picture = readPicture(bytes, channel.schemaName.endsWith('CompressedImage'));
              return picture.compressed
                ? createImageBitmap(new Blob([picture.data as BlobPart], { type: `image/${/png/.test(picture.format) ? 'png' : 'jpeg'}` }))
                : createImageBitmap(rgba(picture.width, picture.height, picture.data, ROS_FORMATS[picture.format] ?? 5));
            }),
          )
        : link.listen(topicOf(device, 'STATE'), (value) =>
            take(() =>
              value.compression === 1
                ? createImageBitmap(new Blob([Uint8Array.from(value.image)], { type: 'image/jpeg' }))
                : createImageBitmap(rgba(value.width, value.height, value.image, value.format)),
            ),
          );
    return () => {
      gone = true;
      end();
    };
  }, [device.name, link.state.value]);
  return (
    <>
      <canvas ref={canvas} class="picture camera" role="img" aria-label={`Picture of the camera, ${size.value || 'none yet'}`} />
      <p class="caption">{size.value === '' ? 'No picture yet.' : `${size.value}, ${count.value} pictures`}</p>
    </>
  );
}

function MapPicture({ device }: Props) {
  const info = useAnswer(device, 'GET_INFO');
  const cells = useSignal<ImageData | null>(null);
  useEffect(() => {
    let gone = false;
    const load = async () => {
      const image = new ImageData(info.width, info.height);
      for (let row = 0; row < info.height && !gone; ) {
        const tile = await request(device, 'GET_DATA', { col: 0, row, width: info.width, height: Math.max(1, Math.min(info.height - row, Math.floor(65536 / info.width))) });
        for (let k = 0; k < tile.data.length; k++) {
          const y = info.height - 1 - (tile.row + Math.floor(k / tile.width));
          const grey = tile.data[k] > 0 ? 60 : tile.data[k] < 0 ? 250 : 200;
          image.data.set([grey, grey, grey, 255], 4 * (y * info.width + tile.col + (k % tile.width)));
        }
        if (tile.height === 0) {
          break;
        }
        row += tile.height;
      }
      cells.value = image;
    };
    if (info !== null && info.width > 0 && info.height > 0) {
      load().catch(fail);
    }
    return () => void (gone = true);
  }, [info]);
  const image = cells.value;
  if (image === null) {
    return <Waiting />;
  }
  return (
    <>
      <Canvas
        height={Math.min(260, Math.max(80, (280 * image.height) / image.width))}
        label={`Map of ${image.width} by ${image.height} cells`}
        value={image}
        draw={(pen, width, height) => {
          const small = document.createElement('canvas');
          small.width = image.width;
          small.height = image.height;
          small.getContext('2d')!.putImageData(image, 0, 0);
          const scale = Math.min(width / image.width, height / image.height);
          pen.imageSmoothingEnabled = scale < 1;
          pen.drawImage(small, (width - image.width * scale) / 2, 0, image.width * scale, image.height * scale);
        }}
      />
      <p class="caption">
        {image.width} × {image.height} cells of {number(info.scale, 2)} m
      </p>
    </>
  );
}

// ---- Things that move --------------------------------------------------------------------------------

function Vehicle({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  const drive = useMemo(() => new Drive(device), [device.name]);
  useEffect(() => () => drive.close(), [drive]);
  return (
    <div class="split">
      <dl class="values">
        <dt>Place</dt>
        <dd class="num">
          {number(sample?.value.pos.px, 2)}, {number(sample?.value.pos.py, 2)} <small>m</small>
        </dd>
        <dt>Heading</dt>
        <dd class="num">
          {number(sample === null ? undefined : (sample.value.pos.pa * 180) / Math.PI, 0)} <small>°</small>
        </dd>
        <dt>Speed</dt>
        <dd class="num">
          {number(sample?.value.vel.px, 2)} <small>m/s</small>
        </dd>
        <dt>Turn</dt>
        <dd class="num">
          {number(sample === null ? undefined : (sample.value.vel.pa * 180) / Math.PI, 0)} <small>°/s</small>
        </dd>
        {!!sample?.value.stall && (
          <>
            <dt>Motors</dt>
            <dd>
              <span class="chip warn">blocked</span>
            </dd>
          </>
        )}
      </dl>
      {device.commands.includes('VEL') && may('move') && <Stick drive={drive} />}
    </div>
  );
}

function Buttons({ device, names }: { device: Device; names: [string, string][] }) {
  return (
    <div class="row">
      {names
        .filter(([name]) => device.commands.includes(name))
        .map(([name, text]) => (
          <button key={name} type="button" disabled={!may('move')} onClick={() => move(device, name, null)}>
            {text}
          </button>
        ))}
    </div>
  );
}

function Gripper({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  const state = sample?.value.state ?? 0;
  const open = state === 1 ? 26 : state === 3 ? 17 : 9;
  const all = descriptors.value!;
  const field = all.struct('gripper_data')?.fields[0];
  const text = sample === null || field === undefined ? 'no data yet' : enumText(all, field, state);
  return (
    <>
      <svg class="drawing" viewBox="-60 -40 120 80" role="img" aria-label={`Gripper: ${text}`}>
        <rect x="-42" y="-30" width="22" height="60" rx="4" class="body" />
        <rect x="-20" y={-open - 6} width="52" height="6" rx="2" class="part" />
        <rect x="-20" y={open} width="52" height="6" rx="2" class="part" />
        {sample?.value.beams > 0 && <circle cx="10" cy="0" r="8" class="hot" />}
      </svg>
      <p class="caption">
        {text}
        {sample !== null && sample.value.stored > 0 && `, ${sample.value.stored} stored`}
      </p>
      <Buttons device={device} names={[['OPEN', 'Open'], ['CLOSE', 'Close'], ['STOP', 'Stop'], ['STORE', 'Store'], ['RETRIEVE', 'Retrieve']]} />
    </>
  );
}

/** Joints of an arm: where they are between their limits, and a slider each. */
function Arm({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  const geom = useAnswer(device, 'GET_GEOM');
  if (sample === null) {
    return <Waiting />;
  }
  return (
    <div class="joints">
      {sample.value.actuators.map((actuator: any, i: number) => {
        const limits = geom?.actuators?.[i];
        const turns = limits === undefined || limits.type === 2;
        const [low, high] = limits !== undefined && limits.max > limits.min ? [limits.min, limits.max] : turns ? [-Math.PI, Math.PI] : [0, 1];
        return (
          <div class="joint" key={i}>
            <label for={`joint-${device.number}-${i}`}>Joint {i + 1}</label>
            <Slider
              id={`joint-${device.number}-${i}`}
              min={low}
              max={high}
              step={(high - low) / 100}
              value={actuator.position}
              disabled={!may('move') || !device.commands.includes('POS')}
              set={(position) => move(device, 'POS', { joint: i, position })}
            />
            <output class="num">{turns ? `${number((actuator.position * 180) / Math.PI, 0)} °` : `${number(actuator.position, 3)} m`}</output>
          </div>
        );
      })}
      <div class="row">
        {device.commands.includes('HOME') && (
          <button type="button" disabled={!may('move')} onClick={() => move(device, 'HOME', { joint: -1 })}>
            Home
          </button>
        )}
      </div>
    </div>
  );
}

function Limb({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  if (sample === null) {
    return <Waiting />;
  }
  const { position } = sample.value;
  return (
    <>
      <p class="big num">
        {number(position.px, 3)}, {number(position.py, 3)}, {number(position.pz, 3)} <small>m</small>
      </p>
      <Buttons device={device} names={[['HOME', 'Home'], ['STOP', 'Stop']]} />
    </>
  );
}

function PanTilt({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  const wish = useSignal<{ pan: number; tilt: number } | null>(null);
  if (sample === null) {
    return <Waiting />;
  }
  const set = (part: 'pan' | 'tilt', degrees: number) => {
    wish.value = { pan: sample.value.pan, tilt: sample.value.tilt, ...wish.value, [part]: (degrees * Math.PI) / 180 };
    move(device, 'STATE', { ...wish.value, zoom: sample.value.zoom, panspeed: 1, tiltspeed: 1 });
  };
  return (
    <div class="joints">
      {(['pan', 'tilt'] as const).map((part) => (
        <div class="joint" key={part}>
          <label for={`${part}-${device.number}`}>{part === 'pan' ? 'Pan' : 'Tilt'}</label>
          <Slider id={`${part}-${device.number}`} min={-90} max={90} disabled={!may('move')} value={(sample.value[part] * 180) / Math.PI} set={(degrees) => set(part, degrees)} />
          <output class="num">{number((sample.value[part] * 180) / Math.PI, 0)} °</output>
        </div>
      ))}
    </div>
  );
}

// ---- What a robot feels ----------------------------------------------------------------------------

function Power({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  if (sample === null) {
    return <Waiting />;
  }
  const { valid, percent, volts, watts, charging } = sample.value;
  const share = Math.max(0, Math.min(100, percent));
  return (
    <>
      {(valid & 8) !== 0 && (
        <div class={`battery ${share < 20 ? 'low' : ''}`} role="meter" aria-label="Charge" aria-valuenow={Math.round(share)} aria-valuemin={0} aria-valuemax={100}>
          <i style={{ width: `${share}%` }} />
          <span class="num">{number(share, 0)} %</span>
        </div>
      )}
      <p class="caption num">
        {(valid & 1) !== 0 && `${number(volts, 2)} V `}
        {(valid & 2) !== 0 && `${number(watts, 1)} W `}
        {(valid & 16) !== 0 && (charging > 0 ? 'charging' : charging < 0 ? 'charges another' : 'not charging')}
      </p>
    </>
  );
}

/** Roll and pitch as a horizon. */
function drawHorizon(pen: Pen, width: number, height: number, roll: number, pitch: number, yaw: number): void {
  const radius = Math.min(width / 2, height / 2) - 6;
  pen.save();
  pen.translate(width / 2, height / 2);
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.clip();
  pen.rotate(-roll);
  pen.fillStyle = pen.accent;
  pen.globalAlpha = 0.3;
  pen.fillRect(-2 * radius, -2 * radius, 4 * radius, 2 * radius + pitch * radius);
  pen.globalAlpha = 1;
  pen.strokeStyle = pen.ink;
  pen.beginPath();
  pen.moveTo(-2 * radius, pitch * radius);
  pen.lineTo(2 * radius, pitch * radius);
  pen.stroke();
  pen.restore();
  pen.strokeStyle = pen.soft;
  pen.beginPath();
  pen.arc(width / 2, height / 2, radius, 0, 2 * Math.PI);
  pen.stroke();
  pen.fillStyle = pen.ink;
  const [x, y] = [width / 2 - (radius - 8) * Math.sin(yaw), height / 2 - (radius - 8) * Math.cos(yaw)];
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.fill();
}

function Imu({ device }: Props) {
  const names = ['FULLSTATE', 'EULER', 'STATE', 'CALIB', 'QUAT'].filter((name) => device.data.includes(name));
  const samples = names.map((name) => useSample(device, name).value);
  const sample = samples.find((one) => one !== null) ?? null;
  if (sample === null) {
    return <Waiting />;
  }
  const value = sample.value;
  const at = value.pose ?? value.orientation;
  const felt = value.calib_data ?? (value.accel_x !== undefined ? value : null);
  return (
    <>
      {at !== undefined && (
        <Canvas
          height={120}
          label={`roll ${number((at.proll * 180) / Math.PI, 0)}°, pitch ${number((at.ppitch * 180) / Math.PI, 0)}°, heading ${number((at.pyaw * 180) / Math.PI, 0)}°`}
          value={sample}
          draw={(pen, width, height) => drawHorizon(pen, width, height, at.proll, at.ppitch, at.pyaw)}
        />
      )}
      {felt !== null && (
        <p class="caption num">
          {number(felt.accel_x, 2)}, {number(felt.accel_y, 2)}, {number(felt.accel_z, 2)} m/s²; {number(felt.gyro_x, 2)}, {number(felt.gyro_y, 2)}, {number(felt.gyro_z, 2)} rad/s
        </p>
      )}
    </>
  );
}

function Gps({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  if (sample === null) {
    return <Waiting />;
  }
  const fix = sample.value;
  const angle = (value: number, plus: string, minus: string) => `${number(Math.abs(value) / 1e7, 6)}° ${value < 0 ? minus : plus}`;
  return (
    <>
      <p class="big num">
        {angle(fix.latitude, 'N', 'S')} {angle(fix.longitude, 'E', 'W')}
      </p>
      <p class="caption">
        {number(fix.altitude / 1000, 1)} m high, {fix.num_sats} satellites, {fix.quality === 0 ? 'no fix' : fix.quality === 2 ? 'differential fix' : 'fix'}, ± {number(fix.err_horz, 1)} m
      </p>
    </>
  );
}

function Bumper({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  if (sample === null) {
    return <Waiting />;
  }
  return (
    <ul class="lamps" aria-label="Bumpers">
      {sample.value.bumpers.map((pressed: number, i: number) => (
        <li key={i} class={pressed ? 'hot' : ''}>
          {i + 1} <span class="sr">{pressed ? 'pressed' : 'free'}</span>
        </li>
      ))}
    </ul>
  );
}

function Inputs({ device }: Props) {
  const sample = useSample(device, 'VALUES').value;
  if (sample === null) {
    return <Waiting />;
  }
  return (
    <ul class="lamps" aria-label="Inputs">
      {Array.from({ length: Math.min(sample.value.count, 32) }, (_, i) => (
        <li key={i} class={(sample.value.bits >>> i) & 1 ? 'on' : ''}>
          {i} <span class="sr">{(sample.value.bits >>> i) & 1 ? 'on' : 'off'}</span>
        </li>
      ))}
    </ul>
  );
}

// ---- What a robot shows and says ---------------------------------------------------------------------

function Light({ device }: Props) {
  const sample = useSample(device, 'STATE').value;
  const color = sample?.value.color ?? { red: 255, green: 255, blue: 255 };
  const hex = '#' + [color.red, color.green, color.blue].map((part: number) => part.toString(16).padStart(2, '0')).join('');
  const send = (enable: number, text: string) => {
    const value = parseInt(text.slice(1), 16);
    command(device, 'STATE', { id: 0, enable, period: sample?.value.period ?? 0, dutycycle: sample?.value.dutycycle ?? 1, color: { alpha: 255, red: value >> 16, green: (value >> 8) & 255, blue: value & 255 } });
  };
  return (
    <div class="row">
      <i class="bulb" style={{ background: sample?.value.enable ? hex : 'transparent' }} />
      <label>
        On <input type="checkbox" disabled={!may('write')} checked={!!sample?.value.enable} onChange={(event) => send(event.currentTarget.checked ? 1 : 0, hex)} />
      </label>
      <label>
        Colour <input type="color" disabled={!may('write')} value={hex} onChange={(event) => send(1, event.currentTarget.value)} />
      </label>
    </div>
  );
}

function Speech({ device }: Props) {
  const text = useSignal('');
  const said = useSignal<string[]>([]);
  const say = (event: Event) => {
    event.preventDefault();
    if (text.value !== '' && command(device, 'SAY', { string: text.value })) {
      said.value = [...said.value.slice(-3), text.value];
      text.value = '';
    }
  };
  return (
    <form class="row" onSubmit={say}>
      <label class="grow">
        <span class="sr">Text to say</span>
        <input type="text" placeholder="Something to say" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={!may('write')}>
        Say
      </button>
      <span class="sr" role="status">
        {said.value[said.value.length - 1]}
      </span>
    </form>
  );
}

export const PICTURES: Record<string, ComponentType<Props>> = {
  laser: Laser,
  ranger: Ranger,
  sonar: Sonar,
  ir: Sonar,
  camera: Camera,
  map: MapPicture,
  position2d: Vehicle,
  gripper: Gripper,
  actarray: Arm,
  limb: Limb,
  ptz: PanTilt,
  power: Power,
  imu: Imu,
  gps: Gps,
  bumper: Bumper,
  dio: Inputs,
  blinkenlight: Light,
  speech: Speech,
};
