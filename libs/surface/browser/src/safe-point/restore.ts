import { PilothouseError } from '@pilothouse/contract';
import type { CDPSession } from 'playwright-core';
import { restoreOrigins, forgetHistory, navigateToBlank } from '../state/fill.ts';
import { playwrightMessage } from '../failure.ts';
import { navigate } from '../action/navigate.ts';
import { BLANK_URL, type BrowserState } from '../state/state.ts';
import type { ActionContext } from '../hand.ts';
import { raceDeadline } from '../wait.ts';

/**
 * Brings a new surface to a state. Nothing is sent before the guard has said yes; then the address of the page is opened, once, if it
 * had one.
 * @throws PilothouseError NAVIGATION_FAILED; PROTOCOL_INVALID for a state that Chromium does not take
 */
export async function restoreState(hand: ActionContext, wire: CDPSession, state: BrowserState): Promise<void> {
  const { url, cookies, origins } = state;
  try {
    await raceDeadline(wire.send('Network.setCookies', { cookies: [...cookies] }), hand, 'The cookies');
    if (origins.length > 0) await restoreOrigins(hand.page, origins, hand);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError(
      'PROTOCOL_INVALID',
      `Chromium does not take the saved state: ${playwrightMessage(thrown)}`,
    );
  }
  if (url !== BLANK_URL) await navigate(hand, { action: 'navigate', url });
  else if (origins.length > 0) await navigateToBlank(hand.page, hand);
  else return;
  /* The run never saw the empty pages: there is nothing to go back to. */
  await forgetHistory(wire, hand);
}
