import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import { parseAnswer } from '../../agent/dialects/read-answer.ts';
import type { AnswerContext } from '../../agent/tools/action-arguments.ts';
import { compareActions, type ActionComparison } from './action-comparison.ts';

type Answer = Pick<ModelAnswer, 'text' | 'calls' | 'dialect'>;

/** True if the answer of a request is the next action of an agent. */
export const asksForNextAction = ({ role, tools = [] }: Pick<ModelRequest, 'role' | 'tools'>): boolean =>
  (role === 'act' || role === 'vision') && tools.some(({ name }) => name === 'done');

/** Comparison of two answers. `problem`: the second one has no usable action. */
export type AnswerAgreement =
  | { readonly kind: 'compared'; readonly comparison: ActionComparison }
  /** The answer that the run used has no action either. */
  | { readonly kind: 'incomparable' }
  | { readonly kind: 'problem'; readonly reason: string };

/**
 * Compares the first actions of two answers to the same request. The page is not known, so an element and a point cannot be compared.
 * @param image pixels of the last image of the request; null: none
 */
export function compareAnswers(
  used: Answer,
  compared: Answer,
  { surface = 'browser', image }: Pick<ModelRequest, 'surface'> & Pick<AnswerContext, 'image'>,
): AnswerAgreement {
  const context: AnswerContext = { surface, focused: null, image, secrets: [] };
  const [usedActions, parsed] = [parseAnswer(used, context).actions, parseAnswer(compared, context)];
  if (parsed.actions.length === 0)
    return { kind: 'problem', reason: parsed.problems[0] ?? 'The answer called no function.' };
  if (usedActions.length === 0) return { kind: 'incomparable' };
  return { kind: 'compared', comparison: compareActions(usedActions, parsed.actions, null) };
}
