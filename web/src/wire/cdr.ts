// cdr.ts - pictures in the encoding of ROS 2: sensor_msgs/Image and sensor_msgs/CompressedImage.
export type Picture = { compressed: boolean; format: string; width: number; height: number; step: number; data: Uint8Array };

class Reader {
  private at = 4; // behind the header of the encapsulation
  private readonly view: DataView;
  private readonly little: boolean;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.little = (bytes[1] & 1) === 1;
  }

  u32(): number {
    this.at += -(this.at - 4) & 3;
    const value = this.view.getUint32(this.at, this.little);
    this.at += 4;
    return value;
  }

  u8(): number {
    return this.view.getUint8(this.at++);
  }

  text(): string {
    const length = this.u32();
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + Math.max(length - 1, 0)));
    this.at += length;
    return text;
  }

  rest(): Uint8Array {
    const length = this.u32();
    return this.bytes.subarray(this.at, this.at + length);
  }
}

export function readPicture(bytes: Uint8Array, compressed: boolean): Picture {
  const reader = new Reader(bytes);
  reader.u32(); // time: seconds, nanoseconds
  reader.u32();
  reader.text(); // frame
  if (compressed) {
    const format = reader.text();
    return { compressed, format, width: 0, height: 0, step: 0, data: reader.rest() };
  }
  const height = reader.u32();
  const width = reader.u32();
  const format = reader.text();
  reader.u8(); // big endian
  const step = reader.u32();
  return { compressed, format, width, height, step, data: reader.rest() };
}
