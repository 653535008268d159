import { PilothouseError } from '@pilothouse/contract';
import { ASSERT_MS } from './condition.ts';
import { NO_TARGET, type ActionHandler } from '../hand.ts';
import { withTimeout } from '../wait.ts';

/**
 * Puts a text on the clipboard of the run, or reads what was copied since the last such step, waiting for it: many a button copies a
 * little later. An old text is never taken for a new one.
 * @throws PilothouseError EXTRACTION_FAILED when nothing was copied
 */
export const clipboard: ActionHandler<'clipboard'> = async (hand, { text }) => {
  await hand.settled();
  if (text !== undefined) {
    hand.clipboard.put(text);
    return NO_TARGET;
  }
  const copied = await hand.clipboard.copied(withTimeout(hand, ASSERT_MS));
  if (copied !== null) return { located: null, value: copied };
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `Nothing was copied since the last \`clipboard\` step, also within ${ASSERT_MS / 1000} s; a step before this one has to click what copies, or to press ControlOrMeta+C`,
  );
};
