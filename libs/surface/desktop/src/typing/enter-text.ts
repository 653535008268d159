import type { TextReadback } from '../session/text-readback.ts';
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
import { isSameProgram } from '../process/program-family.ts';
import { isTerminal, typeText } from './type-text.ts';
import { editOf } from './edit-key.ts';
import { isWord, mayLeaveField, withFocusChange } from './focus-change.ts';
import { waitForFieldFocus } from './field-focus.ts';
import { endsEntry, OPEN_ENTRY } from './cell-entry.ts';
import { hasReadKeys } from './read-keys.ts';
import { withFieldlessEffect } from './typing-effect.ts';
import type { ScreenCapture } from '../x/screen-capture.ts';
import { FieldReadback } from './field-readback.ts';

/** Milliseconds for a field to replace its text. */
const REPLACE_TIMEOUT_MS = 2_000;

/** Milliseconds for a clicked field of a page to get the keyboard focus. Without it, the readback reports the difference. */
const FOCUS_TIMEOUT_MS = 2_000;

/** Milliseconds of the step that stay for the answer, and between two looks at the focus. */
const ANSWER_RESERVE_MS = 500;
const FOCUS_INTERVAL_MS = 100;

/** Milliseconds for a window in which nothing has the focus to focus something. */
const UNFOCUSED_TIMEOUT_MS = 1_000;

type TypingSession = Pick<Session, 'windows' | 'ping' | 'keyboard' | 'clipboard' | 'timers' | 'processes'> & {
  readonly input: NutInput;
  readonly bus: AccessibilityBus;
  readonly pages: BrowserPages;
  readonly screen: Pick<ScreenCapture, 'unchangedMs'>;
};

/**
 * Types a text into the focused window, and reads it back through AT-SPI, the pipe of a browser, or the clipboard.
 * @throws Error if no window has the focus, or the focused object does not take the edit
 */
export async function enterText(session: TypingSession, options: TypeOptions): Promise<TypeResult> {
  const { text, mode, field, timeoutMs } = options;
  const endsAt = session.timers.monotonic() + timeoutMs;
  const remainingMs = () => Math.max(1_000, endsAt - session.timers.monotonic());
  const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
  const window = await session.windows.waitForActive();
  if (!window) throw new Error('No window has the focus');
  if (options.windowId !== null && options.windowId !== window.id)
    throw new Error(
      `The window ${JSON.stringify(window.title)} has the focus instead; activate the window of the field`,
    );
  if (field && pidOfPageBus(field.bus) !== null) await session.pages.waitForFocus(field, FOCUS_TIMEOUT_MS);
  else if (field && mode !== 'insert') await waitForFieldFocus(session.bus, session.windows, window, field);
  const { key, isCell, isOpen } = await editOf(session, window, options);
  if (key) await session.input.press(chord(key), 1);
  if (!options.verify) {
    const { method, wasConsumed, restoreClipboard } = await typeText(session, window, text, signal, remainingMs());
    await restoreClipboard();
    return { method, wasConsumed, readback: { status: 'unverifiable', reason: 'The field was not read back' } };
  }
  const earlierWindows = new Set((await session.windows.list()).map(({ id }) => id));
  const typed = await fieldOf(session, window, options);
  const hasOpenEntry = isCell && (text === '' ? isOpen : !endsEntry(text));
  const edited = { ...options, isCell, hasOpenEntry };
  if (text === '') return confirm(session, window, typed, edited, await erase(session, window, remainingMs()));
  const startMs = session.timers.monotonic();
  const { restoreClipboard, ...input } = await typeText(session, window, text, signal, remainingMs());
  try {
    const confirmed = await confirm(session, window, typed, edited, input);
    const isFieldless =
      typed.isFieldless && typed.control === null && !isTerminal(window) && !mayLeaveField(text) && isWord(text);
    const readField = async () => {
      const active = (await session.windows.active()) ?? window;
      // A field of another program proves nothing.
      const isOwn = active.id === window.id || (await isSameProgram(active, window));
      return isOwn ? FieldReadback.read(session, active, null, timeoutMs) : null;
    };
    const answersPing = () => session.ping.send(window.id, remainingMs());
    const result =
      options.needsField && isFieldless && confirmed.readback.status === 'unverifiable'
        ? await withFieldlessEffect(
            { timers: session.timers, screen: session.screen, readField, hasReadKeys: answersPing },
            { text, startMs, wasConsumed: input.wasConsumed, timeoutMs: remainingMs() },
            confirmed,
          )
        : confirmed;
    const isTargeted = options.needsField !== true;
    return await withFocusChange(session, { window, typed, text, earlierWindows, isTargeted }, result);
  } finally {
    await restoreClipboard();
  }
}

/**
 * Reads the field that will receive the text.
 * @throws Error if a control keeps the focus, and keys of the text may press it
 */
