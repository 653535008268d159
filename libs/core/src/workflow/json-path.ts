import { FunctionExpressionType, JSONPathEnvironment, type FilterFunction, type JSONPathQuery } from 'json-p3';
import { compilePattern, MAX_MATCH_STEPS, PatternError, patternProblem } from '../regex/linear-regex.ts';

/*
 * JSONPath (RFC 9535). Its functions `match` and `search` run in linear time. Their patterns may come from the document that is read:
 * a pattern that cannot be used matches nothing, as the RFC has it.
 */

/** Instructions × characters that the patterns of one query may take. */
const MAX_QUERY_STEPS = 4 * MAX_MATCH_STEPS;

/** Steps that the query at work has taken; a query is synchronous. */
let steps = 0;

/** @param wrap makes the pattern of the function from the one that is written */
const patternFunction = (wrap: (source: string) => string): FilterFunction => ({
  argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
  returnType: FunctionExpressionType.LogicalType,
  call: (text: unknown, source: unknown) => {
    if (typeof text !== 'string' || typeof source !== 'string' || patternProblem(wrap(source)) !== null) return false;
    const pattern = compilePattern(wrap(source));
    steps += pattern.size * text.length;
    if (steps > MAX_QUERY_STEPS)
      throw new PatternError(
        'The texts are too long for the patterns of the path: read a smaller part of the document',
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

/** Why a pattern that a path writes out cannot be used; null when all can. */
function problemIn(part: unknown): string | null {
  if (typeof part !== 'object' || part === null || part === environment) return null;
  const { name, args } = part as { name?: unknown; args?: unknown };
  const wrap = typeof name === 'string' && Array.isArray(args) ? patternFunctions[name] : undefined;
  const source = wrap && (args as { value?: unknown }[])[1]?.value;
  if (wrap && typeof source === 'string') {
    const problem = patternProblem(wrap(source));
    if (problem !== null) return `the pattern ${JSON.stringify(source)} of ${name}(): ${problem}`;
  }
  for (const [key, inner] of Object.entries(part)) {
    const problem = key === 'token' ? null : problemIn(inner);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Reads a path.
 * @throws Error saying what is not understood, or which pattern cannot be used
 */
export function compilePath(path: string): JSONPathQuery {
  const query = environment.compile(path);
  const problem = problemIn(query);
  if (problem !== null) throw new PatternError(problem);
  return query;
}

/**
 * Runs a query.
 * @throws PatternError when its patterns take too long
 */
export function runPath(query: JSONPathQuery, root: unknown): { value: unknown; path: string }[] {
  steps = 0;
  const { nodes } = query.query(root as Parameters<JSONPathQuery['query']>[0]);
  return nodes.map(({ value, path }) => ({ value, path }));
}
