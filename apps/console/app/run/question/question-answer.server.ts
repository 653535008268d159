import { targetSchema, type Target } from '@pilothouse/contract/actions/locator.schema';
import { answerChoiceSchema, type CompleteRun, type AnswerRun } from '@pilothouse/contract/run/run-question.schema';
import { textOf, badFormResponse, choiceOf } from '../../api/form-fields.server.ts';

/**
 * Answer of a form to an open question; null: the form has no field `answer`.
 * @throws a 400 router response if the answer or the target is invalid
 */
export function answerOf(form: FormData): AnswerRun | null {
  if (!form.has('answer')) return null;
  const choice = choiceOf(form, 'answer', answerChoiceSchema.options);
  const text = textOf(form, 'text').trim();
  const target = textOf(form, 'target');
  return {
    ...dismissalOf(form),
    choice,
    ...(text && { text }),
    ...(target && { target: targetOf(target) }),
  };
}

function targetOf(text: string): Target {
  try {
    return targetSchema.parse(JSON.parse(text));
  } catch {
    throw badFormResponse('Field "target" must be a target in JSON. Reload the page and point at the element again.');
  }
}

/** The question that a form showed. */
export function dismissalOf(form: FormData): CompleteRun {
  const question = textOf(form, 'question');
  return question ? { question } : {};
}
