import { createContext, Script } from 'node:vm';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { Environment, type ASTNode, type ParseResult } from '@marcbachmann/cel-js';

/*
 * Expressions are CEL (Common Expression Language): no loops except over lists, no assignment, no I/O. Integers and floats mix, because
 * JSON has one number type. `matches` is removed, because its regular expressions may take exponential time.
 */

/** Timeout of an expression in milliseconds. Nested loops over long lists exceed it. */
const MAX_MS = 250;

/** Largest value of an expression, in characters of JSON. */
export const MAX_VALUE_CHARS = 1_000_000;

/** Maximum number of cached expressions. */
const MAX_CACHED = 500;

/** Variables of expressions. */
export interface ExpressionScope {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly vars: Readonly<Record<string, Json>>;
  readonly steps: Readonly<Record<string, { readonly value: Json }>>;
  /** Without the epoch, so that every attempt decides the same. */
  readonly run: { readonly id: string };
}

const roots = ['inputs', 'vars', 'steps', 'run'] as const;

const unsupportedFunctions = new Map([
  ['matches', 'use contains, startsWith or endsWith, or `pattern` of an extract step'],
  ['bind', 'use a `set` step to name the value'],
]);

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 },
});
for (const root of roots) environment.registerVariable(root, 'map');
const mixedOperators: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};
for (const [operator, calculate] of Object.entries(mixedOperators)) {
  const handle = (a: unknown, b: unknown) => calculate(Number(a), Number(b));
  environment.registerOperator(`double ${operator} int`, handle);
  environment.registerOperator(`int ${operator} double`, handle);
}
environment.registerOperator('double % double', mixedOperators['%'] as (a: unknown, b: unknown) => unknown);

/** @throws Error for a text that `split` and `join` do not take: they run to their end, whatever the timeout */
function assertTextLength(length: number): void {
  if (length > MAX_VALUE_CHARS)
    throw new Error(`it splits or joins a text with more than ${MAX_VALUE_CHARS} characters`);
}

/** Functions that replace those of CEL, by name of the original. */
const boundedFunctions = new Map([
  ['join', 'boundedJoin'],
  ['split', 'boundedSplit'],
]);

function boundedJoin(parts: readonly unknown[], separator = ''): string {
  let length = 0;
  for (const part of parts) {
    if (typeof part !== 'string') throw new Error('join takes a list of strings');
    length += part.length + separator.length;
    assertTextLength(length - separator.length);
  }
  return parts.join(separator);
}

function boundedSplit(text: string, separator: string, limit = -1): string[] {
  assertTextLength(text.length);
  const parts = text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return limit === 0 ? [] : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

environment.registerFunction('list<string>.boundedJoin(): string', boundedJoin);
environment.registerFunction('list<string>.boundedJoin(string): string', boundedJoin);
environment.registerFunction('string.boundedSplit(string): list<string>', boundedSplit);
environment.registerFunction(
  'string.boundedSplit(string, int): list<string>',
  (text: string, separator: string, limit: bigint) => boundedSplit(text, separator, Number(limit)),
);

/** A parsed expression. */
export interface Expression {
  readonly source: string;
  /** Referenced paths as far as they are static, e.g. `['steps', 'rows', 'value']`. */
  readonly names: readonly (readonly string[])[];
  readonly evaluate: ParseResult;
}

const cache = new Map<string, Expression>();

/**
 * Parses an expression.
 * @throws PilothouseError EXPRESSION_FAILED with the position of the error
 */
export function parseExpression(source: string): Expression {
  const cached = cache.get(source);
  if (cached) return cached;
  let parseResult: ParseResult;
  try {
    parseResult = environment.parse(source);
  } catch (thrown) {
    throw expressionError(source, thrown);
  }
  const names: string[][] = [];
  collectNames(parseResult.ast, new Set(), names);
  const typeCheck = parseResult.check();
  if (!typeCheck.valid) throw expressionError(source, typeCheck.error);
  const expression = { source, names, evaluate: parseResult };
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '');
  cache.set(source, expression);
  return expression;
}

/** Calls a function in a VM context, which has a timeout. */
const script = new Script('run()');
const sandbox = createContext({ run: (): unknown => undefined });

/**
 * Evaluates an expression to JSON.
 * @throws PilothouseError EXPRESSION_FAILED for a syntax error, an unknown name or a timeout
 */
export function evaluate(source: string, scope: ExpressionScope): Json {
  const expression = parseExpression(source);
  const { inputs, vars, steps, run } = scope;
  sandbox['run'] = () => expression.evaluate({ inputs, vars, steps, run });
  let value: Json;
  try {
    value = toJson(script.runInContext(sandbox, { timeout: MAX_MS }));
  } catch (thrown) {
    throw expressionError(source, thrown);
  }
  const size = JSON.stringify(value).length;
  if (size > MAX_VALUE_CHARS)
    throw expressionError(source, `its value has ${size} characters, more than ${MAX_VALUE_CHARS}`);
  return value;
}

