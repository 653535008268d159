import type { Action } from '@pilothouse/contract/actions/action-sets';
import { toLocatorChain, type Locator } from '@pilothouse/contract/actions/locator.schema';
import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import type { Bounds } from '@pilothouse/contract/observation/observation.schema';
import type { PlannedAction } from '../../agent/planned-action.ts';
import { canonicalJson } from '../dataset/canonical-json.ts';

/* Comparison of the first action of an answer with that of a label, or of another answer. */

/** Page of the actions; without it, an element and a point cannot be compared. */
export type ComparedPage = Pick<DatasetExample['page'], 'viewport'> & {
  readonly elements: readonly Pick<DatasetExample['page']['elements'][number], 'index' | 'bounds' | 'state'>[];
};

/** A planned action with the recorded bounds of its target, if known. */
export type ActionToCompare = PlannedAction & { readonly bounds?: Bounds | null };

/** Result of a comparison. */
export interface ActionComparison {
  /** Kind, target and arguments are the same; null: the targets cannot be compared. */
  readonly isMatch: boolean | null;
  readonly hasSameKind: boolean;
  /** null: the expected action has no target, or the targets cannot be compared. */
  readonly hasSameTarget: boolean | null;
  /** null: the expected action has no arguments. */
  readonly hasSameText: boolean | null;
  /** Distance between both targets; null: one of them has no place. */
  readonly distance: { readonly pixels: number; readonly share: number } | null;
}

/** Maximum distance of two points that count as the same target, as a share of the diagonal. */
const MAX_POINT_SHARE = 0.02;

/** Compares the first actions. `null`: an answer without an action. */
export function compareActions(
  expected: readonly ActionToCompare[],
  answered: readonly ActionToCompare[],
  page: ComparedPage | null,
): ActionComparison {
  const [label, answer] = [comparableAction(expected, page), comparableAction(answered, page)];
  const hasSameKind = label !== null && label.kind === answer?.kind;
  const isTargetUnknown = hasSameKind && isIncomparable(label.target, answer.target, page);
  const hasSameTarget =
    !label?.target || isTargetUnknown ? null : hasSameKind && isSameTarget(label.target, answer.target, page);
  const hasSameText = label === null || label.text === null ? null : hasSameKind && label.text === answer.text;
  const isMissingTarget = !label?.target && Boolean(answer?.target) && hasSameKind;
  const isDifferent = !hasSameKind || hasSameTarget === false || hasSameText === false || isMissingTarget;
  return {
    isMatch: isDifferent ? false : isTargetUnknown ? null : true,
    hasSameKind,
    hasSameTarget,
    hasSameText,
    distance: distanceOf(label?.target ?? null, answer?.target ?? null, page),
  };
}

/** Target of an action, as far as it is known. */
interface PlacedTarget {
  readonly index: number | null;
  /** In pixels of the viewport. */
  readonly bounds: Bounds | null;
  /** Other locators. */
  readonly locator: string;
}

interface ComparableAction {
  readonly kind: string;
  readonly target: PlacedTarget | null;
  /** Text, key, URL or other arguments; null: none that matter. */
  readonly text: string | null;
}

/** The first action. A click and a text that is then typed into the focus are one text entry. */
function comparableAction(actions: readonly ActionToCompare[], page: ComparedPage | null): ComparableAction | null {
  const remaining = actions.filter(({ kind }) => kind !== 'store');
  const [first] = remaining;
  if (!first) return null;
  if (first.kind !== 'act') return { kind: first.kind, target: null, text: textOfDecision(first) };
  const typed = first.action.action === 'click' ? typedAfterClick(remaining) : null;
  const target = targetOf(first, page);
  if (typed !== null) return { kind: 'enterText', target, text: normalizeText(typed) };
  return { ...argumentsOf(first.action), target };
}

/** The text that is typed into the clicked field, also after its text was deleted; null: another action follows. */
function typedAfterClick(actions: readonly ActionToCompare[]): string | null {
  for (const planned of actions.slice(1)) {
    if (planned.kind !== 'act') return null;
    const { action } = planned;
    if (action.action === 'press' && /^(Control\+a|ControlOrMeta\+a|Delete|Backspace)$/i.test(action.key)) continue;
    return action.action === 'type' && reachesFocus(action) ? action.text : null;
  }
  return null;
}

const reachesFocus = ({ target }: Extract<Action, { action: 'type' }>): boolean =>
  target === undefined || toLocatorChain(target)[0]?.focus === true;

const normalizeText = (text: string) => text.trim().split(/\s+/).join(' ');

function textOfDecision(planned: PlannedAction): string | null {
  if (planned.kind !== 'done') return null;
  const { answer } = planned.claim;
  if (answer === null || answer === '') return null;
  return typeof answer === 'string' ? normalizeText(answer) : canonicalJson(answer);
}

