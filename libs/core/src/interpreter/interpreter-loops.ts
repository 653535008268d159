import { DEFAULT_MAX_ITERATIONS, PilothouseError, type ControlBlockOf, type Json } from '@pilothouse/contract';
import { jsonTypeName, MAX_VALUE_CHARS } from '../workflow/expressions.ts';
import type { Loop, OwnerFrame } from './interpreter-state.ts';

/* Shared parts of loops: list, iteration limit and collected values. */

export type LoopFrame = OwnerFrame & { readonly kind: 'loop' };

/**
 * Evaluates the list of a `forEach`.
 * @param found value of `in`
 * @throws PilothouseError EXPRESSION_FAILED, LOOP_LIMIT_EXCEEDED
 */
export function forEachItems(
  { in: source, maxIterations = DEFAULT_MAX_ITERATIONS.forEach }: ControlBlockOf<'forEach'>,
  found: unknown,
): readonly Json[] {
  if (!Array.isArray(found)) {
    throw new PilothouseError(
      'EXPRESSION_FAILED',
      `\`${String(source)}\` gives ${jsonTypeName(found as Json)}, where a list is wanted`,
    );
  }
  if (found.length <= maxIterations) return found as Json[];
  throw new PilothouseError(
    'LOOP_LIMIT_EXCEEDED',
    `The list has ${found.length} elements, and the loop may go round ${maxIterations} times (\`maxIterations\`)`,
  );
}

/** The loop with one more value. @throws PilothouseError LOOP_LIMIT_EXCEEDED */
export function withCollectedValue(loop: LoopFrame, value: Json): LoopFrame {
  const size = loop.size + JSON.stringify(value).length;
  if (size > MAX_VALUE_CHARS) {
    throw new PilothouseError('LOOP_LIMIT_EXCEEDED', `The loop collected more than ${MAX_VALUE_CHARS} characters`);
  }
  return { ...loop, size, collected: [...loop.collected, value] };
}

/**
 * Checks the iteration limit of a loop without a list.
 * @throws PilothouseError LOOP_LIMIT_EXCEEDED
 */
export function assertIterationAllowed({ node, iteration }: LoopFrame): void {
  const max = node.maxIterations ?? DEFAULT_MAX_ITERATIONS[node.action];
  if (iteration + 1 < max) return;
  throw new PilothouseError(
    'LOOP_LIMIT_EXCEEDED',
    `The loop went round ${max} times (\`maxIterations\`), and was to go on`,
  );
}

/** Value of a finished loop. */
export const loopValue = ({ node, collected }: { node: Loop; collected: readonly Json[] }): Json =>
  node.collect === undefined ? null : [...collected];

/** Variables that are there inside of a loop only. */
export const loopVars = (node: Loop): string[] => [
  ...(node.action === 'forEach' ? [node.as ?? 'item'] : []),
  ...(node.index === undefined ? [] : [node.index]),
];
