import { PilothouseError } from '@pilothouse/contract';
import { focus, send, timeoutOf } from './browser.input.ts';
import { locate, type Found } from './browser.locate.ts';
import { originOf } from './browser.resolve.ts';
import type { Hand, Handler } from './hand.ts';
import { inPage } from './page/in-page.ts';
import { bounded } from './wait.ts';

/** Puts the caret behind what is there. */
const caretToEnd = inPage((element: Element) => {
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

const valueOf = inPage((element: Element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.value : '',
);

/**
 * Types into a field. By default the text replaces what is there in one go, as pasting does; `keys` presses key after key.
 * It never sends a form: a line break in a field of one line is refused.
 */
export const type: Handler<'type'> = async (hand, { target, text, append = false, keys = false }) => {
  const found = await locate(hand, target, 'editable');
  const { kind, located, one } = found;
  if (kind.editable === null) {
    const what = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
    throw new PilothouseError('ACTION_UNSUPPORTED', `${located.locator} is ${what}, not a field to type into`);
  }
  refuseLineBreak(text, found);
  const plain = await hand.reveal(text, originOf(found.frame));
  refuseLineBreak(plain, found);

  if (keys) {
    if (!append) await fill(hand, found, '');
    await focus(hand, one);
    if (append) await bounded(one.evaluate(caretToEnd, undefined), hand, 'The caret');
    await pressEach(hand, plain);
  } else if (append && kind.editable === 'rich') {
    await focus(hand, one);
    await bounded(one.evaluate(caretToEnd, undefined), hand, 'The caret');
    await send(hand, 'Typing', () => hand.page.keyboard.insertText(plain));
  } else {
    const before = append ? await bounded(one.evaluate(valueOf, undefined), hand, 'The field') : '';
    await fill(hand, found, before + plain);
  }
  return { located };
};

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
const keeps = inPage((element: Element, text: string) => {
  const probe = element.cloneNode() as HTMLInputElement;
  probe.value = text;
  return probe.value !== '';
});

async function fill(hand: Hand, { one, kind, located }: Found, text: string): Promise<void> {
  const form = kind.tag === 'input' ? forms[kind.type] : undefined;
  if (form && text !== '' && !(await bounded(one.evaluate(keeps, text), hand, 'The field'))) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is a field of type ${kind.type}: it takes ${form}`,
    );
  }
  try {
    await send(hand, 'Typing', () => one.fill(text, { force: true, timeout: timeoutOf(hand) }));
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
