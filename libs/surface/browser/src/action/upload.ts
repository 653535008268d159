import { PilothouseError, type Target } from '@pilothouse/contract';
import type { FileChooser } from 'playwright-core';
import { sendInput, playwrightTimeout } from '../browser.input.ts';
import { press } from './hit-target.ts';
import { waitForTarget } from '../target/locate.ts';
import type { ActionContext, ActionHandler } from '../hand.ts';
import { withTimeout, raceDeadline, remainingMs } from '../wait.ts';

/** How long a page may take after a click to ask for a file, in milliseconds. */
const ASKING = 10_000;

/**
 * Gives a file to a file input, which may be hidden: many sites lay a button of their own over it. Anything else is clicked, and what
 * asks for a file then gets it.
 */
export const upload: ActionHandler<'upload'> = async (hand, { target, file }) => {
  const { one, kind, located } = await waitForTarget(hand, target, 'attached');
  const path = await hand.file(file);
  if (kind.type === 'file') {
    await sendInput(hand, 'The choice of the file', () =>
      one.setInputFiles(path, { timeout: playwrightTimeout(hand) }),
    );
    return { located };
  }
  const chooser = await chooserAfterClick(hand, target);
  if (!chooser) {
    const what = kind.type ? `<input type="${kind.type}">` : `<${kind.tag}>`;
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${located.locator} is ${what}, and asks for no file when it is clicked; name the <input type="file">, also when it is hidden`,
    );
  }
  await sendInput(hand, 'The choice of the file', () => chooser.setFiles(path, { timeout: playwrightTimeout(hand) }));
  return { located };
};

/** Clicks, and waits for the page to ask for a file. @returns null when it does not */
async function chooserAfterClick(hand: ActionContext, target: Target): Promise<FileChooser | null> {
  const { page } = hand;
  let onChooser = (_: FileChooser) => {};
  const asked = new Promise<FileChooser>((resolve) => (onChooser = resolve));
  /* Playwright tells Chromium of the listener without waiting: the look at the target comes after that, and the click after the look. */
  page.on('filechooser', onChooser);
  try {
    await press(hand, (aim) => waitForTarget(hand, target, 'input', aim), {
      what: 'The click',
      send: ({ x, y }) => page.mouse.click(x, y),
    });
    const soon = withTimeout(hand, Math.min(ASKING, remainingMs(hand) * 0.8));
    const chooser = await raceDeadline(asked, soon, 'The choice of the file').catch(() => null);
    hand.signal.throwIfAborted();
    return chooser;
  } finally {
    page.off('filechooser', onChooser);
  }
}
