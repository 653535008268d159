import type { KeyChord } from '../input/key-names.ts';
import type { NutInput } from '../input/nut-input.ts';
import type { Session } from '../process/start-session.ts';

/** Milliseconds for an application to own the clipboard after its copy shortcut, and between two reads. */
const COPY_TIMEOUT_MS = 700;
const READ_INTERVAL_MS = 20;

/** Content of the clipboard until the application copies. */
const MARKER = '\u2063pilothouse\u2063';

/**
 * Copies the text of the focused field through the clipboard, which is restored.
 * @param unselect removes the selection afterwards
 * @returns null if the application copied nothing
 */
export async function copySelection(
  { input, clipboard, timers }: Pick<Session, 'clipboard' | 'timers'> & { readonly input: NutInput },
  select: KeyChord,
  copy: KeyChord,
  unselect: KeyChord,
): Promise<string | null> {
  const previous = await clipboard.read();
  await clipboard.write(MARKER);
  try {
    await input.press(select, 1);
    await input.press(copy, 1);
    const endsAt = timers.monotonic() + COPY_TIMEOUT_MS;
    while (timers.monotonic() < endsAt) {
      const text = await clipboard.read();
      if (text !== null && text !== MARKER) return text;
      await timers.delay(READ_INTERVAL_MS);
    }
    return null;
  } finally {
    await input.press(unselect, 1);
    if (previous === null) await clipboard.clear();
    else await clipboard.write(previous);
  }
}
