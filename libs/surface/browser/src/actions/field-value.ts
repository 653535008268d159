import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionContext } from '../action-context.ts';
import { evaluateOn, sendInput, playwrightTimeout } from '../browser.input.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import type { LocatedTarget } from '../targeting/located-target.ts';

// Fields that take a value as a whole, such as dates.

const readValue = elementFunction((element: Element) => (element instanceof HTMLInputElement ? element.value : ''));

/** @throws PilothouseError ACTION_UNSUPPORTED for a line break in a single-line field */
export function assertSingleLine(text: string, { kind, located }: LocatedTarget): void {
  if (kind.editable !== 'field' || !/[\r\n]/.test(text)) return;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `The text has a line break but ${located.locator} has one line; remove it, and use a \`press\` step with Enter to send a form`,
  );
}

/** Formats that fields of these types accept. They silently drop other text. */
const valueFormats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  number: 'a number such as 3.5',
};

/** Returns the value that a field of this type has after it was set to a text; empty if it does not accept the text. */
const acceptedValue = elementFunction((element: Element, text: string) => {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  return probe.value;
});

/**
 * True for field types whose value is set, because it cannot be typed. Keys would fill the parts of a date in the order
 * of the browser's locale, which a workflow does not know.
 */
export const isValueField = (type: string) =>
  type !== 'number' && (type in valueFormats || type === 'color' || type === 'range');

/**
 * Sets the value of a field and reads it back.
 * @throws PilothouseError ACTION_UNSUPPORTED with the accepted format, TYPED_TEXT_DIFFERS if the page set another value
 */
export async function enterValue(
  ctx: ActionContext,
  match: LocatedTarget,
  text: string,
  { isSecret, append = false }: { isSecret: boolean; append?: boolean },
): Promise<void> {
  const initialText = append ? await evaluateOn(ctx, match.ref, readValue, undefined, 'The field') : '';
  text = initialText + text;
  const value = await assertFormat(ctx, match, text);
  await setValue(ctx, match, text);
  await verifyValue(ctx, match, { text, value }, isSecret);
  const expected = { text: value, type: match.kind.type, keys: false };
  ctx.entered.add(ctx, match, { kind: 'text', expected, initialText, isSecret });
}

/** @returns the value of a field that was set to the text */
export async function assertFormat(
  ctx: ActionContext,
  { ref, kind, located }: LocatedTarget,
  text: string,
): Promise<string> {
  const format = kind.tag === 'input' ? valueFormats[kind.type] : undefined;
  if (!format || text === '') return text;
  const value = await evaluateOn(ctx, ref, acceptedValue, text, 'The field');
  if (value !== '') return value;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${located.locator} is a field of type ${kind.type}; enter ${format}`,
  );
}

async function setValue(ctx: ActionContext, match: LocatedTarget, text: string): Promise<void> {
  try {
    await sendInput(ctx, 'Typing', () => match.ref.fill(text, { force: true, timeout: playwrightTimeout(ctx) }));
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError) throw error;
    // Playwright's message may contain the text, which may be a secret. Neither message nor cause is passed on.
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${match.located.locator} did not take the text`);
  }
}

/** A range or color field takes its nearest value. A page may reset any field. */
async function verifyValue(
  ctx: ActionContext,
  { ref, kind, located }: LocatedTarget,
  { text, value }: { text: string; value: string },
  isSecret: boolean,
): Promise<void> {
  const current = await ref.evaluateAll(readValue, undefined).catch(() => null);
  ctx.signal.throwIfAborted();
  if (!current) return;
  const isEntered =
    kind.type === 'range'
      ? Number(current.value) === Number(text)
      : kind.type === 'color'
        ? current.value === text.toLowerCase()
        : current.value === value;
  if (isEntered) return;
  const summary = isSecret
    ? 'another value than the secret'
    : `${JSON.stringify(current.value)}, not ${JSON.stringify(text)}`;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${located.locator} holds ${summary}; use a value that a field of type ${kind.type} accepts`,
    { details: { locator: located.locator } },
  );
}
