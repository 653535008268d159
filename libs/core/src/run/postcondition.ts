import type { Condition, Step } from '@pilothouse/contract';

/**
 * What is true of the surface once a step has happened: what it expects, or else that the next step finds what it needs.
 * @returns null when nothing tells
 */
export function postconditionOf(step: Step, next: Step | undefined): Condition | null {
  if (step.expect) return step.expect;
  if (!next) return null;
  if (next.action === 'waitFor' || next.action === 'assert') return next.condition;
  return 'target' in next && next.target !== undefined ? { visible: next.target } : null;
}

/** Whether it is worth knowing, before the step, if that is so already: found later, it tells that the step happened. */
export function asksWhetherItHappened({ repeatable, onUnknown, expect }: Step): boolean {
  if (onUnknown !== undefined && onUnknown !== 'verify') return onUnknown === 'repeat' && repeatable === false;
  return repeatable === false || onUnknown === 'verify' || expect !== undefined;
}

/** Whether the step only looks: the surface is the same afterwards. */
export const onlyLooks = ({ action }: Step) =>
  action === 'extract' || action === 'assert' || action === 'waitFor' || action === 'screenshot';
