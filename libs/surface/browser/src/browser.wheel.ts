import type { Locator, WheelInput } from '@pilothouse/contract';
import type { Touched } from '@pilothouse/core';
import { press, send } from './browser.input.ts';
import { lookAt, locateNow } from './target/locate.ts';
import { focused, pixelsAt } from './target/pointed.ts';
import type { Hand } from './hand.ts';
import { bounded } from './wait.ts';

/** Longest text that is typed key by key, as pages expect of a person; a longer one comes at once, as of an input method. */
const BY_KEYS = 40;

/** Does what a person at the wheel does, at once. @returns what it is done to, where that is to be known */
export async function drive(hand: Hand, input: WheelInput): Promise<Touched | null> {
  switch (input.kind) {
    case 'move':
      await point(hand, input, (x, y) => hand.page.mouse.move(x, y));
      return null;
    case 'down': {
      const { x, y, button, count } = input;
      const touched = await unlessUnknown(hand, () => identify(hand, { at: { x, y } }));
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.down({ button, clickCount: count });
      });
      return touched;
    }
    case 'up': {
      const { button, count } = input;
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.up({ button, clickCount: count });
      });
      return null;
    }
    case 'scroll':
      await point(hand, input, async (left, top) => {
        await hand.page.mouse.move(left, top);
        await hand.page.mouse.wheel(input.dx, input.dy);
      });
      return null;
    case 'text':
    case 'paste':
    case 'key': {
      const touched = await unlessUnknown(hand, () => underCaret(hand));
      await write(hand, input);
      return touched;
    }
  }
}

/** What is meant by a number or a place. @returns null when nothing is there */
export async function identify(hand: Hand, pointed: Pick<Locator, 'element' | 'at'>): Promise<Touched | null> {
  const found = await locateNow(hand, pointed, 'attached');
  return found && touchedOf(found);
}

async function write(hand: Hand, input: Extract<WheelInput, { kind: 'text' | 'paste' | 'key' }>): Promise<void> {
  if (input.kind === 'text') {
    const { keyboard } = hand.page;
    const { text } = input;
    return send(hand, 'Typing', () => (text.length > BY_KEYS ? keyboard.insertText(text) : keyboard.type(text)));
  }
  if (input.kind === 'paste') hand.clipboard.put(input.text);
  const key = input.kind === 'paste' ? 'ControlOrMeta+V' : input.key;
  await press(hand, { action: 'press', key });
}

async function point(hand: Hand, at: { x: number; y: number }, input: (x: number, y: number) => Promise<void>) {
  const { x, y } = await bounded(pixelsAt(hand.page, at), hand, 'The size of the page');
  await send(hand, 'The pointer', () => input(x, y));
}

/** What has the focus; null when nothing has. */
async function underCaret(hand: Hand): Promise<Touched | null> {
  const found = await bounded(focused(hand.page), hand, 'The focus');
  if (!found) return null;
  const seen = await lookAt(hand, found.one, found.frame, 'attached', { locator: 'the focus', tried: 1 });
  return seen.found ? touchedOf(seen.found) : null;
}

function touchedOf({ kind, located, frame }: NonNullable<Awaited<ReturnType<typeof locateNow>>>): Touched {
  // Of an element in a frame the ways lead from the frame, which is not found again so.
  const locators = frame.parentFrame() ? [] : (located.others ?? []);
  return { locators, isSecret: kind.type === 'password' };
}

/** A page that is changing has no answer: then nothing is known, and the input goes out all the same. */
async function unlessUnknown(hand: Hand, look: () => Promise<Touched | null>): Promise<Touched | null> {
  try {
    return await look();
  } catch {
    hand.signal.throwIfAborted();
    return null;
  }
}
