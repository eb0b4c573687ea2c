// define.ts - makes the blocks of the editor from the compiler's description, and turns them into JSON and back.
//
// A block keeps in its extra state how many elements its lists have, which optional parts are there, and the branches of
// an `if`. Small + and − signs change that.
import * as Blockly from 'blockly/core';
import { grouped, LAYOUT, partsOf, type Expression, type Grammar, type Item, type Statement, type StatementKind } from './grammar';

type State = { counts: Record<string, number>; there: string[]; branches: string[] };
type Shaped = Blockly.BlockSvg & { state: State; shape: () => void; live?: string };

export const COLOURS: Record<string, string> = {
  Names: '#56627a',
  Moving: '#1f6f94',
  Acting: '#0f7a70',
  Waiting: '#8a5a00',
  Deciding: '#a2452f',
  Repeating: '#2f7d4a',
  Variables: '#9a4b12',
  Functions: '#6b4a94',
  Tasks: '#9a3f73',
  Telling: '#4d6b1f',
  Messages: '#3d5aa8',
  Commands: '#5f5a52',
  Values: '#3f6278',
};

function sign(d: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#fff" fill-opacity=".25"/><path d="${d}" stroke="#fff" stroke-width="2"/></svg>`;
  return 'data:image/svg+xml,' + encodeURIComponent(svg);
}
const PLUS = sign('M4 8h8M8 4v8');
const MINUS = sign('M4 8h8');

/** A list to choose from that keeps a value that is not in it. */
function choice(values: string[], empty = ''): Blockly.FieldDropdown {
  return new Blockly.FieldDropdown(function (this: Blockly.FieldDropdown) {
    const own = this?.getValue?.() ?? '';
    const list = own === null || own === '' || values.includes(own) ? values : [own, ...values];
    return list.map((value) => [value === '' ? empty : value, value] as [string, string]);
  });
}

function field(grammar: Grammar, type: string, value: string): Blockly.Field {
  if (type === 'class' || type === 'command') {
    const made = choice(type === 'class' ? grammar.classes : grammar.commands);
    made.setValue(value || (type === 'class' ? grammar.classes[13] : grammar.commands[0]));
    return made;
  }
  const made = new Blockly.FieldTextInput(value || (type === 'integer' ? '0' : type === 'text' ? 'text' : 'name'));
  if (type === 'name') {
    made.setValidator((text: string) => (/^[A-Za-z_]\w*$/.test(text) ? text : null));
  } else if (type === 'integer') {
    made.setValidator((text: string) => (/^\d+$/.test(text) ? text : null));
  }
  return made;
}

/** Builds the inputs of a block anew, and keeps what is plugged in and typed. */
class Builder {
  private pending: [Blockly.Field, string?][] = [];
  private plugged = new Map<string, Blockly.Connection>();
  private typed = new Map<string, any>();
  private number = 0;

  constructor(
    private readonly grammar: Grammar,
    private readonly block: Shaped,
  ) {
    for (const input of block.inputList) {
      const target = input.connection?.targetConnection;
      if (target) {
        this.plugged.set(input.name, target);
        target.disconnect();
      }
      input.fieldRow.forEach((one) => one.name && this.typed.set(one.name, one.getValue()));
    }
    [...block.inputList].forEach((input) => block.removeInput(input.name));
  }

  word(text: string): void {
    this.pending.push([new Blockly.FieldLabel(text)]);
  }

  put(type: string, name: string): void {
    this.pending.push([field(this.grammar, type, this.typed.get(name) ?? ''), name]);
  }

  own(made: Blockly.Field, name: string): void {
    const old = this.typed.get(name);
    if (old !== undefined) {
      made.setValue(old);
    }
    this.pending.push([made, name]);
  }

  press(image: string, alt: string, action: () => void): void {
    const change = () => {
      const before = JSON.stringify(this.block.state);
      action();
      this.block.shape();
      Blockly.Events.fire(new (Blockly.Events.get(Blockly.Events.BLOCK_CHANGE))(this.block, 'mutation', null, before, JSON.stringify(this.block.state)));
    };
    this.pending.push([new Blockly.FieldImage(image, 15, 15, alt, () => setTimeout(change))]);
  }

