import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';
import { describeElement } from '@pilothouse/core';
import type { ElementHandle, Frame, JSHandle, Page } from 'playwright-core';
import { raceDeadline, poll, type Deadline } from '../wait.ts';
import type { ListedElement, Point, ObservedPage } from './seen.ts';

const notFound = (one: ListedElement, why: string) =>
  new PilothouseError(
    'TARGET_NOT_FOUND',
    `Element ${one.view.index} (${describeElement(one.view)}) ${why}; look again`,
    {
      details: { index: one.view.index },
    },
  );

/** @throws PilothouseError TARGET_NOT_FOUND when it is not what it was when it was seen */
export async function checked(one: ListedElement, bound: Deadline): Promise<void> {
  const { view, world, id, document } = one;
  const fate = await world.ask('fateOf', [id, view.role, view.name, view.interactive], bound);
  if (world.document !== document) throw notFound(one, 'went away with its page');
  if (fate.is === 'gone') throw notFound(one, 'is gone');
  if (fate.is === 'other') {
    const now = describeElement({ role: fate.role, name: fate.name });
    throw notFound(one, `has changed since it was seen: it is ${now} now`);
  }
}

/** Runs in the page: waits until the eye shows an element by an event, and keeps it. */
const meet = (event: string): Promise<Element | null> =>
  new Promise((resolve) => {
    const onShown = (shown: Event) => {
      shown.stopImmediatePropagation();
      shown.preventDefault();
      const [element] = shown.composedPath();
      resolve((element as Element | undefined) ?? null);
    };
    window.addEventListener(event, onShown, { capture: true, once: true });
    /* Nobody waits for longer, and a page that nobody asks keeps nothing. */
    setTimeout(() => {
      window.removeEventListener(event, onShown, { capture: true });
      resolve(null);
    }, 3000);
  });

/**
 * The element as Playwright has it. Worlds of a page share no objects, only its elements: the eye shows it by an event that nobody
 * else can know.
 */
export async function elementHandle(page: Page, one: ListedElement, bound: Deadline): Promise<ElementHandle<Element>> {
  await checked(one, bound);
  const event = `ph-${randomUUID()}`;
  const waiting = framesOf(page, one).map((frame) => frame.evaluateHandle(meet, event));
  for (const each of waiting) each.catch(() => undefined);
  const met = await poll(async () => {
    const shown = await one.world.ask('show', [one.id, event], bound);
    return shown === false ? undefined : shown;
  }, bound);
  if (met === 'closed') {
    throw new PilothouseError(
      'TARGET_NOT_READY',
      `Element ${one.view.index} is in a closed shadow root: it can be clicked at its point, and no script gets hold of it`,
    );
  }
  if (met === undefined) throw notFound(one, 'did not answer');
  return raceDeadline(firstElement(waiting), bound, `Element ${one.view.index}`);
}

/** Resolves with the first that is an element; the others are let go. */
async function firstElement(waiting: readonly Promise<JSHandle<Element | null>>[]): Promise<ElementHandle<Element>> {
  return Promise.any(
    waiting.map(async (each) => {
      const handle = await each;
      const element = handle.asElement();
      if (element) return element as ElementHandle<Element>;
      await handle.dispose();
      throw new Error('It was shown to another frame');
    }),
  );
}

/** The frames whose scripts may see it: it is in one that has the address it was seen at. */
function framesOf(page: Page, { view, frame, isBelow }: ListedElement): Frame[] {
  const { frame: address } = view;
  if (address === undefined || (!isBelow && frame.url().startsWith(address))) return [frame];
  const under = (one: Frame): boolean =>
    one === frame || (one.parentFrame() !== null && under(one.parentFrame() as Frame));
  const all = page.frames().filter((one) => one !== frame && under(one));
  const same = all.filter((one) => one.url().startsWith(address));
  return same.length > 0 ? same : all;
}

/** Where a click hits it now. @param again looks at the page once more */
export async function clickablePoint(
  one: ListedElement,
  bound: Deadline,
  again: (bound: Deadline) => Promise<ObservedPage>,
): Promise<Point> {
  await checked(one, bound);
  const { index } = one.view;
  const now = (seen: ObservedPage) => {
    const found = seen.elements.some((view) => view.index === index);
    return found ? seen.listed(index).point : null;
  };
  const point = now(await again(bound));
  if (point) return point;
  await one.world.ask('reveal', [one.id], bound);
  const later = now(await again(bound));
  if (later) return later;
  await checked(one, bound);
  throw new PilothouseError(
    'TARGET_NOT_READY',
    `Element ${index} (${describeElement(one.view)}) is there, but hidden or covered`,
    {
      details: { index },
    },
  );
}
