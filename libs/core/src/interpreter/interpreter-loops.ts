import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_MAX_ITERATIONS } from '@pilothouse/contract/workflow/control-flow.schema';
import type { ControlBlockOf } from '@pilothouse/contract/workflow/workflow-node.schema';
import { jsonTypeName, MAX_VALUE_CHARS } from '../workflow/expressions.ts';
import type { Loop, OwnerFrame } from './interpreter-state.ts';

/* Functions for loops: list, iteration limit and collected values. */

export type LoopFrame = OwnerFrame & { readonly kind: 'loop' };

/**
 * Evaluates the list of a `forEach`.
 * @param value value of `in`
 * @throws PilothouseError EXPRESSION_FAILED, LOOP_LIMIT_EXCEEDED
 */
export function forEachItems(
  { in: source, maxIterations = DEFAULT_MAX_ITERATIONS.forEach }: ControlBlockOf<'forEach'>,
  value: unknown,
): readonly Json[] {
  if (!Array.isArray(value)) {
    throw new PilothouseError(
      'EXPRESSION_FAILED',
      `\`${String(source)}\` is ${jsonTypeName(value as Json)}, not a list`,
    );
  }
  if (value.length <= maxIterations) return value as Json[];
  throw new PilothouseError(
    'LOOP_LIMIT_EXCEEDED',
    `The list has ${value.length} elements; the loop allows ${maxIterations} iterations (\`maxIterations\`)`,
  );
}

/** Appends a value to the collected values. @throws PilothouseError LOOP_LIMIT_EXCEEDED */
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
  const maxIterations = node.maxIterations ?? DEFAULT_MAX_ITERATIONS[node.action];
  if (iteration + 1 < maxIterations) return;
  throw new PilothouseError(
    'LOOP_LIMIT_EXCEEDED',
    `The loop needs more than ${maxIterations} iterations (\`maxIterations\`)`,
  );
}

/** Value of a finished loop. */
export const loopValue = ({ node, collected }: { node: Loop; collected: readonly Json[] }): Json =>
  node.collect === undefined ? null : [...collected];

/** Variables that exist only inside a loop. */
export const loopVars = (node: Loop): string[] => [
  ...(node.action === 'forEach' ? [node.as ?? 'item'] : []),
  ...(node.index === undefined ? [] : [node.index]),
];
