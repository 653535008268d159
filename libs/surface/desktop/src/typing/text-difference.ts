import type { TextDifference, TextReadback } from '../session/text-readback.ts';
import type { FieldText } from '../accessibility/accessible-text.ts';

/** Code points of a text in a difference. */
const MAX_SHOWN = 20;

/** Placeholder of an embedded object, whose text is in another object. */
const EMBEDDED = '\uFFFC';

/** Text views end with a line break, and Qt writes U+2029 or U+2028 between lines. */
export const normalized = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll('\u2029', '\n').replaceAll('\u2028', '\n').replace(/\n$/, '');

/** Possible texts of a field after typing at its caret: one per offset unit (code point, UTF-16). Equal ones are given once. */
export function textsAfterTyping({ text, caret, selection }: FieldText, typed: string): string[] {
  const start = selection?.start ?? caret;
  const end = selection?.end ?? caret;
  if (start < 0) return [text + typed];
  const points = [...text];
  const byPoints = points.slice(0, start).join('') + typed + points.slice(end).join('');
  return [...new Set([byPoints, text.slice(0, start) + typed + text.slice(end)])];
}

/** The text of a field, and the same without a proposed completion, which is selected behind the caret. */
function textsWithoutCompletion({ text, caret, selection }: FieldText): string[] {
  if (!selection || (caret !== selection.start && caret !== selection.end)) return [text];
  const points = [...text];
  const { start, end } = selection;
  return [text, points.slice(0, start).join('') + points.slice(end).join(''), text.slice(0, start) + text.slice(end)];
}

/** True if one of the texts that a field holds is one of those that are expected. */
const holdsOneOf = (actual: readonly string[], expected: readonly string[]): boolean =>
  actual.some((text) => expected.some((wanted) => normalized(text) === normalized(wanted)));

/** Compares a field with the expected texts, and describes the first difference from the nearest of them. */
export function readbackOf(actual: FieldText, expected: readonly string[]): TextReadback {
  if (actual.isSecret) {
    const lengths = expected.map((text) => [...text].length);
    return lengths.includes(actual.text.length) ? { status: 'confirmed' } : { status: 'different' };
  }
  const actuals = textsWithoutCompletion(actual);
  if (holdsOneOf(actuals, expected)) return { status: 'confirmed' };
  if (actual.text.includes(EMBEDDED))
    return { status: 'unverifiable', reason: 'The field holds objects whose text is not published' };
  const [difference] = expected
    .map((wanted) => firstDifference(normalized(wanted), normalized(actual.text)))
    .toSorted((first, second) => second.position - first.position);
  return { status: 'different', ...(difference && { difference }) };
}

/** The first code point in which two texts differ. They are not equal. */
export function firstDifference(expected: string, actual: string): TextDifference {
  const [wanted, found] = [[...expected], [...actual]];
  let index = 0;
  while (index < wanted.length && wanted[index] === found[index]) index += 1;
  const shown = (points: readonly string[]) =>
    points
      .slice(index, index + MAX_SHOWN)
      .join('')
      .slice(0, 40);
  return { position: index + 1, expected: shown(wanted), actual: shown(found) };
}

/** True if the text appears more often than before. White space is ignored: a terminal breaks lines at its width. */
export function hasNewOccurrence(initial: string, current: string, typed: string): boolean {
  const [first, second, sought] = [initial, current, typed].map((text) => text.replace(/\s+/g, '')) as [
    string,
    string,
    string,
  ];
  return sought !== '' && occurrences(second, sought) > occurrences(first, sought);
}

function occurrences(text: string, sought: string): number {
  let count = 0;
  for (let index = text.indexOf(sought); index >= 0; index = text.indexOf(sought, index + sought.length)) count += 1;
  return count;
}
