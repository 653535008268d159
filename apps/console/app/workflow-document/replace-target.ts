import { setField } from './edit-steps.ts';
import { allSteps, readOutline } from './workflow-outline.ts';
import { keyOf, pathOfRunStep } from './yaml-path.ts';

/** Locator of the control that a step uses instead. */
export interface ControlLocator {
  readonly role: string;
  readonly name: string;
}

/**
 * Replaces the first locator of a step by another control. Its scope (`within`, `app`, `window`) and the other locators stay.
 * @param runStep path of the step in a run
 * @returns null if the file has no such step, or the step has no target
 */
export function replaceTarget(text: string, runStep: string, { role, name }: ControlLocator): string | null {
  const outline = readOutline(text, () => true);
  if (!outline) return null;
  const steps = allSteps(outline.steps);
  const pathKey = keyOf(pathOfRunStep(runStep, steps));
  const step = steps.find(({ key }) => key === pathKey);
  const target: unknown = step?.value['target'];
  if (!step || step.action === 'call' || typeof target !== 'object' || target === null) return null;
  const [first, ...others] = (Array.isArray(target) ? target : [target]) as Readonly<Record<string, unknown>>[];
  const scope = Object.fromEntries(
    Object.entries(first ?? {}).filter(([field]) => field === 'within' || field === 'app' || field === 'window'),
  );
  const locator = { ...scope, role, name, exact: true };
  return setField(text, step.path, ['target'], Array.isArray(target) ? [locator, ...others] : locator).text;
}
