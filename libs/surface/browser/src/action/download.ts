import { writeFile } from 'node:fs/promises';
import { PilothouseError } from '@pilothouse/contract';
import { press } from './hit-target.ts';
import { playwrightMessage } from '../failure.ts';
import { waitForTarget } from '../target/locate.ts';
import { NO_TARGET, type ActionHandler } from '../hand.ts';
import { raceDeadline } from '../wait.ts';

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
