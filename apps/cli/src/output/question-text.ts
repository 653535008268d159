import type { OpenQuestion, RunView } from '@pilothouse/contract';
import type { Style } from './text-style.ts';
import { clean } from './sanitize-text.ts';

/** Lines that show what a run asks and how to answer. @param run how the run is named on the command line */
export function questionLines(
  question: Pick<OpenQuestion, 'key' | 'reason' | 'choices'>,
  run: string,
  style: Style,
): string[] {
  const { key, reason, choices } = question;
  // An API of before gives none, or one with a place in it that its worker said: only what every shell takes as it stands is to be pasted.
  const named = key !== undefined && /^[\w.]+$/.test(key) ? ` --question ${key}` : '';
  // What a worker says stands on no line with a command, for the same reason.
  const way = (answer: string, title: string) => [
    `  npx pilothouse answer ${run} ${answer}${named}`,
    `    ${style.dim(clean(title))}`,
  ];
  return [
    style.yellow(`? ${clean(reason)}`),
    ...choices.flatMap(({ choice, title }) => way(choice, title)),
    ...way('dismiss', 'End the run as completed: the rest was seen to by hand'),
  ];
}

/** What a person is to know of a run that waits for them; nothing for any other. */
export const openQuestion = ({ id, question }: RunView, style: Style): string[] =>
  question ? questionLines(question, id.slice(0, 13), style) : [];
