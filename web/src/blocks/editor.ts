// editor.ts - the workspace of blocks: toolbox, colours, changes, the running line and live values.
import * as Blockly from 'blockly/core';
import * as En from 'blockly/msg/en';
import { isDark } from '../parts/theme';
import { COLOURS, define, Gap, programOf, showLive, workspaceState } from './define';
import { linesOf, type Expression, type Grammar, type Program, type Statement } from './grammar';

const CHANGE_MS = 350; // from the last change to a program

const ZERO = { shadow: { type: 'e_number', fields: { text: '0' } } };

/** What a new block has in a slot. */
function shadow(kind: string, slot: string): any {
  const texts: Record<string, any> = {
    'wait time': ['1', 's'],
    'drive power': ['50', ''],
    'move power': ['50', ''],
    'repeat count': ['4', ''],
    'tone pitch': ['440', 'Hz'],
    'tone time': ['0.5', 's'],
    'change amount': ['1', ''],
  };
  const known = texts[`${kind} ${slot}`];
  if (known !== undefined) {
    return { shadow: { type: 'e_number', fields: { text: known[0], unit: known[1] } } };
  }
  if (slot === 'condition') {
    return { shadow: { type: 'e_truth', fields: { text: 'true' } } };
  }
  return (kind === 'say' || kind === 'print' || kind === 'send') && slot !== 'channel' ? { shadow: { type: 'e_text', fields: { text: 'hello' } } } : ZERO;
}

function toolbox(grammar: Grammar): any {
  const categories = new Map<string, any[]>();
  for (const one of grammar.statements.filter((kind) => kind.place !== 'branch')) {
    const inputs: any = {};
    for (const item of one.items) {
      if (item.type === 'expression' && !item.optional) {
        inputs[item.list ? `${item.slot}0` : item.slot!] = shadow(one.kind, item.slot!);
      }
    }
    categories.set(one.category, [...(categories.get(one.category) ?? []), { kind: 'block', type: `s_${one.kind}`, inputs }]);
  }
  const binary = (text: string) => ({ kind: 'block', type: 'e_binary', fields: { text }, inputs: { left: ZERO, right: ZERO } });
  const value = (kind: string, fields: any = {}, inputs: any = {}) => ({ kind: 'block', type: `e_${kind}`, fields, inputs });
  categories.set('Values', [
    value('number', { text: '10' }),
    value('name'),
    value('text'),
    value('truth'),
    ...['+', '*', '<', '=', 'and'].map(binary),
    value('not', {}, { value: { shadow: { type: 'e_truth' } } }),
    value('negative', {}, { value: ZERO }),
    ...grammar.functions.map((one) => ({
      ...value('call', { text: one.name }, Object.fromEntries(Array.from({ length: one.values }, (_, i) => [`values${i}`, ZERO]))),
      extraState: { counts: { values: one.values }, there: [], branches: [] },
    })),
    value('do'),
    value('message'),
  ]);
  const order = ['Moving', 'Waiting', 'Deciding', 'Repeating', 'Names', 'Variables', 'Values', 'Acting', 'Telling'];
  const names = [...order.filter((name) => categories.has(name)), ...[...categories.keys()].filter((name) => !order.includes(name))];
  return { kind: 'categoryToolbox', contents: names.map((name) => ({ kind: 'category', name, colour: COLOURS[name] ?? COLOURS.Commands, contents: categories.get(name) })) };
}

function theme(dark: boolean): Blockly.Theme {
  return Blockly.Theme.defineTheme(dark ? 'troupe-dark' : 'troupe-light', {
    name: dark ? 'troupe-dark' : 'troupe-light',
    base: Blockly.Themes.Classic,
    fontStyle: { family: 'system-ui, sans-serif', size: 10.5 },
    startHats: false,
    componentStyles: dark
      ? { workspaceBackgroundColour: '#14181e', toolboxBackgroundColour: '#1a1e25', toolboxForegroundColour: '#dbe0e8', flyoutBackgroundColour: '#20252e', flyoutForegroundColour: '#dbe0e8', flyoutOpacity: 0.97, scrollbarColour: '#4a5362', insertionMarkerColour: '#fff', insertionMarkerOpacity: 0.3 }
      : { workspaceBackgroundColour: '#f6f3ec', toolboxBackgroundColour: '#fffdf9', toolboxForegroundColour: '#35302a', flyoutBackgroundColour: '#efeadf', flyoutForegroundColour: '#35302a', flyoutOpacity: 0.97, scrollbarColour: '#c3b9a5', insertionMarkerColour: '#000', insertionMarkerOpacity: 0.25 },
  } as any);
}

let defined = false;

export class Editor {
  /** The user has changed the blocks; the program, or why there is none. */
  onChange: (body: Statement[] | null, why: string) => void = () => {};
  private workspace: Blockly.WorkspaceSvg;
  private ids = new Map<string, Statement>();
  private lines = new Map<number, string>(); // block of each line
  private endComments: Program['end_comments'];
  private timer = 0;
  private running: string[] = [];
  private ends: (() => void)[] = [];
  private loading = false;

