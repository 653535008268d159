import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Bounds, ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import type { TurnAction, TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { toLocatorChain, type Locator } from '@pilothouse/contract/actions/locator.schema';
import { fieldRoles, hasSecretName, namesSecretField } from '../../secret/secret-names.ts';
import { MASK, Masker } from '../../secret/secret-masker.ts';
import type { RedactedText } from './card-numbers.ts';
import { redactText } from './secret-patterns.ts';

/* Redaction of examples. The worker has masked the secrets of the run. This finds secrets that it did not know. */

type RecordedElement = Omit<ElementView, 'locators'>;

const isSecretField = ({ role, name, fallbackName = '', context = '', secret }: RecordedElement) =>
  secret === true || (fieldRoles.has(role) && [name, fallbackName, context].some(hasSecretName));

const showsSecret = ({ name, value = '' }: RecordedElement) => redactText(name).count + redactText(value).count > 0;

/** Areas to blacken in the screenshot of a page: filled password and secret fields, and elements that show a secret. */
export const secretAreas = (elements: readonly RecordedElement[]): Bounds[] =>
  elements
    .filter((element) => (isSecretField(element) && element.value !== undefined) || showsSecret(element))
    .map(({ bounds }) => bounds);

/** True if a locator may mean an element: by its index, or by a part of its name. */
function mayMean(locator: Locator, { index, role, name }: RecordedElement): boolean {
  if (locator.elementIndex !== undefined) return locator.elementIndex === index;
  const wantedName = locator.name ?? locator.label ?? locator.placeholder;
  if (wantedName === undefined) return false;
  return (locator.role === undefined || locator.role === role) && name.toLowerCase().includes(wantedName.toLowerCase());
}

/** True if the center of an area is in another. */
const isCenteredIn = ({ x, y, width, height }: Bounds, outer: Bounds): boolean =>
  x + width / 2 >= outer.x &&
  x + width / 2 <= outer.x + outer.width &&
  y + height / 2 >= outer.y &&
  y + height / 2 <= outer.y + outer.height;

/**
 * Values that secret fields of a turn's page have, and texts that its actions and their correction enter into them. Placeholders are no
 * values.
 */
export function secretFieldTexts(
  { observation, actions }: Pick<TurnRecord, 'observation' | 'actions'>,
  correctedActions: readonly CorrectedAction[] = [],
): ReadonlySet<string> {
  const secretFields = observation.elements.filter(isSecretField);
  const values = secretFields.map(({ value = '' }) => value);
  const corrections = correctedActions.map((corrected) => ({
    action: corrected.kind === 'act' ? corrected.action : null,
    target: null,
  }));
  // A text without a target goes to the focus: the field of the last action, or the one that had it before.
  let isFocusSecret = secretFields.some(({ state }) => state.focused === true);
  const enteredTexts = [...actions, ...corrections].flatMap(
    ({ action, target }: Pick<TurnAction, 'action' | 'target'>) => {
      if (!action) return [];
      const locators = 'target' in action && action.target ? toLocatorChain(action.target) : [];
      if (locators.length > 0 || target !== null)
        isFocusSecret =
          locators.some(namesSecretField) ||
          secretFields.some(
            (field) =>
              locators.some((locator) => mayMean(locator, field)) ||
              (target !== null && isCenteredIn(target, field.bounds)),
          );
      // A key may move the focus to a secret field, and a copied text may be pasted there.
      const isUnknown = action.action === 'press' || action.action === 'writeClipboard';
      if (isUnknown && secretFields.length > 0) isFocusSecret = true;
      return isFocusSecret && 'text' in action && action.text !== undefined ? [action.text] : [];
    },
  );
  return new Set([...values, ...enteredTexts].filter((text) => text.trim() !== '' && !text.includes('{{')));
}

/** Elements as an example stores them. The value of a secret field is masked. */
export const exampleElements = (elements: readonly RecordedElement[]): DatasetExample['page']['elements'] =>
  elements.map((element) => {
    const { index, role, name, value, bounds, state, tags } = element;
    const shownValue = value !== undefined && value !== '' && isSecretField(element) ? MASK : value;
    return { index, role, name, ...(shownValue !== undefined && { value: shownValue }), bounds, state, tags };
  });

/** Fields of an example that hold no text of a page, a model or a person. */
const TECHNICAL_FIELDS: ReadonlySet<string> = new Set<keyof DatasetExample>([
  'run',
  'at',
  'split',
  'textHash',
  'surface',
  'prompt',
  'tier',
  'dialect',
  'quality',
  'labelSource',
  'turnSource',
]);

/** Fields of elements and actions whose values the schema chooses, such as `click` or `textbox`. */
const ENUM_FIELDS: ReadonlySet<string> = new Set([
  ...['kind', 'action', 'role', 'side', 'state', 'tags', 'bounds', 'button', 'modifiers', 'to', 'waitUntil', 'status'],
  ...['loadState', 'type', 'level', 'checked', 'expanded', 'pressed'],
]);

/** Parts of an example with elements or actions. */
const ENUM_PARTS: ReadonlySet<string> = new Set<keyof DatasetExample>(['page', 'actions', 'correction']);

/** Minimum characters of a text that is masked anywhere. A shorter one is masked where it stands in quotation marks. */
const MIN_MASKED_CHARS = 4;

/** Texts of earlier turns: a field with its value, or the action that entered it. */
const ENTERED_TEXT = /(= |\bType |\bAdd |\bCopy )(["“])/;

/** Masks the value in a line. The value may contain quotation marks, so it ends at the last possible one. */
function maskLine(line: string): string | null {
  const [entry, prefix = '', openQuote = ''] = ENTERED_TEXT.exec(line) ?? [];
  if (entry === undefined) return null;
  const start = line.indexOf(entry) + entry.length;
  const closeQuote = openQuote === '“' ? '”' : openQuote;
  const receiverStart =
    prefix === '= ' ? -1 : Math.max(...[' into ', ' to '].map((word) => line.lastIndexOf(closeQuote + word)));
  const quote = receiverStart >= start ? receiverStart : line.lastIndexOf(closeQuote);
  const end = quote >= start ? quote : line.length;
  const value = line.slice(start, end);
  if (value === '' || value === MASK || (value.includes('{{') && !value.includes(closeQuote))) return null;
  return `${line.slice(0, start)}${MASK}${line.slice(end)}`;
}

const CLIPBOARD_TEXT = /\bCopy ["“]/;

/** True if a text goes to the focus: the last one of the line names no field. */
function entersIntoFocus(line: string): boolean {
  if (!/\b(?:Type|Add) ["“]/.test(line)) return false;
  const receivers = ['" into ', '” into ', '" to ', '” to '].map((word) => ({ word, start: line.lastIndexOf(word) }));
  const last = receivers.toSorted((first, second) => second.start - first.start)[0];
  return !last || last.start < 0 || line.startsWith('the focus', last.start + last.word.length);
}

/** Masks the values in lines about secret fields, texts that go to the focus after such a line, and copies before it. */
function maskSecretLines(text: string): RedactedText {
  let count = 0;
  const lines = text.split('\n');
  const areSecret = lines.map(hasSecretName);
  const masked = lines.map((line, index) => {
    const isSecret =
      areSecret[index] ||
      (areSecret[index - 1] && entersIntoFocus(line)) ||
      (areSecret[index + 1] && CLIPBOARD_TEXT.test(line));
    const maskedLine = isSecret ? maskLine(line) : null;
    if (maskedLine !== null) count += 1;
    return maskedLine ?? line;
  });
  return { text: masked.join('\n'), count };
}

/** Masks texts of secret fields. */
function maskTexts(text: string, masker: Masker, shortTexts: readonly string[]): RedactedText {
  const quoted = shortTexts.reduce((masked, short) => masked.replaceAll(`"${short}"`, `"${MASK}"`), text);
  const masked = shortTexts.includes(quoted) ? MASK : masker.text(quoted);
  return { text: masked, count: masked === text ? 0 : 1 };
}

/**
 * An example without secrets and personal data, and the number of replacements.
 * @param secretTexts values of secret fields
 */
export function redactExample<Example extends object>(
  example: Example,
  secretTexts: ReadonlySet<string> = new Set(),
): { example: Example; count: number } {
  let count = 0;
  const masker = new Masker();
  for (const text of secretTexts) if (text.length >= MIN_MASKED_CHARS) masker.add(text);
  const shortTexts = [...secretTexts].filter((text) => text.length < MIN_MASKED_CHARS);
  const redact = (value: Json, enumFields: ReadonlySet<string> = new Set()): Json => {
    if (typeof value === 'string') {
      let text = value;
      for (const redaction of [
        (source: string) => maskTexts(source, masker, shortTexts),
        maskSecretLines,
        redactText,
      ]) {
        const redacted = redaction(text);
        count += redacted.count;
        text = redacted.text;
      }
      return text;
    }
    if (Array.isArray(value)) return value.map((item) => redact(item, enumFields));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        // Arguments of a decision, such as an answer, may use the same names for texts.
        if (name === 'args') return [name, redact(field)];
        const isEnum = enumFields.has(name) && (typeof field !== 'object' || Array.isArray(field));
        return [name, isEnum ? field : redact(field, enumFields)];
      }),
    );
  };
  // Only the fields of the example itself: an answer of a model may use the same names for its texts.
  const redacted = Object.fromEntries(
    Object.entries(example as unknown as { [name: string]: Json }).map(([name, value]) => {
      if (TECHNICAL_FIELDS.has(name)) return [name, value];
      return [name, redact(value, ENUM_PARTS.has(name) ? ENUM_FIELDS : undefined)];
    }),
  );
  return { example: redacted as unknown as Example, count };
}
