import type { Delivery } from '@pilothouse/contract/actions/delivery.schema';
import type { AccessibilityBus } from '../accessibility/accessibility-bus.ts';
import { replaceText } from '../accessibility/accessible-text.ts';
import { parseKeyChord, type KeyChord } from '../input/key-names.ts';
import type { NutInput } from '../input/nut-input.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { BrowserPages } from '../chromium/browser-pages.ts';
import { copySelection } from './copy-selection.ts';
import { pidOfPageBus } from '../chromium/page-nodes.ts';
import type { TypeOptions, TypeResult } from '../session/session-protocol.ts';
import type { Session } from '../process/start-session.ts';
import { firstDifference, normalized } from './text-difference.ts';
import { isTerminal, typeText } from './type-text.ts';
import { FieldReadback } from './field-readback.ts';

/** Milliseconds for a field to replace its text. */
const REPLACE_TIMEOUT_MS = 2_000;

/** Milliseconds for a clicked field of a page to get the keyboard focus. Without it, the readback reports the difference. */
const FOCUS_TIMEOUT_MS = 2_000;

type TypingSession = Pick<Session, 'windows' | 'ping' | 'keyboard' | 'clipboard' | 'timers'> & {
  readonly input: NutInput;
  readonly bus: AccessibilityBus;
  readonly pages: BrowserPages;
};

/**
 * Types a text into the focused window, and reads it back through AT-SPI, the pipe of a browser, or the clipboard.
 * @throws Error if no window has the focus
 */
export async function enterText(session: TypingSession, options: TypeOptions): Promise<TypeResult> {
  const { text, mode, field, timeoutMs } = options;
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const window = await session.windows.waitForActive();
  if (!window) throw new Error('No window has the focus');
  if (options.windowId !== null && options.windowId !== window.id)
    throw new Error(
      `The window ${JSON.stringify(window.title)} has the focus instead; activate the window of the field`,
    );
  if (field && pidOfPageBus(field.bus) !== null) await session.pages.waitForFocus(field, FOCUS_TIMEOUT_MS);
  if (mode !== 'insert') await session.input.press(chord(mode === 'append' ? 'Control+End' : 'Control+A'), 1);
  if (!options.verify) {
    const { method, wasConsumed, restoreClipboard } = await typeText(session, window, text, signal);
    await restoreClipboard();
    return { method, wasConsumed, delivery: { status: 'unverified', reason: 'The field was not read back' } };
  }
  const typed = await FieldReadback.read(session, window, field);
  if (text !== '') {
    const { method, wasConsumed, restoreClipboard } = await typeText(session, window, text, signal);
    try {
      return await confirm(session, window, typed, options, { method, wasConsumed });
    } finally {
      await restoreClipboard();
    }
  }
  return confirm(session, window, typed, options, await erase(session));
}

/** Reads the field back. */
async function confirm(
  session: TypingSession,
  window: WindowFacts,
  typed: FieldReadback,
  { text, mode }: TypeOptions,
  result: Pick<TypeResult, 'method' | 'wasConsumed'>,
): Promise<TypeResult> {
  if (!result.wasConsumed && result.method === 'paste')
    return { ...result, delivery: { status: 'failed', reason: 'The application did not fetch the pasted text' } };
  if (!result.wasConsumed && text !== '' && (await session.ping.isSupportedBy(window.id)))
    return { ...result, delivery: { status: 'failed', reason: 'The application did not read the keys in time' } };
  const delivery = await typed.delivery({ kind: mode === 'replace' ? 'whole' : 'inserted', text });
  if (mode !== 'replace' || delivery.status === 'delivered') return { ...result, delivery };
  if (typed.target === null) return { ...result, delivery: await copiedDelivery(session, window, text, delivery) };
  // Does not replace the text of a page field over AT-SPI. Scripts of the page control its value.
  if (pidOfPageBus(typed.target.bus) !== null) return { ...result, delivery };
  // The program changed the typed text, for example by AutoCorrect. Replacing the whole text bypasses that.
  if (!(await replaceText(session.bus, typed.target, text, REPLACE_TIMEOUT_MS))) return { ...result, delivery };
  const copied = await copiedDelivery(session, window, text, delivery);
  return { method: 'accessibility', wasConsumed: true, delivery: copied };
}

async function erase({ input }: TypingSession): Promise<Pick<TypeResult, 'method' | 'wasConsumed'>> {
  await input.press(chord('Delete'), 1);
  return { method: 'keys', wasConsumed: false };
}

/**
 * Compares the whole text of a field by copying it. Harmless for a field that was just replaced; never done in a terminal, where
 * Ctrl+C interrupts the program.
 * @returns `fallback` if nothing can be copied
 */
async function copiedDelivery(
  session: TypingSession,
  window: WindowFacts,
  text: string,
  fallback: Delivery,
): Promise<Delivery> {
  if (isTerminal(window) || text === '') return fallback;
  const copied = await copySelection(session, chord('Control+A'), chord('Control+C'), chord('Control+End'));
  if (copied === null) return fallback;
  if (normalized(copied) === normalized(text)) return { status: 'delivered' };
  // Ctrl+A does not select the whole text everywhere: a copy that is a part of it proves nothing.
  if (text.includes(copied)) return fallback;
  return { status: 'failed', difference: firstDifference(normalized(text), normalized(copied)) };
}

function chord(text: string): KeyChord {
  const parsed = parseKeyChord(text);
  if (!parsed) throw new Error(`Unknown key ${text}`);
  return parsed;
}
