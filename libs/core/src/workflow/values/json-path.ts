import { FunctionExpressionType, JSONPathEnvironment, type FilterFunction, type JSONPathQuery } from 'json-p3';
import { compilePattern, MAX_MATCH_STEPS, PatternError, patternProblem } from '../../regex/linear-regex.ts';

/*
 * JSONPath (RFC 9535). Its functions `match` and `search` run in linear time. Their patterns may come from the document that is read:
 * an unsupported pattern matches nothing, as the RFC requires.
 */

/** Maximum instructions × characters of the patterns of one query. */
const MAX_QUERY_STEPS = 4 * MAX_MATCH_STEPS;

/** Maximum number of values that a query may visit and find, including queries in its filters. */
const MAX_QUERY_NODES = 500_000;

/** Counters of the current query: pattern steps, and visited and found nodes. Queries are synchronous. */
let steps = 0;
let nodes = 0;

/** @param wrap converts the pattern of the path for the function */
const patternFunction = (wrap: (source: string) => string): FilterFunction => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, source: unknown) => {
    if (typeof text !== 'string' || typeof source !== 'string' || patternProblem(wrap(source)) !== null) return false;
    const pattern = compilePattern(wrap(source));
    steps += pattern.size * text.length;
    if (steps > MAX_QUERY_STEPS)
      throw new PatternError(
        'The values are too long for the patterns of the path: read a smaller part of the document',
      );
    return pattern.test(text);
  },
});

const environment = new JSONPathEnvironment();
const patternFunctions: Record<string, (source: string) => string> = {
  match: (source) => `^(?:${source})$`,
  search: (source) => source,
};
for (const [name, wrap] of Object.entries(patternFunctions))
  environment.functionRegister.set(name, patternFunction(wrap));

/** Parts of a compiled query: segments, selectors, expressions, and those of the queries in its filters. */
function* walkQuery(part: unknown): Generator<object> {
  if (typeof part !== 'object' || part === null || part === environment) return;
  yield part;
  for (const [key, inner] of Object.entries(part)) if (key !== 'token') yield* walkQuery(inner);
}

/** Reason why a literal pattern of a path is unsupported; null: all are supported. */
function queryProblem(query: JSONPathQuery): string | null {
  for (const part of walkQuery(query)) {
    const { name, args } = part as { name?: unknown; args?: unknown };
    const wrap = typeof name === 'string' && Array.isArray(args) ? patternFunctions[name] : undefined;
    const source = wrap && (args as { value?: unknown }[])[1]?.value;
    if (!wrap || typeof source !== 'string') continue;
    const problem = patternProblem(wrap(source));
    if (problem !== null) return `the pattern ${JSON.stringify(source)} of ${name}(): ${problem}`;
  }
  return null;
}

/** A segment of a query. Its nodes are counted. */
interface Segment {
  lazyResolve(nodes: Iterable<unknown>): Iterable<unknown>;
  resolve(nodes: Iterable<unknown>): unknown[];
  /** Only in a descendant segment (`..`). It calls itself for each node. */
  visit?(node: unknown, depth?: number): Iterable<unknown>;
}

/** Counts the nodes that a segment visits and finds. */
function limitNodes(segment: Segment): void {
  const { lazyResolve, visit } = segment;
  segment.lazyResolve = function* (result) {
    for (const node of lazyResolve.call(segment, result)) {
      countNode();
      yield node;
    }
  };
  segment.resolve = (result) => [...segment.lazyResolve(result)];
  if (!visit) return;
  segment.visit = (node, depth) => {
    countNode();
    return visit.call(segment, node, depth);
  };
}

function countNode(): void {
  nodes += 1;
  if (nodes <= MAX_QUERY_NODES) return;
  throw new PathError(
    `The path visits more than ${MAX_QUERY_NODES} values: use fewer \`..\`, or read a smaller part of the document`,
  );
}

/** Thrown while a query runs. The message is one sentence. */
export class PathError extends Error {
  override readonly name = 'PathError';
}

/**
 * Parses a JSONPath.
 * @throws Error with the syntax error or unsupported pattern
 */
export function compilePath(path: string): JSONPathQuery {
  const query = environment.compile(path);
  const problem = queryProblem(query);
  if (problem !== null) throw new PatternError(problem);
  for (const part of walkQuery(query))
    if ('segments' in part && Array.isArray(part.segments)) (part.segments as Segment[]).forEach(limitNodes);
  return query;
}

/**
 * Runs a query.
 * @throws PatternError when its patterns take too long
 * @throws PathError when it visits too many values
 */
export function runPath(query: JSONPathQuery, root: unknown): { value: unknown; path: string }[] {
  steps = 0;
  nodes = 0;
  const result = query.query(root as Parameters<JSONPathQuery['query']>[0]);
  return result.nodes.map(({ value, path }) => ({ value, path }));
}
