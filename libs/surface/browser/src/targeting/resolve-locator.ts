import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { lookalikePattern } from '@pilothouse/core/regex/lookalike-text';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { pageFunction } from '../injected/evaluate-functions.ts';
import type { Frame, Page, Locator as PageLocator } from 'playwright-core';
import { filterByPattern } from './text-matching.ts';

/** Rectangle in CSS pixels. */
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

const gapBetween = (start: number, end: number, otherFrom: number, otherTo: number) =>
  Math.max(0, otherFrom - end, start - otherTo);

const center = ({ left, top, right, bottom }: ElementBox) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** Overlap in pixels that still counts as beyond an edge. */
const SLACK_PX = 2;

function isBeyond(box: ElementBox, anchor: ElementBox, side: NonNullable<Locator['side']>): boolean {
  switch (side) {
    case 'right':
      return box.left >= anchor.right - SLACK_PX;
    case 'left':
      return box.right <= anchor.left + SLACK_PX;
    case 'below':
      return box.top >= anchor.bottom - SLACK_PX;
    case 'above':
      return box.bottom <= anchor.top + SLACK_PX;
  }
}

/**
 * Returns the box nearest to an anchor: by the gap, then by the distance of the centers. With a side, an offset from
 * the row or column counts three times.
 * @returns -1 if no box is on that side
 */
export function nearestIndex(boxes: readonly ElementBox[], anchor: ElementBox, side: Locator['side']): number {
  const candidates = boxes.map((box, index) => {
    const across = gapBetween(box.left, box.right, anchor.left, anchor.right);
    const along = gapBetween(box.top, box.bottom, anchor.top, anchor.bottom);
    const isRow = side === 'left' || side === 'right';
    const distance = side === undefined ? Math.hypot(across, along) : isRow ? across + 3 * along : along + 3 * across;
    const [boxCenter, anchorCenter] = [center(box), center(anchor)];
    return {
      index,
      distance,
      centerDistance: Math.hypot(boxCenter.x - anchorCenter.x, boxCenter.y - anchorCenter.y),
      box,
    };
  });
  const isSame = ({ box }: { box: ElementBox }) =>
    box.left === anchor.left && box.top === anchor.top && box.right === anchor.right && box.bottom === anchor.bottom;
  const onSide = candidates.filter(
    (candidate) => !isSame(candidate) && (side === undefined || isBeyond(candidate.box, anchor, side)),
  );
  onSide.sort((first, second) => first.distance - second.distance || first.centerDistance - second.centerDistance);
  return onSide[0]?.index ?? -1;
}

/** Returns the single anchor box. @throws PilothouseError TARGET_AMBIGUOUS */
export function soleBox(boxes: readonly ElementBox[], near: Locator): ElementBox | null {
  if (boxes.length > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${describeLocator(near)} matches ${boxes.length} elements, but \`near\` needs one; select it with nth`,
      { details: { locator: describeLocator(near), count: boxes.length } },
    );
  }
  return boxes[0] ?? null;
}

type Root = Page | Frame | PageLocator;

/** Elements of a locator and their frame. */
export interface ResolvedLocator {
  readonly matches: PageLocator;
  /** `all` without the filters for visibility and `nth`. */
  readonly raw: PageLocator;
  readonly frame: Frame;
  /** Locator of the frame; null for the page itself. */
  readonly scope: Locator | null;
}

/** Form of a text that Playwright searches for. */
type TextForm = (text: string, isExact?: boolean) => string | RegExp;

const literalForm: TextForm = (text) => text;
/** Finds texts that look the same, see `lookalikePattern`. */
const lookalikeForm: TextForm = (text, isExact = false) => lookalikePattern(text, isExact) ?? text;

/** True if a locator searches for a text. */
export const hasTexts = ({ name, label, placeholder, text, hasText, has }: Locator): boolean =>
  [name, label, placeholder, text, hasText].some((value) => value !== undefined) ||
  (has !== undefined && hasTexts(has));

function find(
  root: Root,
  frame: Frame,
  locator: Locator,
  includeHidden: boolean,
  form: TextForm = literalForm,
): PageLocator {
  const { role, name, label, placeholder, text, testId, css, exact, hasText, has } = locator;
  const options = { exact: exact ?? false };
  const base =
    role !== undefined
      ? root.getByRole(
          role as Parameters<Page['getByRole']>[0],
          name === undefined ? { includeHidden } : { ...options, name: form(name, exact), includeHidden },
        )
      : label !== undefined
        ? root.getByLabel(form(label, exact), options)
        : placeholder !== undefined
          ? root.getByPlaceholder(form(placeholder, exact), options)
          : text !== undefined
            ? root.getByText(form(text, exact), options)
            : testId !== undefined
              ? root.getByTestId(testId)
              : root.locator(`css=${css ?? ''}`);
  const isField = role !== undefined && name !== undefined && fields.has(role);
  const candidates = isField ? base.or(namedByPlaceholder(root, locator, includeHidden)) : base;
  const withText = hasText === undefined ? candidates : candidates.filter({ hasText: form(hasText) });
  return has === undefined ? withText : withText.filter({ has: find(frame, frame, has, includeHidden, form) });
}

