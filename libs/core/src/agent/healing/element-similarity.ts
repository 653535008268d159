import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Bounds, ElementView, Observation } from '@pilothouse/contract/observation/observation.schema';
import { isSynonymousName, nameContradiction } from '../../workflow/name-contradiction.ts';
import type { TargetDescription } from './lost-element.ts';

/*
 * Finds the lost element in view by role, name and adjacent text. Ambiguous results are dropped, because the next healing method has more
 * information.
 */

/** Minimum similarity of the best element, and its minimum distance to the second best. */
const MIN_SIMILARITY = 0.85;
const MIN_LEAD = 0.1;

/** Weights of role and name. */
const ROLE_WEIGHT = 0.3;
const NAME_WEIGHT = 0.7;

/** Weight of adjacent text that serves as the name, relative to a name of the element itself. */
const ADJACENT_TEXT_FACTOR = 0.85;

/** Maximum pixels between an element and its label: to its left, and above it. */
const MAX_LABEL_DISTANCE_LEFT = 300;
const MAX_LABEL_DISTANCE_ABOVE = 40;

/** Roles that replace each other when a page is redesigned. */
const ROLE_FAMILIES: readonly (readonly string[])[] = [
  ['button', 'link', 'menuitem', 'tab', 'clickable'],
  ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'],
  ['combobox', 'listbox'],
];

/** Roles that an action applies to. Other actions apply to any interactive element. */
const ROLES_BY_ACTION: Partial<Record<Action['action'], readonly string[]>> = {
  fill: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  type: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  clear: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  check: ['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio'],
  uncheck: ['checkbox', 'switch', 'menuitemcheckbox'],
  selectOption: ['combobox', 'listbox'],
};

/** The element in view that is clearly the most similar to the target; null: none. */
export function mostSimilarElement(
  target: TargetDescription,
  action: Action['action'],
  page: Observation,
): ElementView | null {
  if (target.names.length === 0) return null;
  const candidates = page.elements
    .map((element) => ({ element, similarity: similarityOf(element, target, action, page) }))
    .filter(({ similarity: like }) => like >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity);
  const [best, secondBest] = candidates;
  if (!best) return null;
  if (!secondBest || best.similarity - secondBest.similarity >= MIN_LEAD) return best.element;
  const tied = candidates
    .filter(({ similarity: like }) => best.similarity - like < MIN_LEAD)
    .map(({ element }) => element);
  return nearestToText(tied, target.adjacentTexts, page);
}

/**
 * Elements in view that have the role of the target and its name with a synonym. The only one on a page is probably the renamed target;
 * several are a question for a model or a person.
 */
export function synonymousElements(
  target: TargetDescription,
  action: Action['action'],
  { elements }: Observation,
): ElementView[] {
  const suitableRoles = ROLES_BY_ACTION[action];
  return elements.filter(
    ({ role, name, state, interactive }) =>
      interactive &&
      !state.disabled &&
      target.roles.has(role) &&
      (suitableRoles?.includes(role) ?? true) &&
      target.names.some((targetName) => isSynonymousName(targetName, name)),
  );
}

/** True if an element of this role may be the target. */
export const isCompatibleRole = (role: string, { roles }: Pick<TargetDescription, 'roles'>): boolean =>
  roles.size === 0 ||
  roles.has(role) ||
  ROLE_FAMILIES.some((family) => family.includes(role) && family.some((role) => roles.has(role)));

/** True if a name equals or resembles a name of the target. */
export const hasSimilarName = (name: string, { names }: Pick<TargetDescription, 'names'>): boolean =>
  names.some((targetName) => nameSimilarity(targetName, name) >= MIN_SIMILARITY);

