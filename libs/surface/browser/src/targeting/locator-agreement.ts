import {
  isEphemeralLocator,
  locatorNames,
  toLocatorChain,
  type Locator,
  type Target,
} from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { LocatedElement } from '@pilothouse/core/ports/surface-action.port';
import { limitDeadline, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { contradictedName } from '@pilothouse/core/workflow/name-contradiction';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { matchingTextsOf } from './text-matching.ts';
import type { RenderingMonitor } from './page-rendering.ts';
import { resolveLocator, type ResolvedLocator } from './resolve-locator.ts';

/** Maximum wait for another name of an element, in milliseconds. The page may still be changing it. */
const NAME_WAIT_MS = 2000;

/** Maximum length of a name in a warning. */
const MAX_NAME_CHARS = 100;

/** Reason why the element of a locator is not used. */
interface LocatorConflict {
  readonly error: PilothouseError;
  /** False if the page may still be changing the name of the element. */
  readonly isFinal: boolean;
  /** Warning with which the element is used if its name stays. Without it, the element is not used. */
  readonly warning?: string;
}

/** True if a locator contains a name. */
const isNamed = (locator: Locator): boolean =>
  locatorNames(locator).length > 0 || (locator.role !== undefined && locator.pattern !== undefined);

/** True if a locator contains the whole name. */
const isWholeName = (locator: Locator): boolean =>
  isNamed(locator) && (locator.exact === true || locator.pattern !== undefined);

/** True if a locator identifies one element without its name: a test id, or an id. */
const isIdentity = ({ testId, css }: Locator): boolean =>
  testId !== undefined || (css !== undefined && /^#(?:\\.|[\w-])+$/.test(css));

/** Decides whether a locator's element agrees with the rest of the chain, over all attempts of a step. */
export class LocatorAgreement {
  readonly #ctx: ActionContext;
  readonly #chain: readonly Locator[];
  readonly #locateDeadline: Deadline;
  /** Limit of the wait for another name; set by the first contradiction. */
  #limit: Deadline | null = null;
  #error: PilothouseError | null = null;

  /** @param deadline of locating the element */
  constructor(ctx: ActionContext, target: Target, deadline: Deadline) {
    this.#ctx = ctx;
    this.#chain = toLocatorChain(target);
    this.#locateDeadline = deadline;
  }

  /** Conflict of the last attempt. */
  get error(): PilothouseError | null {
    return this.#error;
  }

  /** Call when there was no match. */
  reset(): void {
    this.#limit = null;
    this.#error = null;
  }

  /**
   * True if the element may receive input. If not, the caller must try again. An element that a test id or an id identifies is used with
   * a warning if it has another name, because names such as a date change.
   * @param ownLocators locators of the element that are already known
   * @throws PilothouseError TARGET_AMBIGUOUS with the elements of two locators, TARGET_NOT_FOUND with the other name of the element
   */
  async accepts(
    { locator, triedCount }: LocatedElement,
    rendering: RenderingMonitor,
    ownLocators: readonly Locator[] = [],
  ): Promise<boolean> {
    const ctx = this.#ctx;
    const conflict = await findConflict(ctx, this.#chain, triedCount - 1, ownLocators);
    this.#error = conflict?.error ?? null;
    if (!conflict) return true;
    const { error, isFinal, warning } = conflict;
    if (isFinal) {
      if (await rendering.isAmbiguous()) throw error;
      return false;
    }
    if (warning !== undefined && ctx.renamedTargets.has(locator)) return true;
    this.#limit ??= limitDeadline(this.#locateDeadline, Math.min(NAME_WAIT_MS, remainingMs(this.#locateDeadline) / 2));
    if (remainingMs(this.#limit) > 0) return false;
    if (warning === undefined) throw error;
    ctx.renamedTargets.add(locator);
    ctx.warn(warning);
    return true;
  }
}

/**
 * Checks the element of a locator against the other locators of its chain, which were recorded from one element. A locator without a
 * match is ignored.
 * @param index of the locator that found the element
 * @param ownLocators locators of the element that are already known
 * @returns null if the element may be used
 */
async function findConflict(
  ctx: ActionContext,
  chain: readonly Locator[],
  index: number,
  ownLocators: readonly Locator[],
): Promise<LocatorConflict | null> {
  const locator = chain[index];
  if (!locator || isEphemeralLocator(locator)) return null;
  const isPartOfName = isNamed(locator) && !isWholeName(locator);
  if (chain.length === 1 && !isPartOfName) return null;
  if (isConfirmed(chain, locator, ownLocators)) return null;
  try {
    // A box or a list behind a styled control is hidden.
    const found = (await resolve(ctx, locator, true)) ?? (await resolve(ctx, locator, false));
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
    // Another locator that is invalid is ignored, and so is a document that is replaced meanwhile.
    return null;
  }
}

/** True if the element's own locators show that neither another locator of the chain nor a name contradicts it. */
function isConfirmed(chain: readonly Locator[], locator: Locator, ownLocators: readonly Locator[]): boolean {
  const knownTexts = new Set(ownLocators.map(canonical));
  const isCompared = isNamed(locator) ? isIdentity : isWholeName;
  const compared = chain.filter((second) => second !== locator && !isEphemeralLocator(second) && isCompared(second));
  if (!compared.every((second) => knownTexts.has(canonical(second)))) return false;
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

/** Matches of a locator and their descriptions. */
interface Found extends ResolvedLocator {
  readonly descriptions: readonly string[];
  readonly isVisible: boolean;
}

/** @returns null if there is no match */
async function resolve(ctx: ActionContext, locator: Locator, isVisible: boolean): Promise<Found | null> {
  const words = describeLocator(locator);
  const resolved = await raceDeadline(resolveLocator(ctx.page, locator, isVisible), ctx, words);
  const descriptions = resolved
    ? await raceDeadline(resolved.matches.evaluateAll(describeAll, undefined), ctx, words)
    : [];
  return resolved && descriptions.length > 0 ? { ...resolved, descriptions, isVisible } : null;
}

/** Finds another locator of the chain with one element of the same kind that is not this one. */
async function otherElement(
  ctx: ActionContext,
  chain: readonly Locator[],
  locator: Locator,
  found: Found,
  isCompared: (locator: Locator) => boolean,
): Promise<LocatorConflict | null> {
  for (const second of chain) {
    if (second === locator || isEphemeralLocator(second) || !isCompared(second)) continue;
    const words = describeLocator(second);
    const resolved = await resolve(ctx, second, found.isVisible);
    if (resolved?.frame !== found.frame || resolved.descriptions.length > 1) continue;
    const isDifferent = await raceDeadline(
      found.matches.or(resolved.matches).evaluateAll(areDifferent, undefined),
      ctx,
      words,
    );
    if (!isDifferent) continue;
    const matches = [...found.descriptions, ...resolved.descriptions];
    const message = `The locators of the step find different elements: ${describeLocator(locator)} finds ${matches[0]}, and ${words} finds ${matches[1]}. Remove the locator that is wrong, or record the step again`;
    const details = { locator: describeLocator(locator), conflictsWith: words, matches };
    return { error: new PilothouseError('TARGET_AMBIGUOUS', message, { details }), isFinal: true };
  }
  return null;
}

/** Compares the names that the chain recorded with the names of the element. */
async function otherName(
  ctx: ActionContext,
  chain: readonly Locator[],
  locator: Locator,
  { matches, descriptions: [element] }: Found,
): Promise<LocatorConflict | null> {
  if (!chain.some(isNamed)) return null;
  const words = describeLocator(locator);
  const names = await raceDeadline(matchingTextsOf(matches), ctx, words);
  const contradiction = contradictedName([...chain], names);
  if (!contradiction) return null;
  const { recorded, kind } = contradiction;
  const reason = kind === 'opposite' ? 'contradicts' : 'differs from';
  const message = `${words} finds ${element ?? 'an element'}, whose name ${reason} ${JSON.stringify(recorded)}, the name in the step. It was not used. Correct the name in the step if this is the element, or remove the locator`;
  const details = { locator: words, recorded, matches: [element] };
  const error = new PilothouseError('TARGET_NOT_FOUND', message, { details });
  if (kind !== 'other' || !isIdentity(locator)) return { error, isFinal: false };
  const name = JSON.stringify(names.find((text) => text.trim() !== '')?.slice(0, MAX_NAME_CHARS) ?? '');
  const warning = `${words} finds an element with the name ${name}, but the step has the name ${JSON.stringify(recorded)}. It was used. Remove the name from the step if it changes`;
  return { error, isFinal: false, warning };
}

const describeAll = pageFunction((elements: Element[], _: undefined, { describe }): string[] =>
  elements.slice(0, 5).map((element) => describe(element)),
);

/** True for two elements of the same kind that do not belong together. */
const areDifferent = pageFunction((elements: Element[], _: undefined, { plain }): boolean => {
  const [first, second] = elements;
  if (!first || !second || elements.length > 2) return false;
  const fields = 'textbox searchbox combobox spinbutton listbox slider'.split(' ');
  const kindOf = (element: Element): string => {
    const native = plain(element);
    const role = native.getAttribute('role')?.split(' ')[0] ?? '';
    const type = native.getAttribute('type')?.toLowerCase() ?? '';
    const buttonTypes = ['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file'];
    if (fields.includes(role) || ['textarea', 'select'].includes(native.localName)) return 'field';
    if (native.localName === 'input' && !buttonTypes.includes(type)) return 'field';
    return role !== '' || ['a', 'button', 'summary', 'input', 'label'].includes(native.localName) ? 'control' : '';
  };
  const contains = (outer: Element, inner: Element): boolean => {
    for (let node: Node | null = inner; node; node = node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null)
      if (node === outer) return true;
    return false;
  };
  const isLabelOf = (label: Element, field: Element): boolean => (label as Partial<HTMLLabelElement>).control === field;
  const isBehind = (native: Element, styled: Element): boolean =>
    native.matches('select, [type=checkbox], [type=radio], [type=file]') &&
    !styled.matches('select, input, textarea') &&
    native.parentElement?.contains(styled) === true;
  const belongTogether = [
    [first, second],
    [second, first],
  ].some(([a, b]) => a && b && (contains(a, b) || isLabelOf(a, b) || isBehind(a, b)));
  return !belongTogether && kindOf(first) !== '' && kindOf(first) === kindOf(second);
});
