// form.tsx - a message to fill in, by its descriptor.
import { useSignal, type Signal } from '@preact/signals';
import { descriptors } from '../model/state';
import { asBytes, isCount, isText, suffixOf, unitOf, words, type Descriptors, type Field, type Struct } from '../model/descriptors';
import { enumText } from './values';

/** A message with all fields zero. */
export function blank(all: Descriptors, struct: Struct | undefined): any {
  const value: any = {};
  for (const field of struct?.fields ?? []) {
    const inner = all.struct(field.type);
    if (struct !== undefined && isCount(struct, field)) {
      continue; // follows from its array
    }
    if (isText(field)) {
      value[field.name] = '';
    } else if (field.shape === 'fixed') {
      const elements = Array.from({ length: field.length ?? 0 }, () => (inner !== undefined ? blank(all, inner) : 0));
      value[field.name] = inner !== undefined ? elements : elements.join(' ');
    } else if (field.shape !== 'one') {
      value[field.name] = inner !== undefined ? [] : '';
    } else if (inner !== undefined) {
      value[field.name] = blank(all, inner);
    } else if (field.enum !== undefined) {
      value[field.name] = all.enum(field)?.members[0]?.value ?? 0;
    } else {
      value[field.name] = 0;
    }
  }
  return value;
}

/** The message of what was typed. Throws a sentence. */
export function filled(all: Descriptors, struct: Struct | undefined, typed: any): any {
  const value: any = {};
  for (const field of struct?.fields ?? []) {
    const one = typed?.[field.name];
    const inner = all.struct(field.type);
    if (one === undefined) {
      continue;
    }
    if (isText(field)) {
      value[field.name] = field.type === 'char' ? one : asBytes(one);
    } else if (field.shape !== 'one' && inner === undefined) {
      value[field.name] = String(one)
        .split(/[\s,;]+/)
        .filter((text) => text !== '')
        .map((text) => checked(field, text));
    } else if (field.shape !== 'one') {
      value[field.name] = one.map((element: any) => filled(all, inner, element));
    } else if (inner !== undefined) {
      value[field.name] = filled(all, inner, one);
    } else {
      value[field.name] = checked(field, one);
    }
  }
  return value;
}

function checked(field: Field, typed: any): number {
  const value = typeof typed === 'number' ? typed : typed === true ? 1 : typed === false ? 0 : Number(String(typed).replace(',', '.'));
  if (!Number.isFinite(value)) {
    throw new Error(`${words(field.name)}: "${typed}" is no number`);
  }
  return value;
}

function Input({ field, value, change, suffix, id }: { field: Field; value: any; change: (value: any) => void; suffix: string; id: string }) {
  const all = descriptors.value!;
  const known = all.enum(field);
  if (field.unit === 'bool' && field.shape === 'one') {
    return <input id={id} type="checkbox" checked={!!value} onChange={(event) => change(event.currentTarget.checked ? 1 : 0)} />;
  }
  if (known !== undefined && field.enum !== undefined && field.shape === 'one') {
    return (
      <select id={id} value={String(value)} onChange={(event) => change(+event.currentTarget.value)}>
        {known.members.map((member) => (
          <option key={member.name} value={String(member.value)} title={member.doc}>
            {enumText(all, field, member.value)}
          </option>
        ))}
      </select>
    );
  }
  if (isText(field) || field.shape !== 'one') {
    const hint = isText(field) ? undefined : `${field.shape === 'fixed' ? field.length + ' ' : ''}numbers, with blanks between`;
    return <input id={id} type="text" value={value} placeholder={hint} onInput={(event) => change(event.currentTarget.value)} />;
  }
  const whole = /^[ui]/.test(field.type);
  return (
    <span class="unit">
      <input id={id} type="number" step={whole ? 1 : 'any'} min={field.type.startsWith('u') ? 0 : undefined} value={value} onInput={(event) => change(event.currentTarget.value)} />
      <small>{unitOf(field, suffix)}</small>
    </span>
  );
}

let numbers = 0;

export function Fields({ struct, value, change, suffix = '' }: { struct: Struct; value: any; change: (value: any) => void; suffix?: string }) {
  const all = descriptors.value!;
  const prefix = useSignal(`f${++numbers}`).value;
  return (
    <>
      {struct.fields.map((field) => {
        const inner = all.struct(field.type);
        const set = (one: any) => change({ ...value, [field.name]: one });
        const id = `${prefix}-${field.name}`;
        if (isCount(struct, field)) {
          return null;
        }
        if (inner !== undefined && field.shape === 'one') {
          return (
            <fieldset key={field.name}>
              <legend title={field.doc}>{words(field.name)}</legend>
              <Fields struct={inner} value={value[field.name]} change={set} suffix={suffixOf(field) || suffix} />
            </fieldset>
          );
        }
        if (inner !== undefined) {
          return <List key={field.name} field={field} inner={inner} value={value[field.name]} change={set} suffix={suffixOf(field) || suffix} />;
        }
        return (
          <div class="field" key={field.name}>
            <label for={id} title={field.doc}>
              {words(field.name)}
            </label>
            <Input id={id} field={field} value={value[field.name]} change={set} suffix={suffix} />
          </div>
        );
      })}
    </>
  );
}

function List({ field, inner, value, change, suffix }: { field: Field; inner: Struct; value: any[]; change: (value: any[]) => void; suffix: string }) {
  const all = descriptors.value!;
  return (
    <fieldset>
      <legend title={field.doc}>{words(field.name)}</legend>
      {value.map((one, i) => (
        <fieldset key={i}>
          <legend>{i + 1}</legend>
          <Fields struct={inner} value={one} suffix={suffix} change={(next) => change(value.map((old, k) => (k === i ? next : old)))} />
        </fieldset>
      ))}
      {field.shape !== 'fixed' && (
        <div class="row">
          <button type="button" onClick={() => change([...value, blank(all, inner)])}>
            Add
          </button>
          {value.length > 0 && (
            <button type="button" onClick={() => change(value.slice(0, -1))}>
              Remove
            </button>
          )}
        </div>
      )}
    </fieldset>
  );
}

/** A form with a button. `send` gets the message. */
export function MessageForm({ struct, action, disabled, send }: { struct: Struct | undefined; action: string; disabled: boolean; send: (value: any) => void }) {
  const all = descriptors.value!;
  const typed: Signal<any> = useSignal(blank(all, struct));
  const why = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    try {
      why.value = '';
      send(struct === undefined ? null : filled(all, struct, typed.value));
    } catch (error) {
      why.value = (error as Error).message;
    }
  };
  return (
    <form class="message" onSubmit={submit}>
      {struct !== undefined && <Fields struct={struct} value={typed.value} change={(value) => (typed.value = value)} />}
      <button type="submit" disabled={disabled}>
        {action}
      </button>
      {why.value !== '' && (
        <p class="bad" role="alert">
          {why.value}
        </p>
      )}
    </form>
  );
}
