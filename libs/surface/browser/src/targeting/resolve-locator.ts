import { type Locator, PilothouseError } from '@pilothouse/contract';
import { describeLocator } from '@pilothouse/core';
import { pageFunction } from '../injected/evaluate-functions.ts';
import type { Frame, Page, Locator as PageLocator } from 'playwright-core';
import { matching } from './text-matching.ts';

/** A rectangle in CSS pixels. */
export interface ElementBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const boundingBoxes = pageFunction((elements: Element[]): ElementBox[] =>
  elements.map((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  }),
);

const gap = (from: number, to: number, otherFrom: number, otherTo: number) =>
  Math.max(0, otherFrom - to, from - otherTo);

const middle = ({ left, top, right, bottom }: ElementBox) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** Pixels by which a box may reach over an edge and still count as beyond it. */
const SLACK = 2;

function isBeyond(box: ElementBox, anchor: ElementBox, side: NonNullable<Locator['side']>): boolean {
  switch (side) {
    case 'right':
      return box.left >= anchor.right - SLACK;
    case 'left':
      return box.right <= anchor.left + SLACK;
    case 'below':
      return box.top >= anchor.bottom - SLACK;
    case 'above':
      return box.bottom <= anchor.top + SLACK;
  }
}

/**
 * Which box is the nearest to another one: by the gap between them, then by the distance of their middles. To one side what is not in
 * the same row, or column, is farther by twice as much as it is off.
 * @returns -1 when none is on that side
 */
export function nearestIndex(boxes: readonly ElementBox[], anchor: ElementBox, side: Locator['side']): number {
  const far = boxes.map((box, index) => {
    const across = gap(box.left, box.right, anchor.left, anchor.right);
    const along = gap(box.top, box.bottom, anchor.top, anchor.bottom);
    const isRow = side === 'left' || side === 'right';
    const off = side === undefined ? Math.hypot(across, along) : isRow ? across + 3 * along : along + 3 * across;
    const [one, other] = [middle(box), middle(anchor)];
    return { index, off, apart: Math.hypot(one.x - other.x, one.y - other.y), box };
  });
  const isSame = ({ box }: { box: ElementBox }) =>
    box.left === anchor.left && box.top === anchor.top && box.right === anchor.right && box.bottom === anchor.bottom;
  const there = far.filter((one) => !isSame(one) && (side === undefined || isBeyond(one.box, anchor, side)));
  there.sort((one, other) => one.off - other.off || one.apart - other.apart);
  return there[0]?.index ?? -1;
}

/** The one box to be near to. @throws PilothouseError TARGET_AMBIGUOUS */
export function soleBox(boxes: readonly ElementBox[], near: Locator): ElementBox | null {
  if (boxes.length > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${describeLocator(near)} matches ${boxes.length} elements to be near to; say which with nth`,
      { details: { locator: describeLocator(near), count: boxes.length } },
    );
  }
  return boxes[0] ?? null;
}

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
