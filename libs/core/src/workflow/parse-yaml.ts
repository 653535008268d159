import { Composer, isAlias, isMap, isScalar, LineCounter, Parser, visit, type CST, type Document } from 'yaml';

/*
 * Parses YAML of users within limits that keep parsing linear: size, tokens, depth, aliases and their expansion. Merge keys are rejected.
 */

/** Maximum characters of a YAML text. */
export const MAX_YAML_CHARS = 256 * 1024;

/** Maximum number of tokens: words, marks and line ends. */
const MAX_TOKENS = 100_000;

/** Maximum nesting of lists and maps. */
const MAX_DEPTH = 100;

/** Maximum number of aliases. */
const MAX_ALIASES = 100;

/** Maximum number of values, and of text characters, after the aliases are replaced. */
const MAX_VALUES = 200_000;
const MAX_CHARS = 1_000_000;

/** Thrown for invalid YAML. The message is one sentence; the offset counts UTF-16 units. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
  readonly offset: number;

  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}

/** A parsed document. */
export interface YamlText {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** Plain data. Aliased values are shared. */
  readonly value: unknown;
}

/**
 * Reads a text that holds one document of YAML 1.2 or JSON.
 * @returns null without a document
 * @throws YamlProblem for the first error
 */
export function readYaml(text: string): YamlText | null {
  if (text.length > MAX_YAML_CHARS)
    throw new YamlProblem(`The file has ${text.length} characters, more than ${MAX_YAML_CHARS}: make it shorter`);
  const lines = new LineCounter();
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  let problem: YamlProblem | undefined;
  // Stops at the first error. The library would collect a thousand.
  composer['onError'] = (source: Source, _code: string, message: string) => {
    // The error is rethrown with the position of the enclosing node.
    problem ??= new YamlProblem(message.split('\n')[0] ?? message, offsetOf(source));
    throw problem;
  };
  const [document, second] = [...composer.compose(rejectErrors(new BoundedParser(lines.addNewLine).parse(text)))];
  const [error] = document?.errors ?? [];
  if (error) throw new YamlProblem(error.message.split('\n')[0] ?? error.message, error.pos[0]);
  if (!document || document.contents === null) return null;
  if (second) throw new YamlProblem('The file has a second YAML document: keep only one', second.range[0]);
  checkNodes(document);
  return { document, lines, value: toPlainValue(document) };
}

/** Position of a parser error: an offset, a range or a token. */
type Source = number | [number, number] | { offset: number };

const offsetOf = (source: Source): number =>
  typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;

/** @throws YamlProblem for the first unexpected token */
function* rejectErrors(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  for (const token of tokens) {
    if (token.type === 'error') {
      const { message, source, offset } = token;
      throw new YamlProblem(source ? `${message}: ${JSON.stringify(source.slice(0, 50))}` : message, offset);
    }
    yield token;
  }
}

/** Parser that stops at the maximum number of tokens or the maximum depth. */
class BoundedParser extends Parser {
  private tokens = 0;

  override *next(source: string) {
    this.tokens += 1;
    if (this.tokens > MAX_TOKENS)
      throw new YamlProblem(`The file has more than ${MAX_TOKENS} YAML tokens: make it shorter`, this.offset);
    yield* super.next(source);
    if (this.stack.length > MAX_DEPTH + 2)
      throw new YamlProblem(
        `Lists and maps are nested more than ${MAX_DEPTH} levels deep: make them flatter`,
        this.offset,
      );
  }
}

/** Checks that keys are unique strings, and limits the number of aliases. */
function checkNodes(document: Document.Parsed): void {
  let aliases = 0;
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      aliases += 1;
      if (aliases > MAX_ALIASES)
        throw new YamlProblem(`The file has more than ${MAX_ALIASES} aliases: write the values out`, node.range?.[0]);
    }
    if (!isMap(node)) return;
    const keys = new Set<string>();
    for (const { key } of node.items) {
      if (!isScalar(key)) throw new YamlProblem('A key must be a string: write it as `name: value`', node.range?.[0]);
      const name = String(key.value);
      const offset = key.range?.[0];
      if (name === '<<' && key.type === 'PLAIN')
        throw new YamlProblem('Merge keys (<<) are not supported: write the fields out', offset);
      if (name === '__proto__') throw new YamlProblem('The key __proto__ is not allowed: use another name', offset);
      if (keys.has(name)) throw new YamlProblem('This key is duplicated: remove one of the two', offset);
      keys.add(name);
    }
  });
}

function toPlainValue(document: Document.Parsed): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new YamlProblem(`This alias cannot be resolved: ${thrown.message}`);
    throw thrown;
  }
  checkExpanded(value);
  return value;
}

/** Counts an aliased node once for each alias. */
function checkExpanded(value: unknown): void {
  let values = 0;
  let chars = 0;
  const count = (item: unknown, depth: number): void => {
    values += 1;
    if (typeof item === 'string') chars += item.length;
    if (values > MAX_VALUES || chars > MAX_CHARS || depth > 2 * MAX_DEPTH)
      throw new YamlProblem('The aliases expand to too many values: use fewer of them');
    if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) count(inner, depth + 1);
  };
  count(value, 0);
}
