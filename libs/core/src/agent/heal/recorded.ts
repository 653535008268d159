import {
  eventData,
  isSurfaceStep,
  toLocatorChain,
  type Json,
  type Locator,
  type Step,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { findStep } from '../../program/find.ts';
import { findTemplates } from '../../workflow/template.ts';
import { stableLocators } from './lasting.ts';

/** One event of a former run about a step, with what that run was. */
export interface EarlierStepEvent {
  readonly definition: WorkflowDefinition;
  /** Values of its inputs, but for secret ones. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly type: 'step.acted' | 'step.healed';
  readonly data: unknown;
}

/** Most locators that are told. */
const MOST = 20;

/** A place without the rounds of its loops: `3[2]/1` is `3/1`. */
export const withoutIterations = (at: string): string => at.replace(/\[\d+\]/g, '');

/**
 * Ways in which former runs found the element of a step, as a workflow would have them: those that healed it first, then those that would
 * have found it as well.
 * @param former events of runs of the same workflow, those of the newest run first
 */
export function earlierLocators(
  definition: WorkflowDefinition,
  at: string,
  former: readonly EarlierStepEvent[],
): readonly Locator[] {
  const now = stepTarget(findStep(definition, at));
  if (!now) return [];
  const same = former.filter((one) => {
    const then = stepTarget(findStep(one.definition, withoutIterations(at)));
    return then !== null && JSON.stringify(then) === JSON.stringify(now);
  });
  const healed = same.flatMap(({ type, data }) => {
    const read = type === 'step.healed' ? eventData['step.healed'].safeParse(data) : undefined;
    return read?.success ? read.data.locators : [];
  });
  const others = same.flatMap(({ type, data, inputs }) => {
    const read = type === 'step.acted' ? eventData['step.acted'].safeParse(data) : undefined;
    const known = findTemplates(now.target).map(({ path: [root, name], source }) => ({
      template: source,
      value: root === 'inputs' ? (inputs[name] ?? null) : null,
    }));
    return stableLocators(read?.success ? (read.data.located?.others ?? []) : [], now.target, known);
  });
  const old = new Set(toLocatorChain(now.target).map((locator) => JSON.stringify(locator)));
  const all = new Map([...healed, ...others].map((locator) => [JSON.stringify(locator), locator]));
  return [...all].flatMap(([text, locator]) => (old.has(text) ? [] : [locator])).slice(0, MOST);
}

/** What a step does to which element; null when it does nothing to one. */
export function stepTarget(step: Step | undefined) {
  if (!step || !isSurfaceStep(step) || !('target' in step) || step.target === undefined) return null;
  return { action: step.action, target: step.target };
}
