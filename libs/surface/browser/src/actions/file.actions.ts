import { PilothouseError, type Target } from '@pilothouse/contract';
import { limitDeadline, raceDeadline, remainingMs } from '@pilothouse/core';
import type { FileChooser } from 'playwright-core';
import { sendInput, playwrightTimeout } from '../browser.input.ts';
import { press } from '../targeting/hit-target.ts';
import { waitForTarget } from '../targeting/locate-element.ts';
import { type ActionContext, type ActionHandler, NO_TARGET } from '../action-context.ts';
import { writeFile } from 'node:fs/promises';
import { playwrightMessage } from '../playwright-errors.ts';

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
    const soon = limitDeadline(hand, Math.min(ASKING, remainingMs(hand) * 0.8));
    const chooser = await raceDeadline(asked, soon, 'The choice of the file').catch(() => null);
    hand.signal.throwIfAborted();
    return chooser;
  } finally {
    page.off('filechooser', onChooser);
  }
}

/**
 * Clicks, and waits for the file that comes of it.
 * @throws as `locate`; PilothouseError STEP_TIMED_OUT when none came, NAVIGATION_FAILED when it did not come whole
 */
export const download: ActionHandler<'download'> = async (hand, { target, name: wanted }) => {
  let next = hand.tabs.files.next(wanted);
  const { located } = await press(hand, (aim) => waitForTarget(hand, target, 'input', aim), {
    what: 'The click',
    send: ({ x, y }) => {
      next = hand.tabs.files.next(wanted);
      return hand.page.mouse.click(x, y);
    },
  });
  try {
    const { name, contentType, size } = await raceDeadline(next, hand, `The download that ${located.locator} starts`);
    return { located, value: { name, contentType, size } };
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError('NAVIGATION_FAILED', `The download failed: ${playwrightMessage(thrown)}`);
  }
};

/** Prints the page into a file. */
export const pdf: ActionHandler<'pdf'> = async (hand, { label = 'page' }) => {
  await hand.settled();
  const { files } = hand.tabs;
  const body = await raceDeadline(hand.page.pdf({ printBackground: true }), hand, 'The PDF');
  const name = `${label.slice(0, 100).replace(/[/\\]/g, '_')}.pdf`;
  const path = files.place(name);
  await raceDeadline(writeFile(path, body), hand, 'The PDF');
  await raceDeadline(files.tell('data', name, path), hand, 'The PDF');
  return NO_TARGET;
};