async function fieldOf(
  session: TypingSession,
  window: WindowFacts,
  { text, field, needsField = false, timeoutMs }: TypeOptions,
): Promise<FieldReadback> {
  const { timers } = session;
  // Letters press buttons of dialogs. Elsewhere a window may take keys itself while a button has the focus, as calculators do.
  const mayPress = window.isDialog || PRESSING_KEYS.test(text);
  const waitMs = timeoutMs - ANSWER_RESERVE_MS;
  // A document that opens has no focus yet.
  const unfocusedUntil = timers.monotonic() + Math.min(UNFOCUSED_TIMEOUT_MS, waitMs);
  const endsAt = timers.monotonic() + (mayPress ? waitMs : Math.min(FOCUS_TIMEOUT_MS, waitMs));
  for (;;) {
    const typed = await FieldReadback.read(session, window, field, timeoutMs);
    // Spaces and line breaks press a focused button.
    if (!needsField || text.trim() === '') return typed;
    const mayGetFocus = typed.isUnfocused && timers.monotonic() < unfocusedUntil;
    if (typed.control === null && !mayGetFocus) return typed;
    const isLate = !mayGetFocus && timers.monotonic() > endsAt;
    if (isLate && !mayPress) return typed;
    if (isLate)
      throw new Error(
        `Nothing was typed: ${typed.control} of the window ${JSON.stringify(window.title)} has the focus, and takes no text; give the field as \`target\`, or close the dialog first`,
      );
    await timers.delay(FOCUS_INTERVAL_MS);
    const active = await session.windows.active();
    if (active && active.id !== window.id)
      throw new Error(
        `Nothing was typed: the window ${JSON.stringify(active.title)} has the focus now instead of ${JSON.stringify(window.title)}`,
      );
  }
}

/** Keys that press a focused control. */
const PRESSING_KEYS = /[ \n]/;

/** Reads the field back. */
async function confirm(
  session: TypingSession,
  window: WindowFacts,
  typed: FieldReadback,
  { text, mode, isCell, hasOpenEntry }: TypeOptions & { readonly isCell: boolean; readonly hasOpenEntry: boolean },
  result: Pick<TypeResult, 'method' | 'wasConsumed'>,
): Promise<TypeResult> {
  if (!result.wasConsumed && result.method === 'paste')
    return { ...result, readback: { status: 'different', reason: 'The application did not fetch the pasted text' } };
  if (!result.wasConsumed && text !== '' && (await session.ping.isSupportedBy(window.id)))
    return { ...result, readback: { status: 'unverifiable', reason: KEYS_NOT_READ } };
  // A cell that is being edited may publish no text.
  if (hasOpenEntry) return { ...result, readback: OPEN_ENTRY };
  const readback = await typed.readback({ kind: mode === 'replace' ? 'whole' : 'inserted', text });
  if (mode !== 'replace' || isCell || readback.status === 'confirmed') return { ...result, readback };
  if (typed.target === null) return { ...result, readback: await copiedReadback(session, window, text, readback) };
  // Does not replace the text of a page field over AT-SPI. Scripts of the page control its value.
  if (pidOfPageBus(typed.target.bus) !== null) return { ...result, readback };
  // The program changed the typed text, for example by AutoCorrect. Replacing the whole text bypasses that.
  if (!(await replaceText(session.bus, typed.target, text, REPLACE_TIMEOUT_MS))) return { ...result, readback };
  const copied = await copiedReadback(session, window, text, readback);
  return { method: 'accessibility', wasConsumed: true, readback: copied };
}

/** Presses Delete, and waits until the window has read it. */
async function erase(
  session: TypingSession,
  window: WindowFacts,
  timeoutMs: number,
): Promise<Pick<TypeResult, 'method' | 'wasConsumed'>> {
  await session.input.press(chord('Delete'), 1);
  const isRead = await hasReadKeys(session, window, Math.max(0, timeoutMs - ANSWER_RESERVE_MS));
  return { method: 'keys', wasConsumed: isRead === true };
}

/**
 * Compares the whole text of a field by copying it. Harmless for a field that was just replaced; never done in a terminal, where
 * Ctrl+C interrupts the program.
 * @returns `fallback` if nothing can be copied
 */
async function copiedReadback(
  session: TypingSession,
  window: WindowFacts,
  text: string,
  fallback: TextReadback,
): Promise<TextReadback> {
  if (isTerminal(window) || text === '') return fallback;
  const copied = await copySelection(session, chord('Control+A'), chord('Control+C'), chord('Control+End'));
  if (copied === null) return fallback;
  if (normalized(copied) === normalized(text)) return { status: 'confirmed' };
  // Ctrl+A does not select the whole text everywhere: a copy that is a part of it proves nothing.
  if (text.includes(copied)) return fallback;
  return { status: 'different', difference: firstDifference(normalized(text), normalized(copied)) };
}

/** The keys still arrive: the text must not be typed again. */
const KEYS_NOT_READ = 'The application did not read the keys in time; they arrive when it answers again';

function chord(text: string): KeyChord {
  const parsed = parseKeyChord(text);
  if (!parsed) throw new Error(`Unknown key ${text}`);
  return parsed;
}
