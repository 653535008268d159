import { captureRedacted } from '../redaction/redacted-capture.ts';
import { enterText } from '../typing/enter-text.ts';
import { hasReadKeys } from '../typing/read-keys.ts';
import { effectHandler, type Procedures, type SessionGetter } from './running-session.ts';

/** Maximum characters of a reason in `TextReadback`. */
const MAX_REASON_CHARACTERS = 500;

/** Milliseconds for a clicked field of a page to get the focus. A field may open a list or dialog, which has the focus then. */
const FOCUS_TIMEOUT_MS = 500;

/** Procedures for the pointer, the keyboard and the clipboard. */
export function inputProcedures(
  session: SessionGetter,
): Pick<
  Procedures,
  'move' | 'click' | 'button' | 'drag' | 'scroll' | 'press' | 'endPress' | 'type' | 'readClipboard' | 'writeClipboard'
> {
  /** The last press of keys. */
  let runningPress: { readonly end: AbortController; readonly keys: Promise<unknown> } | null = null;
  const effect = effectHandler(session);
  return {
    move: effect(({ input }, point) => input.move(point)),
    click: async ({ point, button, count, modifiers, window, source, field }) => {
      const { input, windows, screenshots, pages } = session();
      await input.waitForDoubleClickEnd(point, button);
      if (source) {
        const screen = await captureRedacted(session());
        if (!screenshots.isUnchanged(source.screenshotId, source.region, screen)) return 'changed';
      }
      if (window && !(await windows.isOnTop(window, point))) return 'obstructed';
      await input.click(point, button, count, modifiers);
      if (field) await pages.waitForFocus(field, FOCUS_TIMEOUT_MS);
      return 'pressed';
    },
    button: effect(({ input }, { button, isDown }) =>
      isDown ? input.pressButton(button) : input.releaseButton(button),
    ),
    drag: effect(({ input }, { from: start, to: end }) => input.drag(start, end)),
    scroll: effect(({ input }, { point, byX, byY }) => input.scroll(point, byX, byY)),
    press: async ({ chord, times, waitMs = 0, holdMs = 0 }) => {
      const { input, pendingCopy, windows } = session();
      const end = new AbortController();
      const pressKeys = async () => {
        const window = waitMs > 0 ? await windows.active() : null;
        await pendingCopy.beforeKeys(chord);
        await input.press(chord, times, holdMs, end.signal);
        return window;
      };
      // Set at once: an end may be requested before the first key.
      const keys = pressKeys();
      runningPress = { end, keys };
      const window = await keys;
      return window && hasReadKeys(session(), window, waitMs);
    },
    endPress: async () => {
      runningPress?.end.abort();
      await runningPress?.keys.catch(() => undefined);
      return null;
    },
    type: async (options) => {
      const result = await enterText({ ...session(), bus: await session().bus }, options);
      const { difference, reason, ...status } = result.readback;
      // Titles of windows may be long. The difference contains field text, which may hold a secret.
      const readback = {
        ...status,
        ...(reason !== undefined && { reason: reason.slice(0, MAX_REASON_CHARACTERS) }),
        ...(difference && session().redactor.isEmpty && { difference }),
      };
      return { ...result, readback };
    },
    readClipboard: async () => {
      const { clipboard, redactor, pendingCopy } = session();
      await pendingCopy.settle();
      const text = await clipboard.read();
      return text === null ? null : redactor.text(text);
    },
    writeClipboard: effect(({ clipboard }, { text }) => clipboard.write(text)),
  };
}
