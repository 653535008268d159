import type { ElementState, ElementView } from '@pilothouse/contract';

/** Characters of a name in a list; of what there is to read, and of a value. */
const NAME = 80;
export const MAX_TEXT_CHARS = 300;
const VALUE = 80;

/** A text that is not longer than so much; what is cut says how long it was. @param length of the whole, when it was cut before */
export function truncateWithLength(text: string, max: number, length = text.length): string {
  if (length <= max && text.length <= max) return text;
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max;
  return `${text.slice(0, end).trimEnd()}… (${Math.max(length, text.length)} characters)`;
}

/** A text of so many characters at the most; what is cut ends with `…`, by which a mask knows that a secret may be cut there. */
export const ellipsize = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;

/** An element in short: `button "Save"`. */
export const describeElement = ({ role, name, hint }: Pick<ElementView, 'role' | 'name' | 'hint'>): string =>
  name ? `${role} "${truncateWithLength(name, NAME)}"` : hint ? `${role} .${hint}` : role;

/** What a state says, each in a word; what goes without saying is left out. */
function stateWords(state: ElementState): string[] {
  const words: string[] = [];
  if (state.checked !== undefined)
    words.push(state.checked === 'mixed' ? 'half checked' : state.checked ? 'checked' : 'unchecked');
  if (state.pressed !== undefined)
    words.push(state.pressed === 'mixed' ? 'half pressed' : state.pressed ? 'pressed' : 'unpressed');
  if (state.selected) words.push('selected');
  if (state.expanded !== undefined) words.push(state.expanded ? 'expanded' : 'collapsed');
  if (state.disabled) words.push('disabled');
  if (state.readonly) words.push('readonly');
  if (state.focused) words.push('focused');
  return words;
}

/** One line of the list: `[3] textbox "Name" = "Robin" required focused`. */
export function elementLine(element: ElementView): string {
  const { index, interactive, role, name, length, hint, context, value, state, marks } = element;
  if (!interactive)
    return `[${index}] ${role === 'text' || role === 'paragraph' ? '' : `${role} `}${truncateWithLength(name, MAX_TEXT_CHARS, length)}`;
  const says = name ? `"${truncateWithLength(name, NAME, length)}"` : hint ? `.${truncateWithLength(hint, NAME)}` : '';
  const holds = value === undefined ? '' : value === '' ? '' : `= "${truncateWithLength(value, VALUE)}"`;
  const where = context === undefined || name ? '' : truncateWithLength(context, NAME);
  return [`[${index}]`, role, says, where, holds, ...marks, ...stateWords(state)].filter(Boolean).join(' ');
}