  value(name: string): void {
    this.flush(this.block.appendValueInput(name));
  }

  body(name: string): void {
    this.end();
    this.flush(this.block.appendStatementInput(name).setCheck('any'));
  }

  end(): void {
    if (this.pending.length > 0) {
      this.flush(this.block.appendDummyInput(`_${this.number++}`));
    }
  }

  /** Plugs in again what was there. */
  finish(): void {
    this.end();
    for (const [name, connection] of this.plugged) {
      const own = this.block.getInput(name)?.connection;
      if (own) {
        own.connect(connection);
      } else if (connection.getSourceBlock().isShadow()) {
        connection.getSourceBlock().dispose(false);
      }
    }
  }

  private flush(input: Blockly.Input): void {
    this.pending.forEach(([made, name]) => input.appendField(made, name));
    this.pending = [];
  }
}

// ---- Statements --------------------------------------------------------------------------------------

function putItem(builder: Builder, block: Shaped, item: Item, prefix: string): void {
  if (item.word !== undefined) {
    if (item.word !== 'end') {
      builder.word(item.word);
    }
    return;
  }
  const name = prefix + item.slot!;
  const count = item.list ? block.state.counts[name] ?? (item.optional ? 0 : 1) : 1;
  for (let i = 0; i < count; i++) {
    const place = item.list ? `${name}${i}` : name;
    if (item.type === 'expression') {
      if (i > 0) {
        builder.word(',');
      }
      builder.value(place);
    } else if (item.type === 'body') {
      builder.body(place);
    } else {
      if (i > 0) {
        builder.word(',');
      }
      builder.put(item.type!, place);
    }
  }
  if (item.list) {
    const least = item.optional ? 0 : 1;
    builder.press(PLUS, `one more of ${item.slot}`, () => (block.state.counts[name] = count + 1));
    if (count > least) {
      builder.press(MINUS, `one less of ${item.slot}`, () => (block.state.counts[name] = count - 1));
    }
  }
}

function putItems(builder: Builder, block: Shaped, items: Item[], prefix: string): void {
  for (const part of partsOf(items)) {
    const name = prefix + (part.slot?.slot ?? '');
    const alone = part.items.length === 1;
    if (!part.optional || (part.slot?.list && alone)) {
      part.items.forEach((item) => putItem(builder, block, item, prefix));
      continue;
    }
    const text = part.items.find((item) => item.word !== undefined && /\w/.test(item.word))?.word ?? part.slot!.slot!;
    if (part.slot!.list ? (block.state.counts[name] ?? 0) > 0 : block.state.there.includes(name)) {
      part.items.forEach((item) => putItem(builder, block, item, prefix));
      if (!part.slot!.list) {
        builder.press(MINUS, `without ${text}`, () => (block.state.there = block.state.there.filter((one) => one !== name)));
      }
    } else {
      builder.press(PLUS, `with ${text}`, () => {
        if (part.slot!.list) {
          block.state.counts[name] = 1;
        } else {
          block.state.there = [...block.state.there, name];
        }
      });
    }
  }
}

function putBranches(builder: Builder, block: Shaped, grammar: Grammar): void {
  const kinds = new Map(grammar.statements.filter((one) => one.place === 'branch').map((one) => [one.kind, one]));
  const { branches } = block.state;
  branches.forEach((kind, i) => {
    builder.end();
    putItems(builder, block, kinds.get(kind)!.items, `b${i}_`);
  });
  const add = (kind: string) => {
    const at = branches.includes('else') ? branches.length - 1 : branches.length;
    block.state.branches = kind === 'else' ? [...branches, kind] : [...branches.slice(0, at), kind, ...branches.slice(at)];
  };
  builder.word('else if');
  builder.press(PLUS, 'one more else if', () => add('else_if'));
  if (!branches.includes('else')) {
    builder.word('else');
    builder.press(PLUS, 'with else', () => add('else'));
  }
  if (branches.length > 0) {
    builder.press(MINUS, 'without the last branch', () => (block.state.branches = branches.slice(0, -1)));
  }
}

