import { PilothouseError, type Target } from '@pilothouse/contract';
import { poll, remainingMs, type ActionOutcome } from '@pilothouse/core';
import {
  clickAt,
  locateForPointer,
  optionsOf,
  type DesktopActionContext,
  type DesktopHandler,
} from './desktop-action-context.ts';
import type { DesktopTarget } from './desktop-screen.ts';
import { parseKeyChord } from './input/key-names.ts';

/** Milliseconds for a field to show the typed text. */
const READ_BACK_MS = 1_500;

export const fill: DesktopHandler<'fill'> = (context, { target, text, append = false }) =>
  enterText(context, target, text, append);

export const type: DesktopHandler<'type'> = async (context, { target, text, append = false }) => {
  if (target) return enterText(context, target, text, append);
  await context.screen.waitUntilStable(context);
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const plaintext = await context.reveal(text, window ? `app://${window.appId}` : 'app://desktop');
  context.guard();
  await context.session.call('type', { text: plaintext, timeoutMs: remainingMs(context) }, optionsOf(context));
  return { located: null };
};

export const clear: DesktopHandler<'clear'> = (context, { target }) => enterText(context, target, '', false);

export const press: DesktopHandler<'press'> = async (context, { key, target, times = 1 }) => {
  const found = target ? await locateForPointer(context, target) : null;
  const chord = parseKeyChord(key);
  if (!chord && [...key].length !== 1)
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `There is no key ${JSON.stringify(key)}; use names such as Enter or Control+A`,
    );
  await context.screen.waitUntilStable(context);
  context.guard();
  if (found) await clickAt(context, found.point);
  if (chord) await context.session.call('press', { chord, times }, optionsOf(context));
  else
    await context.session.call(
      'type',
      { text: key.repeat(times), timeoutMs: remainingMs(context) },
      optionsOf(context),
    );
  return { located: found?.located ?? null };
};

/**
 * Replaces or extends the text of a field, and reads it back through the accessibility bus.
 * @throws PilothouseError TYPED_TEXT_DIFFERS with the position of the first difference
 */
async function enterText(
  context: DesktopActionContext,
  target: Target,
  text: string,
  isAppending: boolean,
): Promise<ActionOutcome> {
  const found = await locateForPointer(context, target);
  const window = await context.session.call('activeWindow', null, optionsOf(context));
  const plaintext = await context.reveal(text, `app://${window?.appId ?? 'desktop'}`);
  const before = isAppending && found.element ? ((await readValue(context, found)) ?? '') : '';
  context.guard();
  const options = optionsOf(context);
  if (!found.element?.state.focused) await clickAt(context, found.point);
  const chord = isAppending ? { modifiers: ['LeftControl'], key: 'End' } : { modifiers: ['LeftControl'], key: 'A' };
  await context.session.call('press', { chord, times: 1 }, options);
  if (plaintext === '')
    await context.session.call('press', { chord: { modifiers: [], key: 'Delete' }, times: 1 }, options);
  else await context.session.call('type', { text: plaintext, timeoutMs: remainingMs(context) }, options);
  await verifyValue(context, found, before + plaintext);
  return { located: found.located };
}

async function verifyValue(context: DesktopActionContext, found: DesktopTarget, expected: string): Promise<void> {
  if (!found.element || found.element.secret || found.element.node.value === undefined) return;
  const endsAt = performance.now() + READ_BACK_MS;
  let actual: string | null = null;
  await poll(
    async () => {
      actual = await readValue(context, found);
      return actual === null || normalized(actual) === normalized(expected) ? true : undefined;
    },
    { signal: context.signal, deadline: Math.min(context.deadline, endsAt) },
  );
  if (actual === null || normalized(actual) === normalized(expected)) return;
  throw new PilothouseError(
    'TYPED_TEXT_DIFFERS',
    `${found.located.locator} differs from the typed text at character ${firstDifference(normalized(actual), normalized(expected)) + 1}`,
  );
}

const readValue = (context: DesktopActionContext, { element }: DesktopTarget): Promise<string | null> =>
  element
    ? context.session.call(
        'readText',
        { bus: element.node.bus, path: element.node.path, timeoutMs: 1_000 },
        optionsOf(context),
      )
    : Promise.resolve(null);

/** Text views end with a line break of their own. */
const normalized = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '');

function firstDifference(first: string, second: string): number {
  let index = 0;
  while (index < first.length && first[index] === second[index]) index += 1;
  return index;
}