  constructor(
    place: HTMLElement,
    private readonly grammar: Grammar,
  ) {
    if (!defined) {
      Blockly.setLocale(En as any);
      define(grammar);
      defined = true;
    }
    this.workspace = Blockly.inject(place, {
      toolbox: toolbox(grammar),
      media: './',
      sounds: false,
      renderer: 'zelos',
      theme: theme(isDark.peek()),
      trashcan: true,
      move: { scrollbars: true, drag: true, wheel: true },
      zoom: { controls: true, wheel: false, startScale: 0.72, minScale: 0.3, maxScale: 2 },
      collapse: false,
      comments: true,
      disable: false,
    });
    this.workspace.addChangeListener((event) => this.changed(event));
    const observer = new ResizeObserver(() => Blockly.svgResize(this.workspace));
    observer.observe(place);
    this.ends.push(
      () => observer.disconnect(),
      isDark.subscribe((dark) => this.workspace.setTheme(theme(dark))),
    );
  }

  close(): void {
    clearTimeout(this.timer);
    this.ends.forEach((end) => end());
    this.workspace.dispose();
  }

  /** Shows another program. */
  load(program: Program): void {
    this.loading = true;
    clearTimeout(this.timer);
    const ids = new Map<string, Statement>();
    const scroll: [number, number] = [this.workspace.scrollX, this.workspace.scrollY];
    const fresh = this.workspace.getTopBlocks(false).length === 0;
    Blockly.Events.disable();
    try {
      Blockly.serialization.workspaces.load(workspaceState(this.grammar, program.body, ids), this.workspace);
    } finally {
      Blockly.Events.enable();
      this.loading = false;
    }
    if (fresh) {
      this.workspace.scrollCenter();
      this.workspace.scroll(24, 24);
    } else {
      this.workspace.scroll(...scroll);
    }
    this.endComments = program.end_comments;
    this.know(program.body, ids);
    this.running = [];
  }

  /** The program as JSON. Throws if a slot is empty. */
  program(): Program {
    const ids = new Map<string, Statement>();
    const body = programOf(this.grammar, this.workspace, ids);
    this.know(body, ids);
    return { version: 1, body, ...(this.endComments === undefined ? {} : { end_comments: this.endComments }) };
  }

  private know(body: Statement[], ids: Map<string, Statement>): void {
    const lines = linesOf(this.grammar, { version: 1, body });
    this.ids = ids;
    this.lines = new Map([...ids].map(([id, statement]) => [lines.get(statement) ?? 0, id]));
  }

  private changed(event: Blockly.Events.Abstract): void {
    if (event.isUiEvent || this.loading || event.type === Blockly.Events.FINISHED_LOADING) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.report(), CHANGE_MS);
  }

  private report(): void {
    if (this.workspace.isDragging()) {
      this.timer = setTimeout(() => this.report(), CHANGE_MS);
      return;
    }
    try {
      this.onChange(this.program().body, '');
    } catch (error) {
      if (!(error instanceof Gap)) {
        throw error;
      }
      this.onChange(null, error.message);
    }
  }

  /** Marks the blocks of the lines that run. */
  showLines(lines: number[]): void {
    const ids = lines.map((line) => this.lines.get(line)).filter((id) => id !== undefined);
    if (ids.join() === this.running.join()) {
      return;
    }
    this.running.filter((id) => !ids.includes(id)).forEach((id) => this.workspace.getBlockById(id)?.getSvgRoot().classList.remove('runs'));
    ids.forEach((id) => this.workspace.getBlockById(id)?.getSvgRoot().classList.add('runs'));
    this.running = ids;
  }

  /** Values of variables at the blocks that set them; none without values. */
  showValues(values: Map<string, string>): void {
    this.quietly(() => {
      for (const [id, statement] of this.ids) {
        const block = this.workspace.getBlockById(id);
        if (block !== null && (statement.kind === 'let' || statement.kind === 'change')) {
          const names: string[] = statement.kind === 'let' ? statement.names : [statement.name];
          const text = names.filter((name) => values.has(name)).map((name) => (names.length > 1 ? `${name} = ${values.get(name)}` : `= ${values.get(name)}`));
          showLive(block, text.join(', '));
        }
      }
    });
  }

  /** Mistakes of the compiler at the blocks of their lines. */
  showMistakes(mistakes: { line: number; text: string }[]): void {
    this.quietly(() => {
      for (const block of this.workspace.getAllBlocks(false)) {
        block.setWarningText(null);
      }
      for (const mistake of mistakes) {
        const id = this.lines.get(mistake.line);
        this.workspace.getBlockById(id ?? '')?.setWarningText(mistake.text);
      }
    });
  }

  private quietly(action: () => void): void {
    Blockly.Events.disable();
    try {
      action();
    } finally {
      Blockly.Events.enable();
    }
  }
}

export type { Expression };