function defineStatement(grammar: Grammar, one: StatementKind): void {
  const last = one.items[one.items.length - 1];
  Blockly.Blocks[`s_${one.kind}`] = {
    init(this: Shaped) {
      this.state = { counts: {}, there: [], branches: [] };
      this.setColour(COLOURS[one.category] ?? COLOURS.Commands);
      this.setTooltip(one.help);
      this.setInputsInline(true);
      this.setPreviousStatement(true, one.place === 'top' ? 'top' : 'any');
      this.setNextStatement(true);
      this.shape();
    },
    shape(this: Shaped) {
      const builder = new Builder(grammar, this);
      putItems(builder, this, one.items.filter((item) => item !== last || item.word !== 'end'), '');
      if (one.kind === 'if') {
        putBranches(builder, this, grammar);
      }
      builder.finish();
      if (this.live !== undefined) {
        showLive(this, this.live);
      }
    },
    saveExtraState(this: Shaped) {
      return this.state;
    },
    loadExtraState(this: Shaped, state: State | string) {
      this.state = structuredClone(typeof state === 'string' ? JSON.parse(state) : state);
      this.shape();
    },
  };
}

/** A value behind a block while the program runs; '' for none. */
export function showLive(block: Blockly.Block, text: string): void {
  const shaped = block as Shaped;
  const old = shaped.getField('_live');
  shaped.live = text === '' ? undefined : text;
  if (old !== null) {
    if (text === '') {
      shaped.removeInput('_liveinput');
    } else if (old.getValue() !== text) {
      old.setValue(text);
    }
  } else if (text !== '') {
    const label = new Blockly.FieldLabel(text, 'live-value');
    const input = shaped.appendDummyInput('_liveinput').appendField(label, '_live');
    const first = shaped.inputList.find((one) => one.type === Blockly.inputs.inputTypes.STATEMENT);
    if (first !== undefined) {
      shaped.moveInputBefore(input.name, first.name);
    }
  }
}

// ---- Expressions -------------------------------------------------------------------------------------

function defineExpression(grammar: Grammar, kind: string, build: (builder: Builder, block: Shaped) => void): void {
  Blockly.Blocks[`e_${kind}`] = {
    init(this: Shaped) {
      this.state = { counts: {}, there: [], branches: [] };
      this.setColour(kind === 'do' ? COLOURS.Commands : kind === 'call' ? COLOURS.Functions : kind === 'name' ? COLOURS.Variables : COLOURS.Values);
      this.setInputsInline(true);
      this.setOutput(true);
      this.shape();
    },
    shape(this: Shaped) {
      const builder = new Builder(grammar, this);
      build(builder, this);
      builder.finish();
    },
    saveExtraState(this: Shaped) {
      return this.state;
    },
    loadExtraState(this: Shaped, state: State | string) {
      this.state = structuredClone(typeof state === 'string' ? JSON.parse(state) : state);
      this.shape();
    },
  };
}

function list(builder: Builder, block: Shaped): void {
  const count = block.state.counts.values ?? 0;
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      builder.word(',');
    }
    builder.value(`values${i}`);
  }
  builder.press(PLUS, 'one more value', () => (block.state.counts.values = count + 1));
  if (count > 0) {
    builder.press(MINUS, 'one value less', () => (block.state.counts.values = count - 1));
  }
}

const EXPRESSIONS: Record<string, (grammar: Grammar) => (builder: Builder, block: Shaped) => void> = {
  number: (grammar) => (builder) => {
    const text = new Blockly.FieldTextInput('0');
    text.setValidator((value: string) => (/^\d+(\.\d+)?$/.test(value) ? value : null));
    builder.own(text, 'text');
    builder.own(choice(['', ...grammar.units], '·'), 'unit');
  },
  text: () => (builder) => {
    builder.word('“');
    builder.own(new Blockly.FieldTextInput('text'), 'text');
    builder.word('”');
  },
  truth: () => (builder) => builder.own(choice(['true', 'false']), 'text'),
  name: () => (builder) => builder.put('name', 'text'),
  binary: (grammar) => (builder) => {
    builder.value('left');
    builder.own(choice(grammar.operators), 'text');
    builder.value('right');
  },
  negative: () => (builder) => {
    builder.word('−');
    builder.value('value');
  },
  not: () => (builder) => {
    builder.word('not');
    builder.value('value');
  },
  group: () => (builder) => {
    builder.word('(');
    builder.value('value');
    builder.word(')');
  },
  call: () => (builder, block) => {
    builder.put('name', 'text');
    list(builder, block);
  },
  do: (grammar) => (builder, block) => {
    builder.word('do');
    builder.own(choice(grammar.commands), 'text');
    list(builder, block);
  },
  message: () => (builder) => {
    builder.word('message from');
    builder.put('name', 'channel');
  },
};

