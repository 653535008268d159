import { readOnlyActions } from '@pilothouse/contract/actions/action-sets';
import { isEphemeralLocator, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { stepSchema, type Step } from '@pilothouse/contract/workflow/step.schema';
import { arrivalCondition, indicatorCondition, type PageLocation } from './arrival-expectation.ts';
import type { ActionRecord } from './recorded-goal.ts';
import type { Templatizer } from './templatizer.ts';

/* Waits of an agent: kept as conditions where the events show one, else as times where the next action needs them. */

/** Page after a wait, and what follows it. */
export interface WaitContext {
  /** Page that the next action found; null: unknown. */
  readonly nextPage: PageLocation | null;
  readonly later: readonly ActionRecord[];
}

export const isWait = ({ action }: ActionRecord): boolean => action.action === 'wait' || action.action === 'waitFor';

/**
 * Step for a completed wait of an agent; null: not needed, because the next action waits for its element.
 * @param origins origins that the workflow names
 */
export function compileWait(
  { action, result }: ActionRecord,
  { nextPage, later }: WaitContext,
  templatizer: Templatizer,
  origins: ReadonlySet<string>,
): Step | null {
  const startPage = result?.pageBefore ?? null;
  const condition =
    (startPage && nextPage && arrivalCondition(startPage, nextPage, templatizer, origins)) ??
    (action.action === 'waitFor' ? stableTextCondition(action.condition.text, templatizer) : null) ??
    (result?.metExpectation ? indicatorCondition(result.metExpectation, templatizer) : null);
  if (condition) return stepSchema.parse({ action: 'waitFor', condition });
  if (!isInputWithoutElement(nextInput(later))) return null;
  const seconds = action.action === 'wait' ? action.seconds : Math.ceil((result?.durationMs ?? 0) / 1_000);
  return seconds > 0 ? stepSchema.parse({ action: 'wait', seconds }) : null;
}

const stableTextCondition = (text: string | readonly string[] | undefined, templatizer: Templatizer) =>
  indicatorCondition({ anchor: null, indicators: [text ?? []].flat() }, templatizer);

/** The next action that worked and is no wait or reading. */
const nextInput = (later: readonly ActionRecord[]): ActionRecord | undefined =>
  later.find(({ action, result }) => result?.error === null && !readOnlyActions.has(action.action));

/** True if an action acts on the focus or on a point, so that a surface cannot wait for its element. */
function isInputWithoutElement(record: ActionRecord | undefined): boolean {
  if (!record?.result) return false;
  const { action, result } = record;
  const target = 'target' in action ? action.target : undefined;
  if (target === undefined) return action.action === 'press' || action.action === 'type';
  return [...toLocatorChain(target), ...result.locators].every(isEphemeralLocator);
}
