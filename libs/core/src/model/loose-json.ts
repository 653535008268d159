/*
 * JSON as small models write it: with single quotes, trailing commas, `True`, `False` and `None`, names without quotes, and line breaks in
 * strings. Each has only one meaning. A value without an end is not read: its last number or text may be cut off.
 */

/** A value, and the position after it. */
export interface LooseValue {
  readonly value: unknown;
  readonly end: number;
}

/** Maximum depth of nested values. */
const MAX_DEPTH = 64;

const WORDS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' },
  ...{ '"': '"', "'": "'", '`': '`', '/': '/', '\\': '\\', '\n': '\n' },
};

/** Thrown inside this file. */
class Unreadable extends Error {}

/** Reads the object or list that starts at a position, in linear time. @returns null: there is none, or it has no end */
export function readLooseValue(text: string, start = 0): LooseValue | null {
  const reader = new Reader(text, start);
  try {
    if (!'{['.includes(reader.next() || ' ')) return null;
    return { value: reader.value(0), end: reader.position };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return null;
    throw thrown;
  }
}

/** Parses a text that is one object or one list. @returns undefined: any other text */
export function parseLooseJson(text: string): unknown {
  const read = readLooseValue(text);
  return read && text.slice(read.end).trim() === '' ? read.value : undefined;
}

class Reader {
  position: number;
  private readonly text: string;

  constructor(text: string, start: number) {
    this.text = text;
    this.position = start;
  }

  /** The next character that is not white space; empty: the text has ended. */
  next(): string {
    while (' \t\r\n\uFEFF'.includes(this.text[this.position] ?? 'x')) this.position += 1;
    return this.text[this.position] ?? '';
  }

  value(depth: number): unknown {
    const first = this.next();
    if (depth > MAX_DEPTH) throw new Unreadable();
    if (first === '{') return this.object(depth);
    if (first === '[') return this.list(depth);
    if (first === '"' || first === "'") return this.string(first);
    const word = this.word();
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (/^-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/.test(word)) return Number(word);
    throw new Unreadable();
  }

  private object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.items('}', () => {
      const first = this.next();
      const name = first === '"' || first === "'" ? this.string(first) : this.name();
      if (this.next() !== ':') throw new Unreadable();
      this.position += 1;
      entries.push([name, this.value(depth + 1)]);
    });
    // A repeated name has two meanings.
    if (new Set(entries.map(([name]) => name)).size < entries.length) throw new Unreadable();
    return Object.fromEntries(entries);
  }

  private list(depth: number): unknown[] {
    const values: unknown[] = [];
    this.items(']', () => values.push(this.value(depth + 1)));
    return values;
  }

  /** Reads items between commas. The last one may have a comma too. */
  private items(close: string, read: () => void): void {
    this.position += 1;
    while (this.next() !== close) {
      read();
      const separator = this.next();
      if (separator === ',') this.position += 1;
      else if (separator !== close) throw new Unreadable();
    }
    this.position += 1;
  }

  private string(quote: string): string {
    let value = '';
    for (this.position += 1; this.position < this.text.length; this.position += 1) {
      const char = this.text[this.position] ?? '';
      if (char === quote) {
        this.position += 1;
        return value;
      }
      value += char === '\\' ? this.escape() : char;
    }
    throw new Unreadable();
  }

  private escape(): string {
    this.position += 1;
    const char = this.text[this.position] ?? '';
    if (char !== 'u') {
      const escaped = ESCAPES[char];
      // An unknown escape may be the backslash of a path.
      if (escaped === undefined) throw new Unreadable();
      return escaped;
    }
    const code = this.text.slice(this.position + 1, this.position + 5);
    if (!/^[\da-fA-F]{4}$/.test(code)) throw new Unreadable();
    this.position += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  private name(): string {
    const name = this.word();
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Unreadable();
    return name;
  }

  private word(): string {
    const start = this.position;
    while (/[\w.+-]/.test(this.text[this.position] ?? ' ')) this.position += 1;
    return this.text.slice(start, this.position);
  }
}