export function define(grammar: Grammar): void {
  grammar.statements.filter((one) => one.place !== 'branch').forEach((one) => defineStatement(grammar, one));
  grammar.expressions.forEach((one) => EXPRESSIONS[one.kind] && defineExpression(grammar, one.kind, EXPRESSIONS[one.kind](grammar)));
}

// ---- Blocks of JSON ------------------------------------------------------------------------------------

function expressionState(value: Expression): any {
  const state: any = { type: `e_${value.kind}`, fields: {}, inputs: {}, extraState: { counts: {}, there: [], branches: [] } };
  if (value.text !== undefined) {
    state.fields.text = String(value.text);
  }
  if (value.kind === 'number') {
    state.fields.unit = value.unit ?? '';
  } else if (value.kind === 'message') {
    state.fields.channel = typeof value.channel === 'string' ? value.channel : value.channel.text;
  }
  for (const slot of ['left', 'right', 'value']) {
    if (value[slot] !== undefined) {
      state.inputs[slot] = { block: expressionState(value[slot]) };
    }
  }
  if (Array.isArray(value.values)) {
    state.extraState.counts.values = value.values.length;
    value.values.forEach((one: Expression, i: number) => (state.inputs[`values${i}`] = { block: expressionState(one) }));
  }
  return state;
}

function fillSlots(state: any, items: Item[], statement: Statement, prefix: string, ids: Map<string, Statement>): void {
  for (const item of items) {
    const value = item.slot === undefined ? undefined : statement[item.slot];
    const name = prefix + (item.slot ?? '');
    if (value === undefined) {
      continue;
    }
    if (item.list) {
      state.extraState.counts[name] = value.length;
    } else if (item.optional) {
      state.extraState.there.push(name);
    }
    (item.list ? value : [value]).forEach((one: any, i: number) => {
      const place = item.list ? `${name}${i}` : name;
      if (item.type === 'expression') {
        state.inputs[place] = { block: expressionState(one) };
      } else if (item.type !== 'body') {
        state.fields[place] = String(one);
      }
    });
    if (item.type === 'body' && value.length > 0) {
      state.inputs[name] = { block: stackState(value, ids) };
    }
  }
}

let grammarInUse: Grammar;

function statementState(statement: Statement, ids: Map<string, Statement>): any {
  const kind = grammarInUse.statements.find((one) => one.kind === statement.kind)!;
  const id = Blockly.utils.idGenerator.genUid();
  const state: any = { type: `s_${statement.kind}`, id, fields: {}, inputs: {}, extraState: { counts: {}, there: [], branches: [] } };
  fillSlots(state, kind.items, statement, '', ids);
  (statement.branches ?? []).forEach((branch, i) => {
    state.extraState.branches.push(branch.kind);
    fillSlots(state, grammarInUse.statements.find((one) => one.kind === branch.kind)!.items, branch, `b${i}_`, ids);
  });
  const layout: any = Object.fromEntries(LAYOUT.filter((name) => statement[name] !== undefined).map((name) => [name, statement[name]]));
  layout.branches = (statement.branches ?? []).map((branch) => Object.fromEntries(LAYOUT.filter((name) => branch[name] !== undefined).map((name) => [name, branch[name]])));
  state.data = JSON.stringify(layout);
  ids.set(id, statement);
  return state;
}

function stackState(list: Statement[], ids: Map<string, Statement>): any {
  const states = list.map((statement) => statementState(statement, ids));
  for (let i = states.length - 2; i >= 0; i--) {
    states[i].next = { block: states[i + 1] };
  }
  return states[0];
}

