// values.tsx - a message as text, by its descriptor: names, values, units.
import { descriptors } from '../model/state';
import { asNumber, asText, isCount, isText, suffixOf, unitOf, words, type Descriptors, type Field, type Struct } from '../model/descriptors';
import { number } from '../parts/number';

const MOST = 24; // elements of an array that are shown

/** The name of an enum member without what all members begin with. */
function memberName(names: string[], name: string): string {
  let common = names[0]?.split('_') ?? [];
  for (const other of names) {
    const parts = other.split('_');
    let i = 0;
    while (i < common.length && i < parts.length - 1 && common[i] === parts[i]) {
      i++;
    }
    common = common.slice(0, i);
  }
  return words(name.split('_').slice(names.length > 1 ? common.length : 1).join('_')).toLowerCase() || words(name).toLowerCase();
}

export function enumText(all: Descriptors, field: Field, value: any): string {
  const known = all.enum(field);
  if (known === undefined) {
    return number(value);
  }
  const names = known.members.map((member) => member.name);
  if (field.flags !== undefined) {
    const set = known.members.filter((member) => (value & member.value) !== 0);
    return set.length === 0 ? 'none' : set.map((member) => memberName(names, member.name)).join(', ');
  }
  const member = known.members.find((one) => one.value === value);
  return member === undefined ? number(value) : memberName(names, member.name);
}

export function oneText(all: Descriptors, field: Field, value: any): string {
  if (field.unit === 'bool') {
    return value ? 'yes' : 'no';
  }
  if (field.enum !== undefined || field.flags !== undefined) {
    return enumText(all, field, value);
  }
  if (field.type === 'char') {
    return typeof value === 'string' ? value : number(value);
  }
  return number(typeof value === 'string' ? asNumber(value) : value);
}

function Row({ field, children }: { field: Field; children: any }) {
  return (
    <>
      <dt title={field.doc}>{words(field.name)}</dt>
      <dd>{children}</dd>
    </>
  );
}

function ArrayValue({ field, value, suffix }: { field: Field; value: any[]; suffix: string }) {
  const numbers = value.map(asNumber);
  const unit = unitOf(field, suffix);
  if (value.length === 0) {
    return <span class="soft">none</span>;
  }
  if (value.length <= 8) {
    return (
      <span class="num">
        {numbers.map((one) => number(one)).join(', ')} <small>{unit}</small>
      </span>
    );
  }
  const finite = numbers.filter(Number.isFinite);
  return (
    <span class="num">
      {value.length} <small>values,</small> {number(Math.min(...finite))} <small>to</small> {number(Math.max(...finite))} <small>{unit}</small>
    </span>
  );
}

function FieldRow({ struct, field, value, suffix }: { struct: Struct; field: Field; value: any; suffix: string }) {
  const all = descriptors.value!;
  if (isCount(struct, field)) {
    return null;
  }
  if (isText(field)) {
    const text = asText(value);
    return <Row field={field}>{text === '' ? <span class="soft">empty</span> : text}</Row>;
  }
  const inner = all.struct(field.type);
  const next = suffixOf(field) || suffix;
  if (inner !== undefined && field.shape === 'one') {
    return (
      <Row field={field}>
        <Values struct={inner} value={value} suffix={next} />
      </Row>
    );
  }
  if (inner !== undefined) {
    const list: any[] = value ?? [];
    return (
      <Row field={field}>
        {list.length === 0 && <span class="soft">none</span>}
        <ol class="list" tabIndex={list.length > 4 ? 0 : undefined} aria-label={words(field.name)}>
          {list.slice(0, MOST).map((one, i) => (
            <li key={i}>
              <Values struct={inner} value={one} suffix={next} />
            </li>
          ))}
        </ol>
        {list.length > MOST && <span class="soft">and {list.length - MOST} more</span>}
      </Row>
    );
  }
  if (field.shape !== 'one') {
    return (
      <Row field={field}>
        <ArrayValue field={field} value={value ?? []} suffix={suffix} />
      </Row>
    );
  }
  return (
    <Row field={field}>
      <span class="num">{oneText(all, field, value)}</span> <small>{unitOf(field, suffix)}</small>
    </Row>
  );
}

/** All fields of a struct. */
export function Values({ struct, value, suffix = '' }: { struct: Struct | undefined; value: any; suffix?: string }) {
  if (struct === undefined || value === null || value === undefined) {
    return <span class="soft">nothing</span>;
  }
  return (
    <dl class="values">
      {struct.fields.map((field) => (
        <FieldRow key={field.name} struct={struct} field={field} value={value[field.name]} suffix={suffix} />
      ))}
    </dl>
  );
}
