import { PilothouseError } from '@pilothouse/contract';
import type { CDPSession } from 'playwright-core';
import { fillOrigins, forgetHistory, toBlank } from '../state/fill.ts';
import { firstLine } from '../failure.ts';
import { navigate } from '../action/navigate.ts';
import { BLANK, type BrowserState } from '../state/state.ts';
import type { Hand } from '../hand.ts';
import { bounded } from '../wait.ts';

/**
 * Brings a new surface to a state. Nothing is sent before the guard has said yes; then the address of the page is opened, once, if it
 * had one.
 * @throws PilothouseError NAVIGATION_FAILED; PROTOCOL_INVALID for a state that Chromium does not take
 */
export async function restoreState(hand: Hand, wire: CDPSession, state: BrowserState): Promise<void> {
  const { url, cookies, origins } = state;
  try {
    await bounded(wire.send('Network.setCookies', { cookies: [...cookies] }), hand, 'The cookies');
    if (origins.length > 0) await fillOrigins(hand.page, origins, hand);
  } catch (thrown) {
    hand.signal.throwIfAborted();
    if (thrown instanceof PilothouseError) throw thrown;
    throw new PilothouseError('PROTOCOL_INVALID', `Chromium does not take the saved state: ${firstLine(thrown)}`);
  }
  if (url !== BLANK) await navigate(hand, { action: 'navigate', url });
  else if (origins.length > 0) await toBlank(hand.page, hand);
  else return;
  /* The run never saw the empty pages: there is nothing to go back to. */
  await forgetHistory(wire, hand);
}
