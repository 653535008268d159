import { PilothouseError, type Target } from '@pilothouse/contract';
import { limitDeadline, raceDeadline } from '@pilothouse/core';
import { evaluateOn, sendInput, playwrightTimeout } from '../browser.input.ts';
import { waitForTarget, checkElement, type LocatedTarget } from '../targeting/locate-element.ts';
import { frameOrigin } from '../targeting/resolve-locator.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import { fieldFor } from '../injected/field-text.ts';
import { elementFunction } from '../injected/evaluate-functions.ts';
import { fromHandle } from '../targeting/element-ref.ts';
import { isCaret, typeAtCaret } from './text-caret.ts';
import { TypedField } from './text-field.ts';
import { ASSERT_MS } from './wait.actions.ts';

const valueOf = elementFunction((element: Element) => (element instanceof HTMLInputElement ? element.value : ''));

/** Sets the text of a field in one input, as pasting does. @throws as `enterText` */
export const fill: ActionHandler<'fill'> = (hand, { target, text, append = false }) =>
  isCaret(target) ? typeAtCaret(hand, text) : enterText(hand, target, { text, append, keys: false });

/** Presses key after key in a field; without one the text goes where the caret is. @throws as `enterText`, `typeAtCaret` */
export const type: ActionHandler<'type'> = (hand, { target, text, append = false }) =>
  target === undefined || isCaret(target)
    ? typeAtCaret(hand, text)
    : enterText(hand, target, { text, append, keys: true });

/**
 * Enters a text into a field, and reads it back. It never sends a form: a line break in a field of one line is refused.
 * @param keys presses key after key; else the text is one input
 * @throws PilothouseError TYPED_TEXT_DIFFERS when the field does not hold the text, also after one repair
 */
async function enterText(
  hand: ActionContext,
  target: Target,
  { text, append, keys }: { text: string; append: boolean; keys: boolean },
) {
  const found = await fieldOf(hand, target);
  const { located, one, kind } = found;
  refuseLineBreak(text, found);
  const plain = await hand.reveal(text, frameOrigin(found.frame));
  refuseLineBreak(plain, found);
  const isSecret = plain !== text || kind.type === 'password';
  if (isSecret) await hand.veil.over(one, hand);

  if (isSet(kind.type) && !keys) {
    const before = append ? await evaluateOn(hand, one, valueOf, undefined, 'The field') : '';
    await setValue(hand, found, before + plain);
    await verifySet(hand, found, before + plain, isSecret);
    return { located };
  }
  if (!keys) await refuseForm(hand, found, plain);
  const isKept = append && (keys || kind.editable === 'rich');
  const field = await TypedField.take(hand, found, isKept ? 'end' : 'all');
  const wanted = (append ? field.before : '') + plain;
  if (keys) {
    if (isSet(kind.type)) await setValue(hand, found, '');
    else if (!append) await field.insert('');
    await pressEach(hand, plain);
  } else await field.insert(isKept ? plain : wanted);
  await field.verify({ text: wanted, type: kind.type, keys }, isSecret);
  return { located };
}

/** Empties a field, as one does who selects all and deletes it. */
export const clear: ActionHandler<'clear'> = async (hand, { target }) => {
  const found = await fieldOf(hand, target);
  if (isSet(found.kind.type)) await setValue(hand, found, '');
  else {
    const field = await TypedField.take(hand, found, 'all');
    await field.insert('');
    await field.verify({ text: '', type: found.kind.type, keys: false }, found.kind.type === 'password');
  }
  return { located: found.located };
};

/**
 * The field of a target: the element itself, the control of a label, or the input of a code editor.
 * @throws as `locate`; PilothouseError ACTION_UNSUPPORTED for what is no field
 */
async function fieldOf(hand: ActionContext, target: Target): Promise<LocatedTarget> {
  const found = await waitForTarget(hand, target, 'editable');
  const { kind, located, one, frame } = found;
  if (kind.editable !== null) return found;
  const other = await raceDeadline(one.other(fieldFor, undefined), hand, located.locator);
  if (other) {
    const { found: field } = await checkElement(hand, fromHandle(other), frame, 'visible', located);
    if (field) return { ...field, kind: { ...field.kind, editable: field.kind.editable ?? 'rich' } };
  }
  const what = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${located.locator} is ${what}, not a field to type into; name the field inside of it, or click it and use \`press\``,
  );
}

