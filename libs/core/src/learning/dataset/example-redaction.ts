import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Bounds, ElementView } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { MASK } from '../../secret/secret-masker.ts';
import { redactText } from './secret-patterns.ts';

/* Redaction of examples. The worker has masked the secrets of the run. This finds secrets that it did not know. */

/** Names of fields whose content is secret or identifies a person. */
const SECRET_FIELD =
  /pass(?:word|wort|code|phrase|wd)|kennwort|\bpin\b|\bcv[vc]2?\b|security code|card ?number|kartennummer|\biban\b|\bssn\b|social security|one.time|\botp\b|\b[12]fa\b|secret|api.?key|token/i;

const FIELD_ROLES: ReadonlySet<string> = new Set([
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'password',
  'entry',
  'text',
]);

type RecordedElement = Omit<ElementView, 'locators'>;

const isSecretField = ({ role, name, fallbackName = '', context = '', secret, value }: RecordedElement) =>
  secret === true ||
  (FIELD_ROLES.has(role) &&
    value !== undefined &&
    [name, fallbackName, context].some((text) => SECRET_FIELD.test(text)));

const showsSecret = ({ name, value = '' }: RecordedElement) => redactText(name).count + redactText(value).count > 0;

/** Areas to blacken in the screenshot of a page: filled password and secret fields, and elements that show a secret. */
export const secretAreas = (elements: readonly RecordedElement[]): Bounds[] =>
  elements.filter((element) => isSecretField(element) || showsSecret(element)).map(({ bounds }) => bounds);

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

/** An example without secrets and personal data, and the number of replacements. */
export function redactExample<Example extends object>(example: Example): { example: Example; count: number } {
  let count = 0;
  const redact = (value: Json): Json => {
    if (typeof value === 'string') {
      const redacted = redactText(value);
      count += redacted.count;
      return redacted.text;
    }
    if (Array.isArray(value)) return value.map(redact);
    if (typeof value !== 'object' || value === null) return value;
    return redactFields(value, () => true);
  };
  const redactFields = (fields: { [name: string]: Json }, isText: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isText(name) ? redact(value) : value]));
  // Only the fields of the example itself: an answer of a model may use the same names for its texts.
  const redacted = redactFields(example as unknown as { [name: string]: Json }, (name) => !TECHNICAL_FIELDS.has(name));
  return { example: redacted as unknown as Example, count };
}
