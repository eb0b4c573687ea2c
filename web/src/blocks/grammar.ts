// grammar.ts - programs as JSON (docs/play.md, "Blocks"), and what the compiler says of all kinds of blocks.

export type Item = { word?: string; slot?: string; type?: SlotType; list?: boolean; optional?: boolean };
export type SlotType = 'name' | 'class' | 'integer' | 'text' | 'command' | 'expression' | 'body';
export type StatementKind = { kind: string; category: string; place: 'top' | 'any' | 'branch'; help: string; items: Item[] };
export type ExpressionKind = { kind: string; text?: string; slots: { slot: string; list?: boolean }[] };
export type Grammar = {
  statements: StatementKind[];
  expressions: ExpressionKind[];
  operators: string[];
  units: string[];
  functions: { name: string; values: number }[];
  classes: string[];
  commands: string[];
  reserved: string[];
};
export type Comment = { text: string; blank?: boolean };
export type Expression = { kind: string; [slot: string]: any };
export type Statement = {
  kind: string;
  comments?: Comment[];
  blank?: boolean;
  tail?: string;
  end_tail?: string;
  end_comments?: Comment[];
  branches?: Statement[];
  body?: Statement[];
  [slot: string]: any;
};
export type Program = { version: number; body: Statement[]; end_comments?: Comment[] };

/** Slots and words that come and go together: `turn` with its value. */
export type Part = { items: Item[]; slot: Item | null; optional: boolean };

export function partsOf(items: Item[]): Part[] {
  const parts: Part[] = [];
  for (let i = 0; i < items.length; i++) {
    if (!items[i].optional) {
      parts.push({ items: [items[i]], slot: items[i].slot === undefined ? null : items[i], optional: false });
      continue;
    }
    const run: Item[] = [];
    while (i < items.length && items[i].optional) {
      run.push(items[i++]);
    }
    i--;
    parts.push({ items: run, slot: run.find((item) => item.slot !== undefined) ?? null, optional: true });
  }
  return parts;
}

/** What stands in the fields of a message besides slots: comments and blank lines. */
export const LAYOUT = ['comments', 'blank', 'tail', 'end_tail', 'end_comments'];

// ---- Lines -----------------------------------------------------------------------------------------

/** The line of every statement in the text of a program: one statement stands on one line. */
export function linesOf(grammar: Grammar, program: Program): Map<Statement, number> {
  const lines = new Map<Statement, number>();
  const ends = new Set(grammar.statements.filter((one) => one.items.some((item) => item.word === 'end')).map((one) => one.kind));
  let line = 0;
  const comments = (list: Comment[] | undefined) => list?.forEach((comment) => (line += comment.blank ? 2 : 1));
  const walk = (list: Statement[]) => {
    for (const statement of list) {
      comments(statement.comments);
      line += statement.blank ? 2 : 1;
      lines.set(statement, line);
      walk(statement.body ?? []);
      comments(statement.end_comments);
      walk(statement.branches ?? []);
      if (ends.has(statement.kind)) {
        line++;
      }
    }
  };
  walk(program.body);
  return lines;
}

// ---- Parentheses -----------------------------------------------------------------------------------

const LEVELS: Record<string, number> = { or: 1, and: 2, '=': 4, '<>': 4, '<': 4, '<=': 4, '>': 4, '>=': 4, '+': 5, '-': 5, '*': 6, '/': 6, mod: 6 };
const NOT = 3;
const COMPARISON = 4;
const NEGATIVE = 7;
const VALUE = 8;

function levelOf(expression: Expression): number {
  switch (expression.kind) {
    case 'binary':
      return LEVELS[expression.text] ?? 0;
    case 'not':
      return NOT;
    case 'negative':
      return NEGATIVE;
    case 'do':
      return 0; // it takes all that follows
    default:
      return VALUE;
  }
}

function atLeast(level: number, expression: Expression): Expression {
  const value = grouped(expression);
  return levelOf(value) < level ? { kind: 'group', value } : value;
}

/** The same expression, with parentheses where its text needs them: blocks need none. */
export function grouped(expression: Expression): Expression {
  switch (expression.kind) {
    case 'binary': {
      const level = LEVELS[expression.text] ?? 0;
      return { ...expression, left: atLeast(level === COMPARISON ? level + 1 : level, expression.left), right: atLeast(level + 1, expression.right) };
    }
    case 'not':
      return { ...expression, value: atLeast(NOT, expression.value) };
    case 'negative':
      return { ...expression, value: atLeast(NEGATIVE, expression.value) };
    case 'group':
      return { ...expression, value: grouped(expression.value) };
    case 'call':
    case 'do':
      return { ...expression, values: (expression.values ?? []).map((value: Expression) => atLeast(1, value)) };
    default:
      return expression;
  }
}