function refuseLineBreak(text: string, { kind, located }: LocatedTarget): void {
  if (kind.editable !== 'field' || !/[\r\n]/.test(text)) return;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `The text has a line break but ${located.locator} has one line; take it out, and use a \`press\` step with Enter to send a form`,
  );
}

/** Form of a text that fields of these types take; they silently drop anything else. */
const forms: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'HH:MM',
  month: 'YYYY-MM',
  week: 'YYYY-Www',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  number: 'a number such as 3.5',
};

/** Whether a field of this type keeps the text, found out on one that nobody sees. */
const keeps = elementFunction((element: Element, text: string) => {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  return probe.value !== '';
});

/** Types of fields whose value is set, because nobody can type it. */
const isSet = (type: string) => type !== 'number' && (type in forms || type === 'color' || type === 'range');

async function refuseForm(hand: ActionContext, { one, kind, located }: LocatedTarget, text: string): Promise<void> {
  const form = kind.tag === 'input' ? forms[kind.type] : undefined;
  if (!form || text === '' || (await evaluateOn(hand, one, keeps, text, 'The field'))) return;
  throw new PilothouseError(
    'ACTION_UNSUPPORTED',
    `${located.locator} is a field of type ${kind.type}: it takes ${form}`,
  );
}

async function setValue(hand: ActionContext, found: LocatedTarget, text: string): Promise<void> {
  await refuseForm(hand, found, text);
  try {
    await sendInput(hand, 'Typing', () => found.one.fill(text, { force: true, timeout: playwrightTimeout(hand) }));
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    /* Playwright's message may hold the text, and the text may be a secret: neither message nor cause is passed on. */
    throw new PilothouseError('TARGET_NOT_ACTIONABLE', `${found.located.locator} did not take the text`);
  }
}

/** A range and a colour take the nearest value that they have. A page may reset any field. */
async function verifySet(
  hand: ActionContext,
  { one, kind, located }: LocatedTarget,
  text: string,
  isSecret: boolean,
): Promise<void> {
  const seen = await one.evaluateAll(valueOf, undefined).catch(() => null);
  hand.signal.throwIfAborted();
  if (!seen) return;
  const isKept =
    kind.type === 'range'
      ? Number(seen.value) === Number(text)
      : kind.type === 'color'
        ? seen.value === text.toLowerCase()
        : seen.value !== '' || text === '';
  if (isKept) return;
  const what = isSecret
    ? 'another value than the secret'
    : `${JSON.stringify(seen.value)}, not ${JSON.stringify(text)}`;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${located.locator} holds ${what}; give a value that a field of type ${kind.type} takes`,
    { details: { locator: located.locator } },
  );
}

/** Key after key, each checked before it is sent: a run that is stopped types no further. */
async function pressEach(hand: ActionContext, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    hand.guard();
    await raceDeadline(hand.page.keyboard.type(character), hand, 'Typing');
  }
  hand.sent();
}

/** Puts a text on the clipboard of the run. */
export const writeClipboard: ActionHandler<'writeClipboard'> = async (hand, { text }) => {
  await hand.settled();
  hand.clipboard.put(text);
  return NO_TARGET;
};

/**
 * Reads what was copied since the last such step, waiting for it: many a button copies a little later. An old text is never taken for a
 * new one.
 * @throws PilothouseError EXTRACTION_FAILED when nothing was copied
 */
export const readClipboard: ActionHandler<'readClipboard'> = async (hand) => {
  await hand.settled();
  const copied = await hand.clipboard.copied(limitDeadline(hand, ASSERT_MS));
  if (copied !== null) return { located: null, value: copied };
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `Nothing was copied since the last \`readClipboard\` step, also within ${ASSERT_MS / 1000} s; a step before this one has to click what copies, or to press ControlOrMeta+C`,
  );
};