/** The state of a workspace for a program; `ids` gets the statement of each block. */
export function workspaceState(grammar: Grammar, body: Statement[], ids: Map<string, Statement>): any {
  grammarInUse = grammar;
  return { blocks: { languageVersion: 0, blocks: body.length === 0 ? [] : [{ ...stackState(body, ids), x: 24, y: 24 }] } };
}

// ---- JSON of blocks ------------------------------------------------------------------------------------

export class Gap extends Error {
  constructor(
    readonly block: Blockly.Block,
    message: string,
  ) {
    super(message);
  }
}

function plugged(block: Blockly.Block, name: string): Expression {
  const inner = block.getInputTargetBlock(name);
  if (inner === null) {
    throw new Gap(block, `a block is missing: the value of “${name.replace(/^b\d+_/, '').replace(/\d+$/, '')}” in “${block.toString().slice(0, 40)}”`);
  }
  return expressionOf(inner);
}

function expressionOf(block: Blockly.Block): Expression {
  const kind = block.type.slice(2);
  const value: Expression = { kind };
  const text = block.getFieldValue('text');
  const state = (block as Shaped).state;
  if (kind === 'message') {
    value.channel = { kind: 'name', text: block.getFieldValue('channel') };
    return value;
  }
  if (kind === 'truth') {
    value.text = text;
  } else if (text !== null) {
    value.text = text;
  }
  if (kind === 'number' && block.getFieldValue('unit')) {
    value.unit = block.getFieldValue('unit');
  }
  for (const slot of kind === 'binary' ? ['left', 'right'] : ['negative', 'not', 'group'].includes(kind) ? ['value'] : []) {
    value[slot] = plugged(block, slot);
  }
  if (kind === 'call' || kind === 'do') {
    value.values = Array.from({ length: state.counts.values ?? 0 }, (_, i) => plugged(block, `values${i}`));
  }
  return value;
}

function readSlots(grammar: Grammar, statement: Statement, block: Blockly.Block, items: Item[], prefix: string, ids: Map<string, Statement>): void {
  const state = (block as Shaped).state;
  for (const item of items) {
    if (item.slot === undefined) {
      continue;
    }
    const name = prefix + item.slot;
    const read = (place: string) => (item.type === 'expression' ? grouped(plugged(block, place)) : block.getFieldValue(place));
    if (item.type === 'body') {
      statement[item.slot] = stackOf(grammar, block.getInputTargetBlock(name), ids);
    } else if (item.list) {
      const count = state.counts[name] ?? (item.optional ? 0 : 1);
      if (count > 0 || !item.optional) {
        statement[item.slot] = Array.from({ length: count }, (_, i) => read(`${name}${i}`));
      }
    } else if (!item.optional || state.there.includes(name)) {
      statement[item.slot] = read(name);
    }
  }
}

function statementOf(grammar: Grammar, block: Blockly.Block, ids: Map<string, Statement>): Statement {
  const kind = block.type.slice(2);
  const statement: Statement = { kind };
  const layout = block.data ? JSON.parse(block.data) : {};
  LAYOUT.forEach((name) => layout[name] !== undefined && (statement[name] = layout[name]));
  readSlots(grammar, statement, block, grammar.statements.find((one) => one.kind === kind)!.items, '', ids);
  const { branches } = (block as Shaped).state;
  if (branches.length > 0) {
    statement.branches = branches.map((name, i) => {
      const branch: Statement = { kind: name, ...(layout.branches?.[i] ?? {}) };
      readSlots(grammar, branch, block, grammar.statements.find((one) => one.kind === name)!.items, `b${i}_`, ids);
      return branch;
    });
  }
  ids.set(block.id, statement);
  return statement;
}

function stackOf(grammar: Grammar, first: Blockly.Block | null, ids: Map<string, Statement>): Statement[] {
  const list: Statement[] = [];
  for (let block = first; block !== null; block = block.getNextBlock()) {
    list.push(statementOf(grammar, block, ids));
  }
  return list;
}

/** The program of a workspace: its stacks from the top to the bottom. Values that are not plugged in do not count. */
export function programOf(grammar: Grammar, workspace: Blockly.Workspace, ids: Map<string, Statement>): Statement[] {
  return workspace.getTopBlocks(true).filter((block) => block.type.startsWith('s_')).flatMap((block) => stackOf(grammar, block, ids));
}
