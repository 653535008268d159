import type { Delivery } from '@pilothouse/contract/actions/delivery.schema';
import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { inputPlaceholdersIn } from '@pilothouse/core/workflow/secret-placeholders';
import { remainingMs } from '@pilothouse/core/time/deadlines';
import {
  clickAt,
  locateForPointer,
  optionsOf,
  type DesktopActionContext,
  type DesktopHandler,
} from '../action-context.ts';
import { parseKeyChord } from '../input/key-names.ts';
import { focusedField, resolveSecrets } from './resolve-secrets.ts';
import type { TypeOptions, TypeResult } from '../session/session-protocol.ts';

export const fill: DesktopHandler<'fill'> = (context, { target, text, append = false }) =>
  enterText(context, target, text, append);

export const type: DesktopHandler<'type'> = async (context, { target, text, append = false }) => {
  if (target) return enterText(context, target, text, append);
  await context.screen.waitUntilStable(context);
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const focused = inputPlaceholdersIn(text).length > 0 ? await focusedField(context) : null;
  const plaintext = await resolveSecrets(context, text, window, focused);
  context.guard();
  const typed = await typeAndVerify(context, { text: plaintext, mode: 'insert', field: null });
  return { located: null, delivery: assertDelivered('The text', typed, plaintext !== text) };
};

export const clear: DesktopHandler<'clear'> = (context, { target }) => enterText(context, target, '', false);

export const press: DesktopHandler<'press'> = async (context, { key, target, times = 1 }) => {
  const found = target ? await locateForPointer(context, target) : null;
  const chord = parseKeyChord(key);
  if (!chord && [...key].length !== 1)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `Unknown key ${JSON.stringify(key)}; use a name such as Enter or Control+A`,
    );
  await context.screen.waitUntilStable(context);
  context.guard();
  if (found) await clickAt(context, found);
  if (chord) await context.session.call('press', { chord, times }, optionsOf(context));
  else await typeAndVerify(context, { text: key.repeat(times), mode: 'insert', field: null });
  return { located: found?.located ?? null };
};

/**
 * Replaces or extends the text of a field.
 * @throws PilothouseError TYPED_TEXT_DIFFERS with the first difference
 */
async function enterText(
  context: DesktopActionContext,
  target: Target,
  text: string,
  isAppending: boolean,
): Promise<ActionOutcome> {
  const { element, point, located, window: targetWindow } = await locateForPointer(context, target);
  const window = targetWindow ?? (await context.session.call('activeWindow', null, optionsOf(context)));
  const plaintext = await resolveSecrets(context, text, window, element);
  context.guard();
  if (!element?.state.focused) await clickAt(context, { point });
  const field = element ? { bus: element.node.bus, path: element.node.path } : null;
  const typed = await typeAndVerify(context, { text: plaintext, mode: isAppending ? 'append' : 'replace', field });
  return { located, delivery: assertDelivered(located.locator, typed, plaintext !== text) };
}

/** Types a text, and reads it back. */
export const typeAndVerify = (
  context: DesktopActionContext,
  options: Pick<TypeOptions, 'text' | 'mode' | 'field'> & Partial<Pick<TypeOptions, 'windowId'>>,
): Promise<TypeResult> =>
  context.session.call(
    'type',
    { windowId: null, ...options, verify: true, timeoutMs: remainingMs(context) },
    optionsOf(context),
  );

/**
 * Returns how the text arrived. The difference of a text with a secret is not shown.
 * @throws PilothouseError TYPED_TEXT_DIFFERS
 */
export function assertDelivered(subject: string, { delivery: found }: TypeResult, isSecret: boolean): Delivery {
  const { difference, ...rest } = found;
  const delivery: Delivery = isSecret || !difference ? rest : { ...rest, difference };
  if (delivery.status !== 'failed') return delivery;
  const detail = delivery.difference
    ? ` at character ${delivery.difference.position}: ${JSON.stringify(delivery.difference.actual)} instead of ${JSON.stringify(delivery.difference.expected)}`
    : `: ${delivery.reason ?? 'its length differs'}`;
  throw new PilothouseError('TYPED_TEXT_DIFFERS', `${subject} differs from the typed text${detail}`, {
    details: { delivery },
  });
}