/** Fields that do not change what an action does, or are compared apart. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(['action', 'target', 'position', 'fromPosition', 'append']);

function argumentsOf(action: Action): Pick<ComparableAction, 'kind' | 'text'> {
  switch (action.action) {
    case 'fill':
    case 'type':
      return { kind: 'enterText', text: normalizeText(action.text) };
    case 'press':
      return { kind: 'press', text: action.key.toLowerCase() };
    case 'navigate':
      return { kind: 'navigate', text: action.url.replace(/\/$/, '') };
    case 'scroll':
      return { kind: 'scroll', text: scrollDirection(action) };
    case 'wait':
      return { kind: 'wait', text: null };
    case 'click':
      return {
        kind: 'click',
        text: canonicalJson([action.button ?? 'left', action.count ?? 1, action.modifiers?.toSorted() ?? []]),
      };
    default: {
      const rest = Object.entries(action).filter(([field, value]) => !IGNORED_FIELDS.has(field) && value !== undefined);
      return { kind: action.action, text: rest.length > 0 ? canonicalJson(Object.fromEntries(rest)) : null };
    }
  }
}

/** Direction of a scroll: models choose different distances. */
function scrollDirection({ by: distance, to: destination }: Extract<Action, { action: 'scroll' }>): string | null {
  if (destination !== undefined) return destination === 'bottom' ? 'down' : destination === 'top' ? 'up' : destination;
  const { x = 0, y = 0 } = distance ?? {};
  if (x === 0 && y === 0) return null;
  if (Math.abs(y) >= Math.abs(x)) return y > 0 ? 'down' : 'up';
  return x > 0 ? 'right' : 'left';
}

function targetOf(planned: Extract<ActionToCompare, { kind: 'act' }>, page: ComparedPage | null): PlacedTarget | null {
  const { action, bounds: recordedBounds } = planned;
  const locator = 'target' in action && action.target ? toLocatorChain(action.target)[0] : undefined;
  // Keys and texts without a target reach the focused element.
  const isFocus = locator?.focus === true || (!locator && (action.action === 'press' || action.action === 'type'));
  if (!locator && !isFocus) return null;
  const index = isFocus ? focusedIndex(page) : (locator?.elementIndex ?? null);
  if (isFocus && index === null) return null;
  const bounds = recordedBounds ?? page?.elements.find((element) => element.index === index)?.bounds ?? null;
  const point = locator?.point && toPixels(locator.point, page);
  return {
    index,
    bounds: bounds ?? (point ? { ...point, width: 0, height: 0 } : null),
    locator: canonicalJson(locator ?? { elementIndex: index }),
  };
}

const focusedIndex = (page: ComparedPage | null): number | null =>
  page?.elements.find(({ state }) => state.focused === true)?.index ?? null;

/** Viewport without a page: a point in thousandths. */
const UNKNOWN_VIEWPORT = { width: 1000, height: 1000 };

const viewportOf = (page: ComparedPage | null) => page?.viewport ?? UNKNOWN_VIEWPORT;

function toPixels({ x, y }: NonNullable<Locator['point']>, page: ComparedPage | null) {
  const { width, height } = viewportOf(page);
  return { x: (x / 1000) * width, y: (y / 1000) * height };
}

/** An element without bounds and a point say nothing about each other. */
function isIncomparable(label: PlacedTarget | null, answer: PlacedTarget | null, page: ComparedPage | null): boolean {
  if (!label || !answer || page) return false;
  return (label.bounds === null) !== (answer.bounds === null);
}

function isSameTarget(label: PlacedTarget, answer: PlacedTarget | null, page: ComparedPage | null): boolean {
  if (!answer) return false;
  if (label.index !== null && label.index === answer.index) return true;
  if (label.bounds === null || answer.bounds === null) return label.locator === answer.locator;
  if (canonicalJson(label.bounds) === canonicalJson(answer.bounds)) return true;
  const [isLabelPoint, isAnswerPoint] = [isPoint(label.bounds), isPoint(answer.bounds)];
  if (isLabelPoint && isAnswerPoint) return isNear(label.bounds, answer.bounds, page);
  if (isAnswerPoint) return contains(label.bounds, answer.bounds);
  return isLabelPoint && contains(answer.bounds, label.bounds);
}

const isPoint = ({ width, height }: Bounds) => width === 0 && height === 0;

/** Two points are the same target if the smallest element with one of them has the other, or if they are close. */
function isNear(label: Bounds, answer: Bounds, page: ComparedPage | null): boolean {
  const element = page?.elements
    .filter(({ bounds }) => contains(bounds, label))
    .toSorted((a, b) => area(a.bounds) - area(b.bounds))[0];
  if (element) return contains(element.bounds, answer);
  return distanceBetween(label, answer) <= MAX_POINT_SHARE * diagonalOf(page);
}

const area = ({ width, height }: Bounds) => width * height;

const contains = ({ x, y, width, height }: Bounds, point: Pick<Bounds, 'x' | 'y'>) =>
  point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;

const distanceBetween = (first: Bounds, second: Bounds) =>
  Math.hypot(
    first.x + first.width / 2 - second.x - second.width / 2,
    first.y + first.height / 2 - second.y - second.height / 2,
  );

function diagonalOf(page: ComparedPage | null): number {
  const { width, height } = viewportOf(page);
  return Math.hypot(width, height);
}

function distanceOf(label: PlacedTarget | null, answer: PlacedTarget | null, page: ComparedPage | null) {
  if (!page || !label?.bounds || !answer?.bounds) return null;
  const pixels = distanceBetween(label.bounds, answer.bounds);
  return { pixels, share: pixels / Math.max(1, diagonalOf(page)) };
}
