import type { Session } from '../process/start-session.ts';
import type { WindowFacts } from '../x/window-manager.ts';
import type { TypeResult } from '../session/session-protocol.ts';
import { hasReadKeys, waitForRest } from './read-keys.ts';

/** Characters that are typed by keys. A longer text is pasted: editors indent typed lines, and add closing brackets and tags. */
const MAX_KEYED_CHARACTERS = 200;

/** ASCII characters that are typed by keys into a window that takes no paste. */
const MAX_KEYED_ASCII_CHARACTERS = 5_000;
const ASCII = /^[\n\t\x20-\x7E]*$/;

/** WM_CLASS of programs in which Ctrl+V starts a command, which would take the first keys after it. */
const PASTELESS = /^(gvim|vim|neovide|nvim-qt)$/;

/** Distinct characters for a window that supports no ping. They fit the ordinary keys, so that no key is bound twice. */
const MAX_DISTINCT_UNCONFIRMED = 40;

/** Milliseconds for a window to answer a ping before the first key. An application that starts is busy for seconds. */
const PROBE_TIMEOUT_MS = 5_000;

/** Milliseconds for an application to fetch a pasted text after it has read the shortcut. */
const FETCH_TIMEOUT_MS = 3_000;

/** Milliseconds of the step that stay for the readback, and milliseconds for typing at least. */
const READBACK_RESERVE_MS = 2_000;
const MIN_TIMEOUT_MS = 1_000;

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
  session: Pick<Session, 'windows' | 'ping' | 'keyboard' | 'clipboard' | 'timers' | 'processes'>,
  window: WindowFacts,
  text: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<TypedText> {
  const { timers } = session;
  const endsAt = timers.monotonic() + Math.max(MIN_TIMEOUT_MS, timeoutMs - READBACK_RESERVE_MS);
  const remainingMs = () => Math.max(1, endsAt - timers.monotonic());
  const characters = [...text];
  const isPingSupported = await session.ping.isSupportedBy(window.id);
  const hasAnsweredPing =
    isPingSupported && (await session.ping.send(window.id, Math.min(PROBE_TIMEOUT_MS, remainingMs() / 2)));
  const hasExactKeys =
    !PASTE_ONLY.test(text) &&
    (hasAnsweredPing || (!isPingSupported && new Set(characters).size <= MAX_DISTINCT_UNCONFIRMED));
  const isTypable = hasExactKeys && characters.length <= MAX_KEYED_ASCII_CHARACTERS && ASCII.test(text);
  // Select All and similar keys before the text are commands.
  if (hasAnsweredPing) await waitForRest(session, window, remainingMs());
  const waitForCommand = async () => (await hasReadKeys(session, window, remainingMs())) === true;
  const typeKeys = async () => {
    const limits = { signal, remainingMs, waitForCommand: hasAnsweredPing ? waitForCommand : null };
    const { isRead } = await session.keyboard.type(text, hasAnsweredPing ? window.id : 0, limits);
    const wasConsumed = isRead || (hasAnsweredPing && (await session.ping.send(window.id, remainingMs())));
    return { method: 'keys', wasConsumed } as const;
  };
  if ((hasExactKeys && characters.length <= MAX_KEYED_CHARACTERS) || (isTypable && PASTELESS.test(window.appId)))
    return { ...(await typeKeys()), restoreClipboard: () => Promise.resolve() };
  const previous = await session.clipboard.read();
  const wasConsumed = await paste(session, window, text, isPingSupported, remainingMs);
  const isWithdrawn = !wasConsumed && !unreadPastes.has(window.id);
  const restoreClipboard = () =>
    (previous !== null && (wasConsumed || isWithdrawn)
      ? session.clipboard.write(previous)
      : session.clipboard.clear()
    ).catch(() => undefined);
  // The focus may have moved meanwhile.
  if (isWithdrawn && isTypable && (await session.windows.active())?.id === window.id)
    return { ...(await typeKeys()), restoreClipboard };
  if (wasConsumed && isPingSupported) await session.ping.send(window.id, remainingMs());
  return { method: 'paste', wasConsumed, restoreClipboard };
}

/** Windows of this session that have not read the shortcut of an earlier paste. The window would paste the next text as well. */
const unreadPastes = new Set<number>();

/**
 * Pastes a text. A busy application fetches it late. After the application has read the shortcut, it fetches the text soon, or never.
 * @returns false if the text was not fetched. It is withdrawn then, and cannot arrive later
 */
async function paste(
  { ping, keyboard, clipboard, timers }: Pick<Session, 'ping' | 'keyboard' | 'clipboard' | 'timers'>,
  window: WindowFacts,
  text: string,
  isPingSupported: boolean,
  remainingMs: () => number,
): Promise<boolean> {
  if (unreadPastes.has(window.id) && !(await ping.send(window.id, remainingMs()))) return false;
  unreadPastes.delete(window.id);
  await clipboard.write(text);
  const fetched = clipboard.fetched(remainingMs());
  await keyboard.pressPaste(isTerminal(window));
  const isRead = isPingSupported ? ping.send(window.id, remainingMs()) : Promise.resolve(true);
  const notFetched = isRead.then(async (hasRead) => {
    if (!hasRead) return false;
    await timers.delay(Math.max(FETCH_TIMEOUT_MS, remainingMs() / 2));
    return false;
  });
  const isFetched = await Promise.race([fetched, notFetched]);
  if (isFetched) return true;
  await clipboard.clear();
  if (!(await isRead)) unreadPastes.add(window.id);
  return false;
}
