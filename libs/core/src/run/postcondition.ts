import {
  isSurfaceStep,
  isNonIdempotent,
  isEphemeralLocator,
  toLocatorChain,
  pageBranchesOf,
  readOnlyActions,
  type Condition,
  type Step,
} from '@pilothouse/contract';

/**
 * What is true of the surface once a step has happened: what it expects, or else that the next step finds what it needs.
 * @returns null when nothing tells
 */
export function postconditionOf(step: Step, next: Step | undefined): Condition | null {
  if (step.expect) return step.expect;
  if (!next) return null;
  if (next.action === 'waitFor' || next.action === 'assert') return next.condition;
  const locators = 'target' in next && next.target !== undefined ? toLocatorChain(next.target) : [];
  /* A number, or a place, is of the surface that was lost. */
  const named = locators.filter((locator) => !isEphemeralLocator(locator));
  return named.length > 0 ? { visible: named.length === 1 && named[0] ? named[0] : named } : null;
}

/** Whether it is worth knowing, before the step, if that is so already: found later, it tells that the step happened. */
export function needsPreCheck(step: Step): boolean {
  const { onUnknown, expect } = step;
  if (onUnknown !== undefined && onUnknown !== 'verify') return onUnknown === 'repeat' && isNonIdempotent(step);
  return isNonIdempotent(step) || onUnknown === 'verify' || expect !== undefined;
}

/** Whether the step only looks: the surface is the same afterwards. */
export const isReadOnlyStep = (step: Step) =>
  isPureRead(step) ||
  step.action === 'saveProfile' ||
  (step.action !== 'extract' && isSurfaceStep(step) && readOnlyActions.has(step.action));

/** Whether the step does nothing to the surface: what it did is done, whatever becomes of that. */
export const isRequestStep = (step: Step | undefined): boolean =>
  step?.action === 'http' || (step?.action === 'parallel' && pageBranchesOf(step).length === 0);

/** Whether the step is nothing but what it read: with its value known there is no reason to do it again. */
export const isPureRead = (step: Step) =>
  step.action === 'lookFor' || isRequestStep(step) || (step.action === 'extract' && step.table?.next === undefined);