/** Similarity from 0 (different) to 1 (same). */
function similarityOf(
  element: ElementView,
  target: TargetDescription,
  action: Action['action'],
  page: Observation,
): number {
  const { role, state, interactive } = element;
  if (!interactive || state.disabled || !isCompatibleRole(role, target)) return 0;
  const suitableRoles = ROLES_BY_ACTION[action];
  if (suitableRoles && !suitableRoles.includes(role)) return 0;
  const roleSimilarity = target.roles.has(role) ? 1 : target.roles.size === 0 && suitableRoles ? 1 : 0.8;
  const elementName = element.name || element.fallbackName || '';
  if (target.names.every((name) => nameContradiction(name, element.name) !== null)) return 0;
  const nameScore = Math.max(...target.names.map((name) => nameSimilarity(name, elementName)));
  const label = element.name === '' ? adjacentLabel(element, page) : null;
  const beside =
    label === null ? 0 : ADJACENT_TEXT_FACTOR * Math.max(...target.names.map((name) => nameSimilarity(name, label)));
  return ROLE_WEIGHT * roleSimilarity + NAME_WEIGHT * Math.max(nameScore, beside);
}

const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** Similarity of two names: same words, or additional words at the end. Words at the beginning (“do not”) may invert the meaning. */
function nameSimilarity(name: string, otherName: string): number {
  const [shorterWords = [], longerWords = []] = [splitWords(name), splitWords(otherName)].sort(
    (a, b) => a.length - b.length,
  );
  if (shorterWords.length === 0 || shorterWords.some((word, index) => word !== longerWords[index])) return 0;
  return 0.5 + 0.5 * (shorterWords.length / longerWords.length);
}

/** Label of a field without a name: the nearest text to its left, or the text directly above. */
function adjacentLabel({ bounds }: ElementView, { elements }: Observation): string | null {
  const texts = elements.filter(({ interactive, name }) => !interactive && name !== '');
  // Excludes a paragraph that is hardly taller than the field in it.
  const contains = (textBounds: Bounds) =>
    textBounds.x <= bounds.x &&
    textBounds.x + textBounds.width >= bounds.x + bounds.width &&
    overlaps(textBounds.y, textBounds.height, bounds.y, bounds.height) &&
    textBounds.height <= 2 * bounds.height;
  const distanceLeft = (textBounds: Bounds) =>
    contains(textBounds) ? 0 : bounds.x - (textBounds.x + textBounds.width);
  const distanceAbove = (textBounds: Bounds) => bounds.y - (textBounds.y + textBounds.height);
  const leftLabels = texts
    .filter(
      ({ bounds: textBounds }) =>
        overlaps(textBounds.y, textBounds.height, bounds.y, bounds.height) && distanceLeft(textBounds) >= 0,
    )
    .filter(({ bounds: textBounds }) => distanceLeft(textBounds) <= MAX_LABEL_DISTANCE_LEFT)
    .sort((a, b) => distanceLeft(a.bounds) - distanceLeft(b.bounds));
  const aboveLabels = texts
    .filter(
      ({ bounds: textBounds }) =>
        overlaps(textBounds.x, textBounds.width, bounds.x, bounds.width) && distanceAbove(textBounds) >= 0,
    )
    .filter(({ bounds: textBounds }) => distanceAbove(textBounds) <= MAX_LABEL_DISTANCE_ABOVE)
    .sort((a, b) => distanceAbove(a.bounds) - distanceAbove(b.bounds));
  return (leftLabels[0] ?? aboveLabels[0])?.name ?? null;
}

const overlaps = (position: number, size: number, start: number, length: number) =>
  position < start + length && start < position + size;

/** The element that is nearest to an adjacent text of the target; null: undecided. */
function nearestToText(
  candidates: readonly ElementView[],
  adjacentTexts: readonly string[],
  page: Observation,
): ElementView | null {
  const anchors = page.elements.filter(({ name }) => adjacentTexts.some((text) => nameSimilarity(text, name) === 1));
  const [anchor] = anchors;
  if (!anchor || anchors.length > 1) return null;
  const distance = ({ bounds }: ElementView) =>
    Math.hypot(centerOf(bounds).x - centerOf(anchor.bounds).x, centerOf(bounds).y - centerOf(anchor.bounds).y);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

const centerOf = ({ x, y, width, height }: Bounds) => ({ x: x + width / 2, y: y + height / 2 });
