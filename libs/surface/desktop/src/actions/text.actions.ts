import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ActionOutcome } from '@pilothouse/core/ports/surface-action.port';
import { inputPlaceholdersIn } from '@pilothouse/core/workflow/secret-placeholders';
import { remainingMs } from '@pilothouse/core/time/deadlines';
import { clickAt, locateForPointer, type DesktopActionContext, type DesktopHandler } from '../action-context.ts';
import type { DesktopElement } from '../accessibility/accessible-node.ts';
import { optionsOf } from '../session/session-client.ts';
import { textFieldRoles } from '../accessibility/roles.ts';
import { parseKeyChord, type KeyChord } from '../input/key-names.ts';
import { focusedField, resolveSecrets } from './resolve-secrets.ts';
import { differenceText, effectOfText, type TextReadback } from '../session/text-readback.ts';
import type { TypeOptions, TypeResult } from '../session/session-protocol.ts';

export const fill: DesktopHandler<'fill'> = (context, { target, text, append = false }) =>
  enterText(context, target, text, append);

export const type: DesktopHandler<'type'> = async (context, { target, text, append = false }) => {
  if (target) return enterText(context, target, text, append);
  await context.screen.waitUntilStable(context);
  const window = await context.expectedWindow.activeWindow(context);
  const focused = inputPlaceholdersIn(text).length > 0 ? await focusedField(context) : null;
  const plaintext = await resolveSecrets(context, text, window, focused);
  context.guard();
  const options = { text: plaintext, mode: 'insert', field: null, needsField: true } as const;
  const typed = await typeAndVerify(context, { ...options, windowId: window?.id ?? null });
  context.expectedWindow.set(mayOpenProgram(plaintext) ? null : window);
  return { located: null, ...effectOfText(assertSameText('The text', typed, plaintext !== text)) };
};

export const clear: DesktopHandler<'clear'> = (context, { target }) => enterText(context, target, '', false);

export const press: DesktopHandler<'press'> = async (context, { key, target, times = 1, holdSeconds }) => {
  const found = target ? await locateForPointer(context, target) : null;
  const chord = parseKeyChord(key);
  if (!chord && [...key].length !== 1)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `Unknown key ${JSON.stringify(key)}; use a name such as Enter or Control+A`,
    );
  if (!chord && holdSeconds !== undefined)
    throw new PilothouseError('ACTION_UNSUPPORTED', `The keyboard has no key ${JSON.stringify(key)} to hold`);
  const holdMs = (holdSeconds ?? 0) * 1000;
  assertTimeToHold(context, key, holdMs * times);
  await context.screen.waitUntilStable(context);
  context.guard();
  if (found) await clickAt(context, found);
  const located = found?.located ?? null;
  if (!chord) {
    const { readback } = await typeAndVerify(context, { text: key.repeat(times), mode: 'insert', field: null });
    // A key may be a command, so that a field that does not show it proves nothing.
    const { status, reason } = readback;
    return {
      located,
      ...effectOfText(status === 'different' ? { ...UNSEEN_KEY, ...(reason && { reason }) } : readback),
    };
  }
  // The click and the stable screen took time.
  assertTimeToHold(context, key, holdMs * times);
  const isRead = await pressKeys(context, chord, times, holdMs);
  return { located, ...(isRead === false && effectOfText(UNREAD_KEY)) };
};

/** @throws PilothouseError STEP_TIMED_OUT if the step ends before the keys are released */
function assertTimeToHold(context: DesktopActionContext, key: string, totalMs: number): void {
  const restMs = remainingMs(context);
  if (totalMs > 0 && totalMs + ANSWER_RESERVE_MS > restMs)
    throw new PilothouseError(
      'STEP_TIMED_OUT',
      `Holding ${JSON.stringify(key)} takes ${totalMs / 1000} s, but the step has ${Math.floor(restMs / 1000)} s left; raise its timeout`,
    );
}

/** Presses keys. A session goes on after its call has ended early, so that held keys are released then. */
async function pressKeys(
  context: DesktopActionContext,
  chord: KeyChord,
  times: number,
  holdMs: number,
): Promise<boolean | null> {
  const { session } = context;
  const restMs = remainingMs(context) - holdMs * times - ANSWER_RESERVE_MS;
  const waitMs = Math.max(0, Math.min(MAX_READ_WAIT_MS, restMs));
  try {
    const args = { chord, times, waitMs, ...(holdMs > 0 && { holdMs }) };
    return await session.call('press', args, optionsOf(context));
  } catch (error) {
    if (holdMs > 0) await session.call('endPress', null, { timeoutMs: RELEASE_TIMEOUT_MS }).catch(() => undefined);
    throw error;
  }
}

/** Milliseconds to release held keys after the step has ended. */
const RELEASE_TIMEOUT_MS = 2_000;

/** Maximum milliseconds to wait until an application has read a key, and milliseconds of the step that stay for the answer. */
const MAX_READ_WAIT_MS = 5_000;
const ANSWER_RESERVE_MS = 500;

/** A command of the application, or a character that it changes. */
const UNSEEN_KEY: TextReadback = { status: 'unverifiable', reason: 'The focused field does not show the key' };

/** The application is busy. */
const UNREAD_KEY: TextReadback = {
  status: 'unverifiable',
  reason: 'The application has not read the key yet; wait for its effect before the next step',
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
  const { element, point, located, window: targetWindow } = await locateForPointer(context, target, 'text');
  const window = targetWindow ?? (await context.session.call('activeWindow', null, optionsOf(context)));
  const plaintext = await resolveSecrets(context, text, window, element);
  context.guard();
  const fieldKind = fieldKindOf(element);
  // A focused cell may be one of several that are selected.
  if (!element?.state.focused || fieldKind === 'cell') await clickAt(context, { point });
  const field = element ? { bus: element.node.bus, path: element.node.path } : null;
  const mode = isAppending ? 'append' : 'replace';
  const typed = await typeAndVerify(context, { text: plaintext, mode, field, fieldKind });
  context.expectedWindow.set(mayOpenProgram(plaintext) ? null : window);
  return { located, ...effectOfText(assertSameText(located.locator, typed, plaintext !== text)) };
}

function fieldKindOf(element: DesktopElement | null): NonNullable<TypeOptions['fieldKind']> {
  if (element?.role === 'gridcell') return 'cell';
  return element && textFieldRoles.has(element.role) ? 'text' : 'other';
}

/** True for a text whose keys may press a button or confirm, after which another program may open. */
const mayOpenProgram = (text: string): boolean => /[\t\n]|^\s+$/.test(text);

/** Types a text, and reads it back. */
export const typeAndVerify = (
  context: DesktopActionContext,
  options: Pick<TypeOptions, 'text' | 'mode' | 'field'> &
    Partial<Pick<TypeOptions, 'windowId' | 'needsField' | 'fieldKind'>>,
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
export function assertSameText(subject: string, { readback: found }: TypeResult, isSecret: boolean): TextReadback {
  const { difference, ...rest } = found;
  const readback: TextReadback = isSecret || !difference ? rest : { ...rest, difference };
  if (readback.status !== 'different') return readback;
  const detail = readback.difference
    ? differenceText(readback.difference)
    : `: ${readback.reason ?? 'its length differs'}`;
  throw new PilothouseError('TYPED_TEXT_DIFFERS', `${subject} differs from the typed text${detail}`, {
    details: { readback },
  });
}
