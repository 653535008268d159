import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionContext } from '../action-context.ts';
import { LEAVE_REFUSED } from '../pages/page-dialogs.ts';

/**
 * Leaves a page, which may ask before that.
 * @param problem begins the error message
 * @throws PilothouseError NAVIGATION_FAILED once the answer keeps the page; what `leave` throws
 */
export async function leavePage<Value>(
  ctx: Pick<ActionContext, 'pages' | 'page' | 'signal'>,
  problem: string,
  leave: () => Promise<Value>,
): Promise<Value> {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<'refused'>();
  let isRefused = false;
  const stopListening = ctx.pages.onLeaveRefused(() => {
    isRefused = true;
    refuse('refused');
  });
  const refusal = () =>
    new PilothouseError('NAVIGATION_FAILED', `${problem}: ${LEAVE_REFUSED}`, {
      details: { url: ctx.page.url(), dialog: 'beforeunload' },
    });
  const work = leave();
  work.catch(() => undefined);
  try {
    const result = await Promise.race([work, refused]);
    if (isRefused || result === 'refused') throw refusal();
    return result;
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw isRefused ? refusal() : error;
  } finally {
    stopListening();
  }
}
