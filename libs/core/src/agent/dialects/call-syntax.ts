/** A call in a text: `Click(10, 20)`, `type(content='x')`. */
export interface TextCall {
  readonly name: string;
  readonly args: readonly TextArgument[];
}

export interface TextArgument {
  /** Null: positional argument. */
  readonly key: string | null;
  readonly value: string;
  readonly quoted: boolean;
}

/** Longest text that is parsed, in characters. A longer text is not a list of actions. */
const MAX = 20_000;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Scans a text once, from left to right. */
class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text.slice(0, MAX);
  }

  get isOver(): boolean {
    this.skip(/\s/);
    return this.at >= this.text.length;
  }

  /** Skips separators between calls. @returns true if there was one */
  separators(): boolean {
    const from = this.at;
    this.skip(/[\s;,]/);
    return this.at > from;
  }

  /** @returns null if no call begins here, or it has no end */
  call(): TextCall | null {
    this.skip(/\s/);
    const name = this.word();
    if (name === '' || this.text[this.at] !== '(') return null;
    this.at += 1;
    const args: TextArgument[] = [];
    for (;;) {
      this.skip(/[\s,]/);
      const next = this.text[this.at];
      if (next === undefined) return null;
      if (next === ')') {
        this.at += 1;
        return { name, args };
      }
      const argument = this.argument();
      if (!argument) return null;
      args.push(argument);
    }
  }

  private argument(): TextArgument | null {
    const from = this.at;
    const key = this.word();
    this.skip(/\s/);
    const named = key !== '' && this.text[this.at] === '=';
    if (named) this.at += 1;
    else this.at = from;
    this.skip(/\s/);
    const open = this.text[this.at];
    if (open === '"' || open === "'") {
      const value = this.quoted(open);
      return value === null ? null : { key: named ? key : null, value, quoted: true };
    }
    const value = this.bare();
    return value === null ? null : { key: named ? key : null, value, quoted: false };
  }

  private quoted(quote: string): string | null {
    let value = '';
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at] ?? '';
      if (char === '\\') {
        this.at += 1;
        const next = this.text[this.at] ?? '';
        value += escapes[next] ?? next;
      } else if (char === quote) {
        this.at += 1;
        return value;
      } else value += char;
    }
    return null;
  }

  /** Reads an unquoted argument up to its comma or closing bracket. Nested brackets belong to it. */
  private bare(): string | null {
    let depth = 0;
    const from = this.at;
    for (; this.at < this.text.length; this.at += 1) {
      const char = this.text[this.at];
      if (char === '(' || char === '[' || char === '{') depth += 1;
      else if (depth > 0 && (char === ')' || char === ']' || char === '}')) depth -= 1;
      else if (depth === 0 && (char === ',' || char === ')')) {
        const value = this.text.slice(from, this.at).trim();
        return value === '' ? null : value;
      } else if (char === '\n' && depth === 0) return null;
    }
    return null;
  }

  private word(): string {
    const from = this.at;
    while (/\w/.test(this.text[this.at] ?? '')) this.at += 1;
    return this.text.slice(from, this.at);
  }

  private skip(what: RegExp): void {
    while (this.at < this.text.length && what.test(this.text[this.at] ?? '')) this.at += 1;
  }
}

/** Parses a text that consists of calls, separated by `;`, `,` or line breaks; null: any other text. */
export function parseCalls(text: string): TextCall[] | null {
  const reader = new Reader(text);
  const calls: TextCall[] = [];
  reader.separators();
  while (!reader.isOver) {
    const call = reader.call();
    if (!call) return null;
    calls.push(call);
    if (!reader.separators() && !reader.isOver) return null;
  }
  return calls.length > 0 ? calls : null;
}

/** Arguments by name. Positional arguments take the names in order. @returns null for duplicates or too many arguments */
export function namedArguments({ args }: TextCall, names: readonly string[]): Record<string, string> | null {
  const found: Record<string, string> = {};
  let position = 0;
  for (const { key, value } of args) {
    const name = key ?? names[position++];
    if (name === undefined || Object.hasOwn(found, name)) return null;
    found[name] = value;
  }
  return found;
}
