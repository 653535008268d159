import {
  isOfSurface,
  isOnce,
  isPointing,
  locatorsOf,
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
  const locators = 'target' in next && next.target !== undefined ? locatorsOf(next.target) : [];
  /* A number, or a place, is of the surface that was lost. */
  const named = locators.filter((locator) => !isPointing(locator));
  return named.length > 0 ? { visible: named.length === 1 && named[0] ? named[0] : named } : null;
}

/** Whether it is worth knowing, before the step, if that is so already: found later, it tells that the step happened. */
export function asksWhetherItHappened(step: Step): boolean {
  const { onUnknown, expect } = step;
  if (onUnknown !== undefined && onUnknown !== 'verify') return onUnknown === 'repeat' && isOnce(step);
  return isOnce(step) || onUnknown === 'verify' || expect !== undefined;
}

/** Whether the step only looks: the surface is the same afterwards. */
export const onlyLooks = (step: Step) =>
  readsOnly(step) ||
  step.action === 'saveProfile' ||
  (step.action !== 'extract' && isOfSurface(step) && readOnlyActions.has(step.action));

/** Whether the step does nothing to the surface: what it did is done, whatever becomes of that. */
export const isRequest = (step: Step | undefined): boolean =>
  step?.action === 'http' || (step?.action === 'parallel' && pageBranchesOf(step).length === 0);

/** Whether the step is nothing but what it read: with its value known there is no reason to do it again. */
export const readsOnly = (step: Step) =>
  step.action === 'lookFor' || isRequest(step) || (step.action === 'extract' && step.table?.next === undefined);
