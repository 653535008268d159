import type { OpenQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { Style } from './text-style.ts';
import { clean } from './sanitize-text.ts';

/** Lines of a question and the commands that answer it. @param run id of the run in commands */
export function questionLines(
  question: Pick<OpenQuestion, 'key' | 'reason' | 'choices'>,
  run: string,
  style: Style,
): string[] {
  const { key, reason, choices } = question;
  // The key is sent by a worker: print it only if it needs no quoting in a shell.
  const questionOption = key !== undefined && /^[\w.]+$/.test(key) ? ` --question ${key}` : '';
  // Titles are sent by a worker, so they are not on the line of a command.
  const answerLines = (answer: string, title: string) => [
    `  npx pilothouse runs answer ${run} ${answer}${questionOption}`,
    `    ${style.dim(clean(title))}`,
  ];
  return [
    style.yellow(`? ${clean(reason)}`),
    ...choices.flatMap(({ choice, title }) => answerLines(choice, title)),
    ...answerLines('complete', 'Mark the run as completed'),
  ];
}

/** The lines of the open question of a run; none without one. */
export const openQuestion = ({ id, question }: RunView, style: Style): string[] =>
  question ? questionLines(question, id.slice(0, 13), style) : [];
