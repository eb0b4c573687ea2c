// frames.ts - the binary frames of the Foxglove WebSocket protocol. Integers are little endian.

const text = new TextDecoder();
const bytesOf = new TextEncoder();

export type Incoming =
  | { kind: 'data'; subscription: number; time: number; body: Uint8Array }
  | { kind: 'time'; time: number }
  | { kind: 'answer'; service: number; call: number; encoding: string; body: Uint8Array };

// Seconds. A double holds nanoseconds of this century to about 0.2 microseconds.
function seconds(view: DataView, at: number): number {
  return view.getUint32(at, true) / 1e9 + view.getUint32(at + 4, true) * 4.294967296;
}

/** A frame of the server; null for one that is too short or of an unknown kind. */
export function readFrame(buffer: ArrayBuffer): Incoming | null {
  const view = new DataView(buffer);
  const op = buffer.byteLength > 0 ? view.getUint8(0) : 0;

  if (op === 1 && buffer.byteLength >= 13) {
    return {
      kind: 'data',
      subscription: view.getUint32(1, true),
      time: seconds(view, 5),
      body: new Uint8Array(buffer, 13),
    };
  }
  if (op === 2 && buffer.byteLength >= 9) {
    return { kind: 'time', time: seconds(view, 1) };
  }
  if (op === 3 && buffer.byteLength >= 13) {
    const length = view.getUint32(9, true);
    if (13 + length > buffer.byteLength) {
      return null;
    }
    return {
      kind: 'answer',
      service: view.getUint32(1, true),
      call: view.getUint32(5, true),
      encoding: text.decode(new Uint8Array(buffer, 13, length)),
      body: new Uint8Array(buffer, 13 + length),
    };
  }
  return null;
}

/** A message for a channel that the client has advertised. */
export function publishFrame(channel: number, value: unknown): ArrayBuffer {
  const body = bytesOf.encode(JSON.stringify(value));
  const frame = new Uint8Array(5 + body.length);

  frame[0] = 1;
  new DataView(frame.buffer).setUint32(1, channel, true);
  frame.set(body, 5);
  return frame.buffer;
}

export function callFrame(service: number, call: number, value: unknown): ArrayBuffer {
  const body = bytesOf.encode(JSON.stringify(value ?? null));
  const encoding = bytesOf.encode('json');
  const frame = new Uint8Array(13 + encoding.length + body.length);
  const view = new DataView(frame.buffer);

  frame[0] = 2;
  view.setUint32(1, service, true);
  view.setUint32(5, call, true);
  view.setUint32(9, encoding.length, true);
  frame.set(encoding, 13);
  frame.set(body, 13 + encoding.length);
  return frame.buffer;
}

export function readJson(body: Uint8Array): unknown {
  return body.length === 0 ? null : JSON.parse(text.decode(body));
}
