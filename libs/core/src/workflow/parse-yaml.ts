import { Composer, isAlias, isMap, isScalar, LineCounter, Parser, visit, type CST, type Document } from 'yaml';

/*
 * Parses YAML of users within limits that keep parsing linear: size, tokens, depth, aliases and their expansion. Merge keys are rejected.
 */

/** Characters of a YAML text. */
export const MAX_YAML_CHARS = 256 * 1024;

/** Words, marks and line ends of a text. */
const MAX_TOKENS = 100_000;

/** Lists and maps inside each other. */
const MAX_DEPTH = 100;

/** Aliases of a document. */
const MAX_ALIASES = 100;

/** Values, and characters of texts, that a document has once its aliases are replaced. */
const MAX_VALUES = 200_000;
const MAX_CHARS = 1_000_000;

/** Thrown for a text that is not read. The message is one sentence; the offset counts UTF-16 units. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
  readonly offset: number;

  constructor(message: string, offset = 0) {
    super(message);
    this.offset = offset;
  }
}

/** A document that was read. */
export interface YamlText {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** Plain data; shared where aliases stood. */
  readonly value: unknown;
}

/**
 * Reads a text that holds one document of YAML 1.2 or JSON.
 * @returns null when there is no document in it
 * @throws YamlProblem for the first error
 */
export function readYaml(text: string): YamlText | null {
  if (text.length > MAX_YAML_CHARS)
    throw new YamlProblem(
      `The text has ${text.length} characters, at most ${MAX_YAML_CHARS} are read: make it shorter`,
    );
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
  // The library collects a thousand errors as readily as one.
  composer['onError'] = (source: Source, _code: string, message: string) => {
    // The error is rethrown with the position of the enclosing node.
    problem ??= new YamlProblem(message.split('\n')[0] ?? message, offsetOf(source));
    throw problem;
  };
  const [document, second] = [...composer.compose(rejectErrors(new BoundedParser(lines.addNewLine).parse(text)))];
  const [error] = document?.errors ?? [];
  if (error) throw new YamlProblem(error.message.split('\n')[0] ?? error.message, error.pos[0]);
  if (!document || document.contents === null) return null;
  if (second) throw new YamlProblem('A file holds one document; a second one begins here', second.range[0]);
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

/** Stops where a text has more tokens, or more depth, than is read. */
class BoundedParser extends Parser {
  private tokens = 0;

  override *next(source: string) {
    this.tokens += 1;
    if (this.tokens > MAX_TOKENS)
      throw new YamlProblem(`The text has more than ${MAX_TOKENS} words and marks: make it shorter`, this.offset);
    yield* super.next(source);
    if (this.stack.length > MAX_DEPTH + 2)
      throw new YamlProblem(`Lists and maps are more than ${MAX_DEPTH} deep here: make them flatter`, this.offset);
  }
}

/** Keys are texts, each once; aliases are few. */
function checkNodes(document: Document.Parsed): void {
  let aliases = 0;
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      aliases += 1;
      if (aliases > MAX_ALIASES)
        throw new YamlProblem(`There are more than ${MAX_ALIASES} aliases: write the values out`, node.range?.[0]);
    }
    if (!isMap(node)) return;
    const keys = new Set<string>();
    for (const { key } of node.items) {
      if (!isScalar(key)) throw new YamlProblem('A key is a text: write it as `name: value`', node.range?.[0]);
      const name = String(key.value);
      const at = key.range?.[0];
      if (name === '<<' && key.type === 'PLAIN')
        throw new YamlProblem('Merge keys (<<) are not supported: write the fields out', at);
      if (name === '__proto__') throw new YamlProblem('A key cannot be called __proto__: give it another name', at);
      if (keys.has(name)) throw new YamlProblem('Map keys must be unique: remove one of the two', at);
      keys.add(name);
    }
  });
}

function toPlainValue(document: Document.Parsed): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new YamlProblem(`Aliases are refused here: ${thrown.message}`);
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
      throw new YamlProblem('Aliases are refused here: they expand to too much; write fewer of them');
    if (typeof item === 'object' && item !== null) for (const inner of Object.values(item)) count(inner, depth + 1);
  };
  count(value, 0);
}
