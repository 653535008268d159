/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { plain } from '@pilothouse/surface-page-elements/page';
import { elementChecks, firstProblem, positionChecks, type CheckedTarget } from './actionability-checks.ts';
import type { ActionabilityOptions, ActionabilityResult } from './actionability-result.ts';
import { alternativeLocators } from './alternative-locators.ts';
import { describe } from './describe-element.ts';
import { elementKindOf } from './element-kind.ts';
import { hitAt, hitPoints } from './hit-points.ts';
import { armHitTarget } from './hit-target-interceptor.ts';
import type { Alignment } from './scroll-into-view.ts';

const FRAME_TAGS = new Set(['iframe', 'frame', 'object', 'embed']);
/** Maximum number of matches that are described. */
const MAX_MATCHES = 5;

/**
 * Checks all matches of a locator. For a single match, it finds out whether and where it accepts input, and arms the
 * interceptor in the same task as the last check.
 */
export async function checkActionability(
  elements: Element[],
  { state, position, arm }: ActionabilityOptions,
): Promise<ActionabilityResult> {
  const [element] = elements;
  const noResult = { matches: [], problem: null, point: null, kind: null, alternatives: [] };
  const base: ActionabilityResult = { count: elements.length, ...noResult, isArmed: true, entersFrame: false };
  if (elements.length > 1) return { ...base, matches: describeDistinctly(elements.slice(0, MAX_MATCHES)) };
  if (!element) return base;

  const kind = elementKindOf(element);
  const armIfAsked = () => !arm || armHitTarget(element, arm);
  if (state === 'attached' || state === 'visible') {
    const isArmed = armIfAsked();
    return { ...base, kind, alternatives: alternativesOf(element), isArmed, entersFrame: FRAME_TAGS.has(kind.tag) };
  }

  const target: CheckedTarget = { element, state, points: hitPoints(element, position), point: null };
  const elementProblem = await firstProblem(elementChecks, target);
  if (elementProblem !== null) return { ...base, kind, problem: elementProblem };
  if (state === 'enabled') return { ...base, kind, alternatives: alternativesOf(element) };
  scrollIntoView(target);
  const problem = await firstProblem(positionChecks, target);
  const { point } = target;
  if (problem !== null || !point) return { ...base, kind, problem };
  const alternatives = alternativesOf(element);
  if (state === 'point' || state === 'drop') return { ...base, kind, point, alternatives };
  const entersFrame = FRAME_TAGS.has(hitAt(point)?.localName ?? '');
  return { ...base, kind, point, alternatives, entersFrame, isArmed: armIfAsked() };
}

/** Scrolls until the best point is reached. Another alignment helps if a sticky header covers the element. */
function scrollIntoView(target: CheckedTarget): void {
  const { state, points } = target;
  const alignments: readonly Alignment[] = ['center', 'end', 'start'];
  target.point = points.bestPoint();
  for (const alignment of alignments) {
    const { point } = target;
    if (point && (state === 'point' || points.acceptsInputAt(point))) return;
    points.scrollTo(alignment);
    target.point = points.bestPoint();
  }
}

/** Alternatives are optional and must not fail the check. */
function alternativesOf(element: Element): Locator[] {
  try {
    return alternativeLocators(element);
  } catch {
    return [];
  }
}

/** Describes elements briefly. Identical descriptions get the text around the element or its position. */
function describeDistinctly(elements: Element[]): string[] {
  const short = elements.map((element) => describe(element));
  return elements.map((match, index) => {
    const description = short[index] ?? '';
    if (short.filter((text) => text === description).length === 1) return description;
    const parentOf = (node: Element) => plain(node).parentElement;
    const isOnlyAround = (up: Element) =>
      elements.every((element) => element === match || !plain(up).contains(element));
    let ancestor: Element = match;
    for (let up = parentOf(match); up && isOnlyAround(up); up = parentOf(up)) ancestor = up;
    const text = (plain(ancestor).textContent ?? '').replace(/\s+/g, ' ').trim();
    const { x, y } = plain(match).getBoundingClientRect();
    const context =
      ancestor === match || text === '' ? `at ${Math.round(x)}, ${Math.round(y)}` : `in “${text.slice(0, 60)}”`;
    return `${description} ${context}`;
  });
}
