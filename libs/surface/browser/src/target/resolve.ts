import { PilothouseError, type Locator } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import type { Frame, Page, Locator as PageLocator } from 'playwright-core';
import { boundingBoxes, nearestIndex, soleBox } from './near.ts';
import { matching } from './matching.ts';
import { pageFunction } from '../page/in-page.ts';

type Root = Page | Frame | PageLocator;

/** All elements a locator means, and the frame they are in. */
export interface Resolved {
  readonly all: PageLocator;
  /** `all` without the demands to be visible and to be the nth. */
  readonly raw: PageLocator;
  readonly frame: Frame;
  /** The locator that leads to the frame; null for the page itself. */
  readonly scope: Locator | null;
}

function find(root: Root, frame: Frame, locator: Locator, includeHidden: boolean): PageLocator {
  const { role, name, label, placeholder, text, testId, css, exact, hasText, has } = locator;
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
  const isField = role !== undefined && name !== undefined && fields.has(role);
  const all = isField ? found.or(namedByPlaceholder(root, locator, includeHidden)) : found;
  const holding = hasText === undefined ? all : all.filter({ hasText });
  return has === undefined ? holding : holding.filter({ has: find(frame, frame, has, includeHidden) });
}

/** Roles of fields that `aria-placeholder` names when nothing else does. */
const fields: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox']);

/** Fields of a role that only `aria-placeholder` names, which `getByRole` does not read. */
function namedByPlaceholder(root: Root, { role, name, exact }: Locator, includeHidden: boolean): PageLocator {
  const value = JSON.stringify(name ?? '');
  const css = `[aria-placeholder${exact ? '' : '*'}=${value}${exact ? '' : ' i'}]:not([aria-label], [aria-labelledby], [title], [placeholder])`;
  return root.locator(`css=${css}`).and(root.getByRole(role as Parameters<Page['getByRole']>[0], { includeHidden }));
}

const isFrame = pageFunction((elements: Element[]) => ({
  count: elements.length,
  frame: elements[0] instanceof HTMLIFrameElement || elements[0] instanceof HTMLFrameElement,
}));

/**
 * A locator of ours, but one that points, as one of Playwright's. `within` an iframe means its document.
 * @returns null when the element it is to be within, or near to, is not there
 * @throws PilothouseError TARGET_AMBIGUOUS when that element is not one
 */
export async function resolveLocator(page: Page, locator: Locator, visible: boolean): Promise<Resolved | null> {
  const scope = locator.within
    ? await inside(page, locator.within)
    : { root: page, frame: page.mainFrame(), scope: null };
  if (!scope) return null;
  const raw = find(scope.root, scope.frame, locator, true);
  const all = visible ? find(scope.root, scope.frame, locator, false).filter({ visible: true }) : raw;
  const resolved = { raw, frame: scope.frame, scope: scope.scope };
  const shown = locator.pattern === undefined ? all : await matching(all, locator.pattern, locator);
  if (!shown) return null;
  if (!locator.near) return { ...resolved, all: locator.nth === undefined ? shown : shown.nth(locator.nth) };
  const closest = await nearest(page, shown, scope.frame, locator.near, locator.side);
  return closest && { ...resolved, all: closest };
}

/** Of all matches the one that is nearest to another element, which is in the same document. */
async function nearest(
  page: Page,
  shown: PageLocator,
  frame: Frame,
  near: Locator,
  side: Locator['side'],
): Promise<PageLocator | null> {
  const other = await resolveLocator(page, near, true);
  if (!other) return null;
  if (other.frame !== frame) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${describeLocator(near)} is in another frame: give both the same \`within\``,
    );
  }
  const [boxes, anchors] = await Promise.all([
    shown.evaluateAll(boundingBoxes, undefined),
    other.all.evaluateAll(boundingBoxes, undefined),
  ]);
  const anchor = soleBox(anchors, near);
  const index = anchor ? nearestIndex(boxes, anchor, side) : -1;
  return index < 0 ? null : shown.nth(index);
}

interface Scope {
  readonly root: Root;
  readonly frame: Frame;
  readonly scope: Locator | null;
}

async function inside(page: Page, within: Locator): Promise<Scope | null> {
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
  if (!frame) return { root: outer.all, frame: outer.frame, scope: outer.scope };
  const handle = await outer.all.elementHandle();
  const content = await handle?.contentFrame();
  await handle?.dispose();
  return content ? { root: content, frame: content, scope: within } : null;
}

/** The origin of a frame as the browser knows it; `null` where it has none of its own. */
export function frameOrigin(frame: Frame): string {
  const { protocol, origin } = URL.parse(frame.url()) ?? { protocol: '', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : 'null';
}
