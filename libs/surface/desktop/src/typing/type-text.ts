import type { Session } from '../process/start-session.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { TypeResult } from '../session/session-protocol.ts';

/** Characters that are typed by keys; a longer text is pasted. */
const MAX_KEYED_CHARACTERS = 200;

/** Distinct characters for a window that supports no ping. They fit the ordinary keys, so that no key is bound twice. */
const MAX_DISTINCT_UNCONFIRMED = 40;

/** Milliseconds for a window to answer a ping before the first key. An application that starts is busy for seconds. */
const PROBE_TIMEOUT_MS = 5_000;

/** Milliseconds for an application to fetch a pasted text. */
const FETCH_TIMEOUT_MS = 3_000;

/** WM_CLASS of terminals, where Ctrl+V is no shortcut. */
const TERMINALS = /^(xterm|uxterm|rxvt|urxvt|qterminal|konsole|.*-terminal|terminator|kitty|alacritty|st)$/;

/** True for a window in which Ctrl+A and Ctrl+C are keys of the program. */
export const isTerminal = ({ appId }: WindowFacts): boolean => TERMINALS.test(appId);

/** Code points outside the basic plane and joiners, which Qt and LibreOffice lose when they are typed. */
const PASTE_ONLY = /[\u{10000}-\u{10FFFF}\u200D\uFE0F]/u;

/** A text that was typed. */
interface TypedText extends Pick<TypeResult, 'method' | 'wasConsumed'> {
  /** Restores the clipboard. Call it after the readback: Chromium fetches a pasted text more than once. Ignores errors. */
  restoreClipboard(): Promise<void>;
}

/** Types a text into the focused window: by keys where they are exact, else by the clipboard. */
export async function typeText(
  session: Pick<Session, 'ping' | 'keyboard' | 'clipboard'>,
  window: WindowFacts,
  text: string,
  signal: AbortSignal,
): Promise<TypedText> {
  const characters = [...text];
  const isPingSupported = await session.ping.isSupportedBy(window.id);
  const hasAnsweredPing = isPingSupported && (await session.ping.send(window.id, PROBE_TIMEOUT_MS));
  const isKeyed =
    characters.length <= MAX_KEYED_CHARACTERS &&
    !PASTE_ONLY.test(text) &&
    (hasAnsweredPing || (!isPingSupported && new Set(characters).size <= MAX_DISTINCT_UNCONFIRMED));
  if (isKeyed) {
    const { isRead: wasConsumed } = await session.keyboard.type(text, hasAnsweredPing ? window.id : 0, signal);
    return { method: 'keys', wasConsumed, restoreClipboard: () => Promise.resolve() };
  }
  const previous = await session.clipboard.read();
  await session.clipboard.write(text);
  const fetched = session.clipboard.fetched(FETCH_TIMEOUT_MS);
  await session.keyboard.pressPaste(isTerminal(window));
  const isFetched = await fetched;
  const wasConsumed = isFetched && (!hasAnsweredPing || (await session.ping.send(window.id, FETCH_TIMEOUT_MS)));
  return {
    method: 'paste',
    wasConsumed,
    restoreClipboard: () =>
      (previous === null ? session.clipboard.clear() : session.clipboard.write(previous)).catch(() => undefined),
  };
}
