import type { Action } from '@pilothouse/contract/actions/action-sets';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EnteredValue } from '../action-context.ts';
import type { EnteredState } from '../injected/entered-state.ts';
import { isTyped, sharesWords } from './typed-text.ts';

/** A field and the step that entered it. */
export interface EnteredEntry {
  readonly action: Action;
  readonly locator: string;
  readonly value: EnteredValue;
}

/** Maximum length of a value in a message. */
const MAX_VALUE_CHARS = 100;

/** Returns the current value of a field that lost its entered value; otherwise null. */
export function lossOf(value: EnteredValue, state: EnteredState): string | null {
  const { text, checked, selected, options } = state;
  if (value.kind === 'box') return checked === null || checked === value.checked ? null : stateName(checked);
  if (value.kind === 'choice') {
    if (!selected) return null;
    const labels = selected.map(labelOf).sort();
    const available = new Set(options.map(labelOf));
    const isHeld = labels.join('\n') === [...value.labels].sort().join('\n');
    // A list without the option is another list.
    return isHeld || !value.labels.every((label) => available.has(label)) ? null : labels.join(', ');
  }
  if (!text || isTyped(text, value.expected)) return null;
  const isOld = text.text.trim() === '' || text.text === value.initialText;
  return isOld || isOtherText(value, state) ? text.text : null;
}

/** True if the page put another text into a field, unlike one that it formatted, completed or converted. */
export function isOtherText(value: EnteredValue, { text, blurText }: EnteredState): boolean {
  if (value.kind !== 'text' || !text?.exact || text.text.trim() === '' || text.text === value.initialText) return false;
  return text.text !== blurText && !sharesWords(text.text, value.expected.text);
}

export const valueOf = (key: string) => (JSON.parse(key) as [string, string])[0];
export const labelOf = (key: string) => (JSON.parse(key) as [string, string])[1];
const stateName = (checked: boolean) => (checked ? 'checked' : 'unchecked');
const quote = (text: string) =>
  JSON.stringify(text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text);

export function lostMessage({ action, locator, value }: EnteredEntry, actual: string): string {
  const subject = `${locator} lost the value of its step ${action.action}: the page changed it later`;
  switch (value.kind) {
    case 'text':
      return value.isSecret
        ? `${subject}, and it holds another text than the secret`
        : `${subject} from ${quote(value.expected.text)} to ${quote(actual)}`;
    case 'choice':
      return `${subject} from ${quote(value.labels.join(', '))} to ${quote(actual)}`;
    case 'box':
      return `${subject} from ${stateName(value.checked)} to ${actual}`;
  }
}

export const lostError = (entry: EnteredEntry, actual: string, cause?: unknown) =>
  new PilothouseError(
    entry.value.kind === 'text' ? 'TYPED_TEXT_DIFFERS' : 'TARGET_NOT_ACTIONABLE',
    `${lostMessage(entry, actual)}; wait until the page is ready before the step, for example with \`waitFor\``,
    { details: { locator: entry.locator, action: entry.action.action }, ...(cause !== undefined && { cause }) },
  );
