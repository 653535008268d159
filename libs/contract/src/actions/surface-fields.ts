import { PilothouseError } from '../errors/pilothouse-error.ts';
import type { SurfaceKind } from '../primitives.schema.ts';
import { surfaceSupport } from './surface-support.ts';

/* Fields of locators and conditions that not every surface has. */

/** Fields of steps and conditions whose value is a locator or a chain of them. */
const targetFields: ReadonlySet<string> = new Set(['target', 'to', 'next', 'visible', 'enabled', 'hidden']);
/** Fields of locators whose value is a locator. */
const nestedLocatorFields: ReadonlySet<string> = new Set(['within', 'near', 'has']);
/** Fields of steps and blocks whose value is a condition, unless it is an expression. */
const conditionFields: ReadonlySet<string> = new Set(['condition', 'expect', 'if', 'until']);

/** A field that the surface does not have. */
interface UnsupportedField {
  /** Path from the step. */
  readonly path: readonly (string | number)[];
  readonly kind: 'locator' | 'condition';
  readonly field: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Yields the fields of the locators and conditions of a step, block or action that a surface does not have. Does not descend into steps
 * below a block.
 */
export function* unsupportedFieldsOf(
  surface: SurfaceKind,
  node: object,
  path: readonly (string | number)[] = [],
): Generator<UnsupportedField> {
  for (const [key, value] of Object.entries(node)) {
    const fieldPath = [...path, key];
    if (targetFields.has(key)) yield* inTarget(surface, value, fieldPath);
    else if (conditionFields.has(key)) yield* unsupportedConditionFields(surface, value, fieldPath);
    else if ((key === 'table' || key === 'count') && isObject(value))
      yield* unsupportedFieldsOf(surface, value, fieldPath);
  }
}

/** Yields the fields of a condition that a surface does not have. */
export function* unsupportedConditionFields(
  surface: SurfaceKind,
  condition: unknown,
  path: readonly (string | number)[] = [],
): Generator<UnsupportedField> {
  if (!isObject(condition)) return;
  for (const field of surfaceSupport[surface].condition.unsupported)
    if (condition[field] !== undefined) yield { path: [...path, field], kind: 'condition', field };
  yield* unsupportedFieldsOf(surface, condition, path);
}

function* inTarget(
  surface: SurfaceKind,
  target: unknown,
  path: readonly (string | number)[],
): Generator<UnsupportedField> {
  if (Array.isArray(target)) {
    for (const [index, locator] of target.entries()) yield* inTarget(surface, locator, [...path, index]);
    return;
  }
  // A scroll step may have a text such as `bottom` as `to`.
  if (!isObject(target)) return;
  for (const field of surfaceSupport[surface].locator.unsupported)
    if (target[field] !== undefined) yield { path: [...path, field], kind: 'locator', field };
  for (const field of nestedLocatorFields) yield* inTarget(surface, target[field], [...path, field]);
}

/** Sentence about a field that a surface does not have, and what to use instead. */
export const unsupportedFieldMessage = (surface: SurfaceKind, { kind, field }: UnsupportedField): string =>
  kind === 'condition'
    ? `Condition \`${field}\` is not supported on the ${surface} surface: use one of ${surfaceSupport[surface].condition.instead}`
    : `Locator field \`${field}\` is not supported on the ${surface} surface: use ${surfaceSupport[surface].locator.instead}`;

/** @throws PilothouseError ACTION_UNSUPPORTED if there is a field that the surface does not have */
export function assertFieldsSupported(surface: SurfaceKind, fields: Iterable<UnsupportedField>): void {
  for (const field of fields) throw new PilothouseError('ACTION_UNSUPPORTED', unsupportedFieldMessage(surface, field));
}
