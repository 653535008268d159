import { PilothouseError, type Target } from '@pilothouse/contract';
import { focus, onOne, send, timeoutOf } from '../browser.input.ts';
import { locate, type Found } from '../target/locate.ts';
import { originOf } from '../target/resolve.ts';
import type { Hand, Handler } from '../hand.ts';
import { inPageOnOne } from '../page/in-page.ts';
import { bounded } from '../wait.ts';

/** Puts the caret behind what is there. */
const caretToEnd = inPageOnOne((element: Element) => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    /* Numbers and addresses have no selection to set; their caret is at the end after focus. */
    if (element.selectionStart !== null) element.setSelectionRange(element.value.length, element.value.length);
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  range.collapse(false);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
});

const valueOf = inPageOnOne((element: Element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : '',
);

/**
 * Types into a field. By default the text replaces what is there in one go, as pasting does; `keys` presses key after key.
 * It never sends a form: a line break in a field of one line is refused.
 */
export const type: Handler<'type'> = async (hand, { target, text, append = false, keys = false }) => {
  const found = await fieldOf(hand, target);
  const { located, one } = found;
  refuseLineBreak(text, found);
  const plain = await hand.reveal(text, originOf(found.frame));
  refuseLineBreak(plain, found);
  if (plain !== text || found.kind.type === 'password') await hand.veil.over(one, hand);

  if (keys) {
    if (!append) await fill(hand, found, '');
    await focus(hand, one);
    if (append) await onOne(hand, one, caretToEnd, undefined, 'The caret');
    await pressEach(hand, plain);
  } else if (append && found.kind.editable === 'rich') {
    await focus(hand, one);
    await onOne(hand, one, caretToEnd, undefined, 'The caret');
    await send(hand, 'Typing', () => hand.page.keyboard.insertText(plain));
  } else {
    const before = append ? await onOne(hand, one, valueOf, undefined, 'The field') : '';
    await fill(hand, found, before + plain);
  }
  return { located };
};

/** Empties a field, as one does who selects all and deletes it. */
export const clear: Handler<'clear'> = async (hand, { target }) => {
  const found = await fieldOf(hand, target);
  await fill(hand, found, '');
  return { located: found.located };
};

/** @throws as `locate`; PilothouseError ACTION_UNSUPPORTED for what is no field */
async function fieldOf(hand: Hand, target: Target): Promise<Found> {
  const found = await locate(hand, target, 'editable');
  const { kind, located } = found;
  if (kind.editable !== null) return found;
  const what = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
  throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} is ${what}, not a field to type into`);
}

function refuseLineBreak(text: string, { kind, located }: Found): void {
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
const keeps = inPageOnOne((element: Element, text: string) => {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  return probe.value !== '';
});

/** Takes the focus and selects all that is in the field: what is typed next takes its place. */
const selectAll = inPageOnOne((element: Element) => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    element.select();
    element.focus();
    return;
  }
  if (element instanceof HTMLElement) element.focus();
  const range = document.createRange();
  range.selectNodeContents(element);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
});

/** Types of fields whose value is set, because nobody can type it. */
const isSet = (type: string) => type !== 'number' && (type in forms || type === 'color' || type === 'range');

/** Puts the text where all that is in the field is. */
async function replace(hand: Hand, { one, kind }: Found, text: string): Promise<void> {
  if (isSet(kind.type)) {
    await send(hand, 'Typing', () => one.fill(text, { force: true, timeout: timeoutOf(hand) }));
    return;
  }
  await onOne(hand, one, selectAll, undefined, 'Typing');
  const { keyboard } = hand.page;
  await send(hand, 'Typing', () => (text === '' ? keyboard.press('Delete') : keyboard.insertText(text)));
}

async function fill(hand: Hand, found: Found, text: string): Promise<void> {
  const { one, kind, located } = found;
  const form = kind.tag === 'input' ? forms[kind.type] : undefined;
  if (form && text !== '' && !(await onOne(hand, one, keeps, text, 'The field'))) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is a field of type ${kind.type}: it takes ${form}`,
    );
  }
  try {
    await replace(hand, found, text);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    /* What Playwright says may hold the text, and the text may be a secret: neither message nor cause is passed on. */
    throw new PilothouseError('TARGET_NOT_READY', `${located.locator} did not take the text`);
  }
}

/** Key after key, each checked before it is sent: a run that is stopped types no further. */
async function pressEach(hand: Hand, text: string): Promise<void> {
  for (const character of text.replaceAll('\r\n', '\n')) {
    hand.guard();
    await bounded(hand.page.keyboard.type(character), hand, 'Typing');
  }
  hand.sent();
}