/** Roles of fields that `aria-placeholder` names if nothing else does. */
const fields: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox']);

/** Fields that only `aria-placeholder` names, which `getByRole` ignores. */
function namedByPlaceholder(root: Root, { role, name, exact }: Locator, includeHidden: boolean): PageLocator {
  const value = JSON.stringify(name ?? '');
  const css = `[aria-placeholder${exact ? '' : '*'}=${value}${exact ? '' : ' i'}]:not([aria-label], [aria-labelledby], [title], [placeholder])`;
  return root.locator(`css=${css}`).and(root.getByRole(role as Parameters<Page['getByRole']>[0], { includeHidden }));
}

const isAnyMatched = pageFunction((elements: Element[]) => elements.length > 0);

const isFrame = pageFunction((elements: Element[]) => ({
  count: elements.length,
  frame: elements[0] instanceof HTMLIFrameElement || elements[0] instanceof HTMLFrameElement,
}));

/** Texts that a search finds: the literal ones, those that look the same, or the latter if there is no literal one. */
export type TextSearch = 'literal' | 'lookalike' | 'both';

/**
 * Converts a locator to a Playwright locator. `within` an iframe means its document.
 * @param search `literal` needs no evaluation, but its caller has to search for texts that look the same
 * @returns null if the element of `within` or `near` is missing
 * @throws PilothouseError TARGET_AMBIGUOUS if that element is not unique
 */
export async function resolveLocator(
  page: Page,
  locator: Locator,
  visible: boolean,
  search: TextSearch = 'both',
): Promise<ResolvedLocator | null> {
  const scope = locator.within
    ? await resolveScope(page, locator.within)
    : { root: page, frame: page.mainFrame(), scope: null };
  if (!scope) return null;
  const resolve = (form: TextForm) => {
    const raw = find(scope.root, scope.frame, locator, true, form);
    return {
      raw,
      matches: visible ? find(scope.root, scope.frame, locator, false, form).filter({ visible: true }) : raw,
    };
  };
  const literal = resolve(literalForm);
  const isLiteral =
    search === 'literal' ||
    !hasTexts(locator) ||
    (search === 'both' && (await literal.matches.evaluateAll(isAnyMatched, undefined)));
  const lookalike = isLiteral ? null : resolve(lookalikeForm);
  // The report about a missing element counts hidden ones.
  const isLookalike = lookalike !== null && (await lookalike.matches.evaluateAll(isAnyMatched, undefined));
  if (search === 'lookalike' && !isLookalike) return null;
  const { raw, matches } = isLookalike ? lookalike : literal;
  const resolved = { raw, frame: scope.frame, scope: scope.scope };
  const visibleMatches =
    locator.pattern === undefined ? matches : await filterByPattern(matches, locator.pattern, locator);
  if (!visibleMatches) return null;
  if (!locator.near)
    return { ...resolved, matches: locator.nth === undefined ? visibleMatches : visibleMatches.nth(locator.nth) };
  const nearestMatch = await nearest(page, visibleMatches, scope.frame, locator.near, locator.side);
  return nearestMatch && { ...resolved, matches: nearestMatch };
}

/** Returns the match nearest to another element of the same document. */
async function nearest(
  page: Page,
  visibleMatches: PageLocator,
  frame: Frame,
  near: Locator,
  side: Locator['side'],
): Promise<PageLocator | null> {
  const nearResult = await resolveLocator(page, near, true);
  if (!nearResult) return null;
  if (nearResult.frame !== frame) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `${describeLocator(near)} is in another frame; give both the same \`within\``,
    );
  }
  const [boxes, anchors] = await Promise.all([
    visibleMatches.evaluateAll(boundingBoxes, undefined),
    nearResult.matches.evaluateAll(boundingBoxes, undefined),
  ]);
  const anchor = soleBox(anchors, near);
  const index = anchor ? nearestIndex(boxes, anchor, side) : -1;
  return index < 0 ? null : visibleMatches.nth(index);
}

interface Scope {
  readonly root: Root;
  readonly frame: Frame;
  readonly scope: Locator | null;
}

async function resolveScope(page: Page, within: Locator): Promise<Scope | null> {
  const outer = await resolveLocator(page, within, true);
  if (!outer) return null;
  const { count, frame } = await outer.matches.evaluateAll(isFrame, undefined);
  if (count === 0) return null;
  if (count > 1) {
    throw new PilothouseError(
      'TARGET_AMBIGUOUS',
      `${describeLocator(within)} matches ${count} elements, but \`within\` needs one; select it with nth`,
      {
        details: { locator: describeLocator(within), count },
      },
    );
  }
  if (!frame) return { root: outer.matches, frame: outer.frame, scope: outer.scope };
  const handle = await outer.matches.elementHandle();
  const content = await handle?.contentFrame();
  await handle?.dispose();
  return content ? { root: content, frame: content, scope: within } : null;
}

/** Origin of a frame according to the browser; `null` for an opaque origin. */
export function frameOrigin(frame: Frame): string {
  const { protocol, origin } = URL.parse(frame.url()) ?? { protocol: '', origin: 'null' };
  return protocol === 'http:' || protocol === 'https:' ? origin : 'null';
}
