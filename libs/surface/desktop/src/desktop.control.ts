import { PilothouseError, type Locator, type PageInput } from '@pilothouse/contract';
import { remainingMs, type Deadline, type InputTarget } from '@pilothouse/core';
import type { DesktopElement } from './accessibility/element-list.ts';
import type { DesktopScreen } from './desktop-screen.ts';
import { locatorsOf } from './element-locators.ts';
import { parseKeyChord } from './input/key-names.ts';
import type { ScreenPoint } from './input/nut-input.ts';
import type { SessionClient } from './session/session-client.ts';

/**
 * Sends one input of a person in control, without waiting for a target.
 * @returns the element that received a press, key or text; null if it is unknown
 * @throws PilothouseError ACTION_UNSUPPORTED for an input that only a browser has
 */
export async function sendControlInput(
  session: SessionClient,
  screen: DesktopScreen,
  size: { readonly width: number; readonly height: number },
  input: PageInput,
  context: Deadline,
): Promise<InputTarget | null> {
  const options = { signal: context.signal, timeoutMs: Math.max(1_000, remainingMs(context)) };
  const toPoint = ({ x, y }: { x: number; y: number }): ScreenPoint => ({
    x: Math.round((x / 1000) * (size.width - 1)),
    y: Math.round((y / 1000) * (size.height - 1)),
  });
  switch (input.kind) {
    case 'move':
      await session.call('move', toPoint(input), options);
      return null;
    case 'down': {
      const point = toPoint(input);
      const { elements } = await screen.read(context);
      await session.call('move', point, options);
      await session.call('button', { button: input.button, isDown: true }, options);
      return inputTargetOf(smallestAt(elements, point), elements);
    }
    case 'up':
      await session.call('move', toPoint(input), options);
      await session.call('button', { button: input.button, isDown: false }, options);
      return null;
    case 'scroll':
      await session.call('scroll', { point: toPoint(input), byX: input.dx, byY: input.dy }, options);
      return null;
    case 'key':
    case 'text':
    case 'paste': {
      const { elements } = await screen.read(context);
      const focused = elements.find(({ state }) => state.focused);
      if (input.kind === 'key') {
        const chord = parseKeyChord(input.key);
        if (chord) await session.call('press', { chord, times: 1 }, options);
      } else
        await session.call(
          'type',
          {
            text: input.text,
            mode: 'insert',
            field: null,
            isReadBack: false,
            windowId: null,
            timeoutMs: remainingMs(context),
          },
          options,
        );
      return inputTargetOf(focused, elements);
    }
    case 'selectOption':
      throw new PilothouseError('ACTION_UNSUPPORTED', 'A desktop shows its lists itself: click the option');
  }
}

/** Describes the element with an index or at a point. @returns null if there is none */
export async function describeElement(
  screen: DesktopScreen,
  size: { readonly width: number; readonly height: number },
  { elementIndex, point }: Pick<Locator, 'elementIndex' | 'point'>,
  context: Deadline,
): Promise<InputTarget | null> {
  const { elements } = await screen.read(context);
  const element = point
    ? smallestAt(elements, { x: (point.x / 1000) * (size.width - 1), y: (point.y / 1000) * (size.height - 1) })
    : elements.find(({ index }) => index === elementIndex);
  return inputTargetOf(element, elements);
}

/** The smallest element at a point: a button lies on the window and on its tool bar. */
export function smallestAt(elements: readonly DesktopElement[], { x, y }: ScreenPoint): DesktopElement | undefined {
  const area = ({ bounds }: DesktopElement) => bounds.width * bounds.height;
  return elements
    .filter(
      ({ bounds }) => x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height,
    )
    .toSorted((first, second) => area(first) - area(second))[0];
}

/** Locators that find an element alone in its list, the most stable first. */
export function inputTargetOf(
  element: DesktopElement | undefined,
  elements: readonly DesktopElement[],
): InputTarget | null {
  if (!element) return null;
  return { locators: locatorsOf(element, elements), isSecret: element.secret === true };
}
