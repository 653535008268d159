import { PilothouseError, type Locator } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import type { Frame, Page, Locator as PageLocator } from 'playwright-core';
import { inPage } from './page/in-page.ts';

type Root = Page | Frame | PageLocator;

/** All elements a locator means, and the frame they are in. */
export interface Resolved {
  readonly all: PageLocator;
  /** `all` without the demands to be visible and to be the nth. */
  readonly raw: PageLocator;
  readonly frame: Frame;
}

function find(root: Root, locator: Locator, includeHidden: boolean): PageLocator {
  const { role, name, label, placeholder, text, testId, css, exact, hasText } = locator;
  const options = { exact: exact ?? false };
  const found =
    role !== undefined
      ? root.getByRole(
          role as Parameters<Page['getByRole']>[0],
          name === undefined ? { includeHidden } : { ...options, name, includeHidden },
        )
      : label !== undefined
        ? root.getByLabel(label, options)
        : placeholder !== undefined
          ? root.getByPlaceholder(placeholder, options)
          : text !== undefined
            ? root.getByText(text, options)
            : testId !== undefined
              ? root.getByTestId(testId)
              : root.locator(`css=${css ?? ''}`);
  return hasText === undefined ? found : found.filter({ hasText });
}

const isFrame = inPage((elements: Element[]) => ({
  count: elements.length,
  frame: elements[0] instanceof HTMLIFrameElement || elements[0] instanceof HTMLFrameElement,
}));

/**
 * A locator of ours as one of Playwright's. `within` an iframe means its document.
 * @returns null when the element it is to be within is not there
 * @throws PilothouseError TARGET_AMBIGUOUS when that element is not one
 */
export async function resolveLocator(page: Page, locator: Locator, visible: boolean): Promise<Resolved | null> {
  const scope = locator.within ? await inside(page, locator.within) : { root: page, frame: page.mainFrame() };
  if (!scope) return null;
  const raw = find(scope.root, locator, true);
  const shown = visible ? find(scope.root, locator, false).filter({ visible: true }) : raw;
  return { raw, all: locator.nth === undefined ? shown : shown.nth(locator.nth), frame: scope.frame };
}

async function inside(page: Page, within: Locator): Promise<{ root: Root; frame: Frame } | null> {
  const outer = await resolveLocator(page, within, true);
  if (!outer) return null;
  const { count, frame } = await outer.all.evaluateAll(isFrame, undefined);
  if (count === 0) return null;
  if (count > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${describeLocator(within)} matches ${count} elements to look within; say which with nth`,
      {
        details: { locator: describeLocator(within), count },
      },
    );
  }
  if (!frame) return { root: outer.all, frame: outer.frame };
  const handle = await outer.all.elementHandle();
  const content = await handle?.contentFrame();
  await handle?.dispose();
  return content ? { root: content, frame: content } : null;
}

/** The origin of a frame as the browser knows it; `null` where it has none of its own. */
export function originOf(frame: Frame): string {
  const { protocol, origin } = URL.parse(frame.url()) ?? { protocol: '', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : 'null';
}