/**
 * Evaluates a boolean expression.
 * @throws PilothouseError EXPRESSION_FAILED, also if the value is not a boolean
 */
export function evaluateBoolean(source: string, scope: ExpressionScope): boolean {
  const value = evaluate(source, scope);
  if (typeof value === 'boolean') return value;
  throw expressionError(source, `its value must be true or false, not ${jsonTypeName(value)}`);
}

/** Name of a value's type, for messages. */
export const jsonTypeName = (value: Json): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;

/** An error about an expression. */
export function expressionError(source: string, error: unknown): PilothouseError {
  const { summary, message, range, code } = (
    typeof error === 'object' && error !== null ? error : { message: String(error) }
  ) as { summary?: string; message?: string; range?: { start: number }; code?: string };
  const reason =
    code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      ? `it takes longer than ${MAX_MS} ms`
      : // Errors name the function that runs, not that of the author.
        (summary ?? message ?? '')
          .split('\n')[0]
          ?.replace(/\bbounded(Split|Join)\b/g, (_, name: string) => name.toLowerCase());
  const short = source.length > 200 ? `${source.slice(0, 199)}…` : source;
  const position = range ? ` (at character ${range.start + 1})` : '';
  return new PilothouseError('EXPRESSION_FAILED', `The expression \`${short}\`: ${reason ?? ''}${position}`);
}

/**
 * Converts a value to JSON. Lists of an expression may share their items, so a small expression can stand for a huge text: the conversion
 * ends at the limit.
 */
function toJson(value: unknown): Json {
  let size = 0;
  const grow = (chars: number) => {
    size += chars;
    if (size > MAX_VALUE_CHARS) throw new Error(`its value has more than ${MAX_VALUE_CHARS} characters`);
  };
  const entriesToJson = (entries: Iterable<[unknown, unknown]>): Json => {
    const converted: [string, Json][] = [];
    for (const [key, item] of entries) {
      grow(String(key).length + 4);
      converted.push([String(key), convert(item)]);
    }
    return Object.fromEntries(converted);
  };
  const convert = (item: unknown): Json => {
    switch (typeof item) {
      case 'string':
        grow(item.length + 2);
        return item;
      case 'boolean':
        grow(5);
        return item;
      case 'bigint':
        grow(1);
        return Number(item);
      case 'number':
        grow(1);
        if (Number.isFinite(item)) return item;
        throw new Error(`its value ${item} is not valid in JSON`);
      case 'object':
        break;
      default:
        throw new Error(`its value is a ${typeof item}, which is not valid in JSON`);
    }
    grow(2);
    if (item === null) return null;
    if (Array.isArray(item)) return item.map(convert);
    if (item instanceof Date) return item.toISOString();
    if (item instanceof Map) return entriesToJson(item);
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype === null || prototype === Object.prototype) return entriesToJson(Object.entries(item));
    throw new Error('its value is not valid in JSON: a type, bytes, a duration, or an optional without `orValue`');
  };
  return convert(value);
}

const isNode = (value: unknown): value is ASTNode => typeof value === 'object' && value !== null && 'op' in value;

/** Collects the names of an expression, except those that its loops bind. */
function collectNames(node: ASTNode, boundNames: ReadonlySet<string>, names: string[][]): void {
  const path = pathOf(node);
  if (path) {
    if (path[0] !== undefined && !boundNames.has(path[0])) names.push(path);
    return;
  }
  let inner = boundNames;
  if (node.op === 'rcall' || node.op === 'call') {
    const [name] = node.args;
    const error = unsupportedFunctions.get(name);
    if (error) throw expressionError(node.input, `${name} is not supported: ${error}`);
    if (node.op === 'rcall') node.args[0] = boundedFunctions.get(name) ?? name;
    const first = node.op === 'rcall' ? node.args[2][0] : undefined;
    if (first?.op === 'id' && loops.has(name)) inner = new Set([...boundNames, first.args]);
  }
  const walk = (value: unknown): void => {
    if (isNode(value)) collectNames(value, inner, names);
    else if (Array.isArray(value)) value.forEach(walk);
  };
  walk(node.args);
}

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** The path of a chain of fields; undefined for other nodes. */
function pathOf(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op === '.') {
    const parentPath = pathOf(node.args[0]);
    return parentPath && [...parentPath, node.args[1]];
  }
  if (node.op !== '[]') return undefined;
  const [list, key] = node.args;
  const listPath = pathOf(list);
  const literal = key.op === 'value' && (typeof key.args === 'string' || typeof key.args === 'bigint');
  return listPath && literal ? [...listPath, String(key.args)] : undefined;
}
