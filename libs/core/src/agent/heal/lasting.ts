import { locatorSchema, isEphemeralLocator, type Locator, type Observation, type Target } from '@pilothouse/contract';
import { findTemplates } from '../../workflow/template.ts';
import type { ViewportPoint } from '../page.ts';
import { isPositionalLocator, locatorNames } from './wanted.ts';
import { containsMask, Templatizer, type KnownValue } from '../compile/lift.ts';

/**
 * Locators as a workflow would have them: nothing that only points, a place only where there is nothing else, no secret, and texts that would
 * be templates escaped. Where the step
 * names its element by what the run was given, only ways that do so as well are kept: another would find what this run led to.
 * @param target of the step, as the workflow has it
 * @param known what the templates of the target stand for in this run
 */
export function stableLocators(locators: readonly Locator[], target: Target, known: readonly KnownValue[]): Locator[] {
  const isTemplated = findTemplates(target).length > 0;
  const lift = new Templatizer(isTemplated ? known : [], []);
  const found = locators
    .filter((locator) => !isEphemeralLocator(locator) && !containsMask(JSON.stringify(locator)))
    .filter((locator) => !isTemplated || lift.changes(JSON.stringify(locator)))
    .flatMap((locator) => {
      const parsed = locatorSchema.safeParse(lift.json<unknown>(locator));
      return parsed.success ? [parsed.data] : [];
    });
  const sturdy = found.filter((locator) => !isPositionalLocator(locator));
  return (sturdy.length > 0 ? sturdy : found).slice(0, 10);
}

/** Whether a place lies in something drawn, or in a document that nobody looks into: what is there has no element of its own. */
export function isInOpaqueRegion(place: ViewportPoint, { viewport, unseen }: Observation): boolean {
  const x = (place.x / 1000) * viewport.width;
  const y = (place.y / 1000) * viewport.height;
  return unseen.some(
    ({ bounds }) => x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height,
  );
}

/**
 * Ways to find again what a picture showed at a place where the list has nothing: those that call it something. By those of a drawing only its
 * middle would be found.
 * @param found what is known of whatever lies there
 */
export const stableLocatorsAtPoint = (found: readonly Locator[], place: ViewportPoint, seen: Observation): Locator[] =>
  isInOpaqueRegion(place, seen)
    ? []
    : found.filter((locator) => locator.testId !== undefined || locatorNames(locator).length > 0);
