import { choiceSchema, targetSchema, type DismissRun, type ResumeRun } from '@pilothouse/contract';
import { textOf } from './form.server.ts';

/** The answer that a form gives to the question that it showed; null: the form is another one. @throws where its `target` is none */
export function answerOf(form: FormData): ResumeRun | null {
  const choice = choiceSchema.safeParse(textOf(form, 'answer'));
  if (!choice.success) return null;
  const text = textOf(form, 'text').trim();
  const target = textOf(form, 'target');
  return {
    ...dismissalOf(form),
    choice: choice.data,
    ...(text && { text }),
    ...(target && { target: targetSchema.parse(JSON.parse(target)) }),
  };
}

/** The question that a form showed whose run is to be ended; a page from before names none. */
export function dismissalOf(form: FormData): DismissRun {
  const question = textOf(form, 'question');
  return question ? { question } : {};
}
