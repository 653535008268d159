import { isEphemeralLocator, locatorNames, type Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import { contradictedName } from '@pilothouse/core/workflow/name-contradiction';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import type { ActionabilityState } from '../injected/actionability-result.ts';
import { matchingTextsOf } from './text-matching.ts';
import type { LocateAttempt } from './located-target.ts';
import { resolveLocator, type ResolvedLocator } from './resolve-locator.ts';

/** Reason why the element of a locator is not used. */
export interface LocatorConflict {
  readonly error: PilothouseError;
  /** False if the page may still be changing the name of the element. */
  readonly isFinal: boolean;
}

/** States of elements that receive input. Only reading an element does no harm. */
const inputStates: ReadonlySet<ActionabilityState> = new Set(['input', 'editable', 'point', 'drop']);

/** True if a locator contains a name. */
const isNamed = (locator: Locator): boolean =>
  locatorNames(locator).length > 0 || (locator.role !== undefined && locator.pattern !== undefined);

/** True if a locator contains the whole name. */
const isWholeName = (locator: Locator): boolean =>
  isNamed(locator) && (locator.exact === true || locator.pattern !== undefined);

/** True if a locator identifies one element without its name: a test id, or an id. */
const isIdentity = ({ testId, css }: Locator): boolean =>
  testId !== undefined || (css !== undefined && /^#(?:\\.|[\w-])+$/.test(css));

/**
 * Checks the element of a locator against the other locators of its chain, which were recorded from one element. A locator that finds
 * nothing says nothing.
 * @param attempt the element, and the locators of which it needs no search
 * @returns null if the element may be used
 */
export async function findConflict(
  ctx: ActionContext,
  chain: readonly Locator[],
  { match, ownLocators = [] }: LocateAttempt,
  state: ActionabilityState,
): Promise<LocatorConflict | null> {
  const locator = match && chain[match.located.triedCount - 1];
  if (!locator || !inputStates.has(state) || isEphemeralLocator(locator)) return null;
  const isPartOfName = isNamed(locator) && !isWholeName(locator);
  if (chain.length === 1 && !isPartOfName) return null;
  if (isConfirmed(chain, locator, ownLocators)) return null;
  try {
    const found = await raceDeadline(resolveLocator(ctx.page, locator, true), ctx, describeLocator(locator));
    if (!found) return null;
    if (isNamed(locator)) {
      const conflict = await otherElement(ctx, chain, locator, found, isIdentity);
      // A part of a name also finds its opposite.
      return conflict ?? (isPartOfName ? await otherName(ctx, [locator], locator, found) : null);
    }
    const named = await otherElement(ctx, chain, locator, found, isWholeName);
    return named ?? (await otherName(ctx, chain, locator, found));
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof PilothouseError && error.code === 'STEP_TIMED_OUT') throw error;
    // Another locator that is ambiguous or invalid, and a document that is replaced meanwhile, say nothing.
    return null;
  }
}

/** True if the element's own locators show that neither another locator of the chain nor a name contradicts it. */
function isConfirmed(chain: readonly Locator[], locator: Locator, ownLocators: readonly Locator[]): boolean {
  const own = new Set(ownLocators.map(canonical));
  const isCompared = isNamed(locator) ? isIdentity : isWholeName;
  const compared = chain.filter((second) => second !== locator && !isEphemeralLocator(second) && isCompared(second));
  if (!compared.every((second) => own.has(canonical(second)))) return false;
  if (isNamed(locator) ? isWholeName(locator) : compared.length > 0) return true;
  const named = isNamed(locator) ? [locator] : chain;
  if (!named.some(isNamed)) return true;
  const names = ownLocators.flatMap(({ role, name, exact }) => (role && name && exact ? [name] : []));
  return names.length > 0 && contradictedName([...named], names) === null;
}

/** Text of a locator that does not depend on the order of its fields. */
const canonical = (locator: Locator): string =>
  JSON.stringify(locator, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
      : value,
  );

/** Finds another locator of the chain with an element of the same kind that is not this one. */
async function otherElement(
  ctx: ActionContext,
  chain: readonly Locator[],
  locator: Locator,
  found: ResolvedLocator,
  isCompared: (locator: Locator) => boolean,
): Promise<LocatorConflict | null> {
  for (const second of chain) {
    if (second === locator || isEphemeralLocator(second) || !isCompared(second)) continue;
    const words = describeLocator(second);
    const resolved = await raceDeadline(resolveLocator(ctx.page, second, true), ctx, words);
    if (!resolved || resolved.frame !== found.frame) continue;
    const both = await raceDeadline(
      found.matches.or(resolved.matches).evaluateAll(differentElements, undefined),
      ctx,
      words,
    );
    if (!both) continue;
    const own = await raceDeadline(found.matches.evaluateAll(describeAll, undefined), ctx, words);
    const [element, otherElement] = own[0] === both[0] ? both : both.toReversed();
    const message = `The locators of the step find different elements: ${describeLocator(locator)} finds ${element}, and ${words} finds ${otherElement}. Remove the locator that is wrong, or record the step again`;
    const details = { locator: describeLocator(locator), conflictsWith: words, matches: [element, otherElement] };
    return { error: new PilothouseError('TARGET_AMBIGUOUS', message, { details }), isFinal: true };
  }
  return null;
}

/** Compares the names that the chain recorded with the names of the element. */
async function otherName(
  ctx: ActionContext,
  chain: readonly Locator[],
  locator: Locator,
  { matches }: ResolvedLocator,
): Promise<LocatorConflict | null> {
  if (!chain.some(isNamed)) return null;
  const words = describeLocator(locator);
  const names = await raceDeadline(matchingTextsOf(matches), ctx, words);
  const contradiction = contradictedName([...chain], names);
  if (!contradiction) return null;
  const [element] = await raceDeadline(matches.evaluateAll(describeAll, undefined), ctx, words);
  const { recorded, kind } = contradiction;
  const reason = kind === 'opposite' ? 'contradicts' : 'differs from';
  const message = `${words} finds ${element ?? 'an element'}, whose name ${reason} ${JSON.stringify(recorded)}, the name in the step. It was not used. Correct the name in the step if this is the element, or remove the locator`;
  const details = { locator: words, recorded, matches: [element] };
  return { error: new PilothouseError('TARGET_NOT_FOUND', message, { details }), isFinal: false };
}

const describeAll = pageFunction((elements: Element[], _: undefined, { describe }): string[] =>
  elements.slice(0, 5).map((element) => describe(element)),
);

/** Describes two elements of the same kind that do not belong together; null for any others. */
const differentElements = pageFunction((elements: Element[], _: undefined, { describe, plain }): string[] | null => {
  const [first, second] = elements;
  if (!first || !second || elements.length > 2) return null;
  const fields = 'textbox searchbox combobox spinbutton listbox slider'.split(' ');
  const kindOf = (element: Element): string => {
    const native = plain(element);
    const role = native.getAttribute('role')?.split(' ')[0] ?? '';
    const type = native.getAttribute('type')?.toLowerCase() ?? '';
    const pressed = ['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file'];
    if (fields.includes(role) || ['textarea', 'select'].includes(native.localName)) return 'field';
    if (native.localName === 'input' && !pressed.includes(type)) return 'field';
    return role !== '' || ['a', 'button', 'summary', 'input', 'label'].includes(native.localName) ? 'control' : '';
  };
  const contains = (outer: Element, inner: Element): boolean => {
    for (let node: Node | null = inner; node; node = node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null)
      if (node === outer) return true;
    return false;
  };
  const isLabelOf = (label: Element, field: Element): boolean => (label as Partial<HTMLLabelElement>).control === field;
  const belongTogether = [
    [first, second],
    [second, first],
  ].some(([a, b]) => a && b && (contains(a, b) || isLabelOf(a, b)));
  return belongTogether || kindOf(first) === '' || kindOf(first) !== kindOf(second)
    ? null
    : [describe(first), describe(second)];
});
