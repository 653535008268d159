import { locatorSchema, isPointing, type Locator, type Target } from '@pilothouse/contract';
import { templatesIn } from '../../workflow/template.ts';
import { isByPlace } from './wanted.ts';
import { isMasked, Lift, type Known } from '../compile/lift.ts';

/**
 * Locators as a workflow would have them: nothing that only points, a place only where there is nothing else, no secret, and texts that would
 * be templates escaped. Where the step
 * names its element by what the run was given, only ways that do so as well are kept: another would find what this run led to.
 * @param target of the step, as the workflow has it
 * @param known what the templates of the target stand for in this run
 */
export function lastingLocators(locators: readonly Locator[], target: Target, known: readonly Known[]): Locator[] {
  const isTemplated = templatesIn(target).length > 0;
  const lift = new Lift(isTemplated ? known : [], []);
  const found = locators
    .filter((locator) => !isPointing(locator) && !isMasked(JSON.stringify(locator)))
    .filter((locator) => !isTemplated || lift.changes(JSON.stringify(locator)))
    .flatMap((locator) => {
      const parsed = locatorSchema.safeParse(lift.json<unknown>(locator));
      return parsed.success ? [parsed.data] : [];
    });
  const sturdy = found.filter((locator) => !isByPlace(locator));
  return (sturdy.length > 0 ? sturdy : found).slice(0, 10);
}
