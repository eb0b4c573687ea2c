// descriptors.ts - what messages are: the descriptors of the interfaces, as `troupe interfaces --json` prints them.

export type Field = {
  name: string;
  type: string;
  shape: 'one' | 'fixed' | 'bounded' | 'variable';
  count?: string;
  length?: number;
  max?: number;
  unit?: string;
  enum?: string;
  flags?: string;
  doc?: string;
};
export type Struct = { name: string; doc: string; fields: Field[] };
export type Member = { name: string; value: number; doc: string };
export type Enum = { name: string; flags: boolean; doc: string; members: Member[] };
export type Effect = 'reads' | 'writes' | 'moves' | 'actuates' | 'operates';
export type Message = {
  kind: 'data' | 'command' | 'request';
  name: string;
  code: number;
  mark: 'required' | 'optional' | 'extension';
  effect?: Effect;
  ask: string | null;
  answer?: string | null;
  doc: string;
};
export type Interface = {
  name: string;
  code: number;
  doc: string;
  uses: string[];
  messages: Message[];
  structs: Struct[];
  enums: Enum[];
};

export class Descriptors {
  private structs = new Map<string, Struct>();
  private enums = new Map<string, Enum>();

  constructor(readonly interfaces: Record<string, Interface>) {
    for (const one of Object.values(interfaces)) {
      one.structs.forEach((struct) => this.structs.set(struct.name, struct));
      one.enums.forEach((item) => this.enums.set(item.name, item));
    }
  }

  struct(name: string | null | undefined): Struct | undefined {
    return name == null ? undefined : this.structs.get(name);
  }

  enum(field: Field): Enum | undefined {
    const name = field.enum ?? field.flags;
    return name === undefined ? undefined : this.enums.get(name);
  }

  messages(interf: string, kind: Message['kind']): Message[] {
    return this.interfaces[interf]?.messages.filter((message) => message.kind === kind) ?? [];
  }

  /** Messages that every device can have. */
  common(kind: Message['kind']): Message[] {
    return this.messages('common', kind);
  }

  message(interf: string, kind: Message['kind'], name: string): Message | undefined {
    return this.messages(interf, kind).find((message) => message.name === name);
  }
}

/** Whether a field is the count of another one. It is shown with that one. */
export function isCount(struct: Struct, field: Field): boolean {
  return struct.fields.some((other) => other.count === field.name);
}

export function isText(field: Field): boolean {
  return field.shape !== 'one' && (field.type === 'char' || field.unit === 'text');
}

const NUMBER = /^[uif](8|16|32|64)$/;

export function isNumber(field: Field): boolean {
  return NUMBER.test(field.type);
}

/** A unit for people; empty for numbers without one. `suffix` is the /s of a velocity. */
export function unitOf(field: Field, suffix = ''): string {
  const unit = field.unit ?? '';
  if (['1', 'count', 'id', 'raw', 'bool', 'text', 'rgb', ''].includes(unit) || field.enum || field.flags) {
    return '';
  }
  return unitText(unit).replace('|', ' or ') + suffix.replace('^2', '²');
}

/** A unit as it is printed. */
export function unitText(unit: string): string {
  return unit.replace(/\^2/g, '²').replace('deg', /^deg[CF]/.test(unit) ? '°' : 'deg');
}

/** Whether a field's unit is a suffix for all fields of its struct, as the /s of `vel pose2d /s`. */
export function suffixOf(field: Field): string {
  return field.unit?.startsWith('/') ? field.unit : '';
}

/** `ranges_count` becomes "ranges count". */
export function words(name: string): string {
  return name.replace(/_/g, ' ');
}

/** GET_GEOM becomes "Get geom". */
export function title(name: string): string {
  const text = name.toLowerCase().replace(/_/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One number in a message that can be drawn over time. */
export type Series = { path: string[]; unit: string; doc: string };

/** All single numbers of a struct. Of arrays, the first elements. */
export function seriesOf(all: Descriptors, struct: Struct | undefined, elements = 1, suffix = '', path: string[] = []): Series[] {
  const found: Series[] = [];
  for (const field of struct?.fields ?? []) {
    if (isText(field) || isCount(struct!, field)) {
      continue;
    }
    const unit = suffixOf(field) || suffix;
    const places =
      field.shape === 'one' ? [[field.name]] : Array.from({ length: field.length ? Math.min(field.length, elements) : elements }, (_, i) => [field.name, String(i)]);
    for (const place of places) {
      if (isNumber(field)) {
        found.push({ path: [...path, ...place], unit: unitOf(field, suffix), doc: field.doc ?? '' });
      } else if (path.length < 5) {
        found.push(...seriesOf(all, all.struct(field.type), elements, unit, [...path, ...place]));
      }
    }
  }
  return found;
}

export function valueAt(value: any, path: string[]): any {
  let at = value;
  for (const step of path) {
    at = at?.[step];
  }
  return at;
}

/** Numbers, also the words that JSON needs for what it has no numbers for. */
export function asNumber(value: any): number {
  return typeof value === 'number' ? value : value === 'Infinity' ? Infinity : value === '-Infinity' ? -Infinity : typeof value === 'boolean' ? +value : NaN;
}

/** A text of a message: a string, or bytes in UTF-8. */
export function asText(value: any): string {
  if (typeof value === 'string') {
    return value;
  }
  return Array.isArray(value) ? new TextDecoder().decode(Uint8Array.from(value, (byte) => byte & 255)).replace(/\0+$/, '') : '';
}

/** The bytes of a text, as a field of type u8 has them. */
export function asBytes(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
