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
const MAX_TEXT_CHARS = 20_000;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Scans a text once, from left to right. */
class Reader {
  private readonly text: string;
  private position = 0;

  constructor(text: string) {
    this.text = text.slice(0, MAX_TEXT_CHARS);
  }

  get isAtEnd(): boolean {
    this.skip(/\s/);
    return this.position >= this.text.length;
  }

  /** Skips separators between calls. @returns true if there was one */
  separators(): boolean {
    const start = this.position;
    this.skip(/[\s;,]/);
    return this.position > start;
  }

  /** @returns null if no call begins here, or it has no end */
  call(): TextCall | null {
    this.skip(/\s/);
    const name = this.word();
    if (name === '' || this.text[this.position] !== '(') return null;
    this.position += 1;
    const args: TextArgument[] = [];
    for (;;) {
      this.skip(/[\s,]/);
      const next = this.text[this.position];
      if (next === undefined) return null;
      if (next === ')') {
        this.position += 1;
        return { name, args };
      }
      const argument = this.argument();
      if (!argument) return null;
      args.push(argument);
    }
  }

  private argument(): TextArgument | null {
    const start = this.position;
    const key = this.word();
    this.skip(/\s/);
    const isNamed = key !== '' && this.text[this.position] === '=';
    if (isNamed) this.position += 1;
    else this.position = start;
    this.skip(/\s/);
    const quote = this.text[this.position];
    if (quote === '"' || quote === "'") {
      const value = this.quoted(quote);
      return value === null ? null : { key: isNamed ? key : null, value, quoted: true };
    }
    const value = this.bare();
    return value === null ? null : { key: isNamed ? key : null, value, quoted: false };
  }

  private quoted(quote: string): string | null {
    let value = '';
    for (this.position += 1; this.position < this.text.length; this.position += 1) {
      const char = this.text[this.position] ?? '';
      if (char === '\\') {
        this.position += 1;
        const next = this.text[this.position] ?? '';
        value += ESCAPES[next] ?? next;
      } else if (char === quote) {
        this.position += 1;
        return value;
      } else value += char;
    }
    return null;
  }

  /** Reads an unquoted argument up to its comma or closing bracket. Nested brackets belong to it. */
  private bare(): string | null {
    let depth = 0;
    const start = this.position;
    for (; this.position < this.text.length; this.position += 1) {
      const char = this.text[this.position];
      if (char === '(' || char === '[' || char === '{') depth += 1;
      else if (depth > 0 && (char === ')' || char === ']' || char === '}')) depth -= 1;
      else if (depth === 0 && (char === ',' || char === ')')) {
        const value = this.text.slice(start, this.position).trim();
        return value === '' ? null : value;
      } else if (char === '\n' && depth === 0) return null;
    }
    return null;
  }

  private word(): string {
    const start = this.position;
    while (/\w/.test(this.text[this.position] ?? '')) this.position += 1;
    return this.text.slice(start, this.position);
  }

  private skip(pattern: RegExp): void {
    while (this.position < this.text.length && pattern.test(this.text[this.position] ?? '')) this.position += 1;
  }
}

/** Parses a text that consists of calls, separated by `;`, `,` or line breaks; null: any other text. */
export function parseCalls(text: string): TextCall[] | null {
  const reader = new Reader(text);
  const calls: TextCall[] = [];
  reader.separators();
  while (!reader.isAtEnd) {
    const call = reader.call();
    if (!call) return null;
    calls.push(call);
    if (!reader.separators() && !reader.isAtEnd) return null;
  }
  return calls.length > 0 ? calls : null;
}

/** Arguments by name. Positional arguments take the names in order. @returns null for duplicates or too many arguments */
export function namedArguments({ args }: TextCall, names: readonly string[]): Record<string, string> | null {
  const argumentsByName: Record<string, string> = {};
  let position = 0;
  for (const { key, value } of args) {
    const name = key ?? names[position++];
    if (name === undefined || Object.hasOwn(argumentsByName, name)) return null;
    argumentsByName[name] = value;
  }
  return argumentsByName;
}
