import { isEphemeralLocator, type Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import { isSynonymousName } from '@pilothouse/core/workflow/name-contradiction';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { Frame, Page } from 'playwright-core';
import { resolveLocator } from './resolve-locator.ts';
import type { ActionContext } from '../action-context.ts';
import { pageFunction } from '../injected/evaluate-functions.ts';
import { visibleNames } from '../injected/page-text.ts';

/** Elements that exist instead: their kind and the names closest to the target. */
interface Nearby {
  readonly kind: string;
  readonly names: string[];
}

const MAX_NAMES = 8;

/** Returns the candidates of the same kind, how they are named, and the expected name. */
function candidatesFor(scope: Page | Frame, locator: Locator) {
  const { role, name, label, placeholder, text, testId } = locator;
  if (role !== undefined) {
    const elements = scope.getByRole(role as Parameters<Page['getByRole']>[0]);
    return { kind: role, all: elements, by: 'name', expected: name ?? '' };
  }
  if (label !== undefined) {
    return {
      kind: 'label',
      all: scope.locator('css=label, input[aria-label], textarea[aria-label], select[aria-label]'),
      by: 'name',
      expected: label,
    };
  }
  if (placeholder !== undefined) {
    return { kind: 'placeholder', all: scope.locator('css=[placeholder]'), by: '[placeholder]', expected: placeholder };
  }
  if (testId !== undefined) {
    return { kind: 'test id', all: scope.locator('css=[data-testid]'), by: '[data-testid]', expected: testId };
  }
  const texts = 'css=button, a, label, h1, h2, h3, th, [role=button], [role=link]';
  return { kind: 'text', all: scope.locator(texts), by: 'name', expected: text ?? locator.hasText ?? '' };
}

/** Similarity of two names by pairs of letters, 0 to 1. */
export function textSimilarity(first: string, second: string): number {
  const pairs = (text: string) => {
    const lower = text.toLowerCase();
    return new Set(Array.from({ length: Math.max(0, lower.length - 1) }, (_, index) => lower.slice(index, index + 2)));
  };
  const [firstPairs, secondPairs] = [pairs(first), pairs(second)];
  const shared = [...firstPairs].filter((pair) => secondPairs.has(pair)).length;
  return firstPairs.size + secondPairs.size === 0 ? 0 : (2 * shared) / (firstPairs.size + secondPairs.size);
}

/** Describes, as text and data, what exists instead of the elements of a locator chain. */
export async function nearbyOf(
  ctx: ActionContext,
  chain: readonly Locator[],
): Promise<{ words: string; nearby: Nearby[] }> {
  const nearby: Nearby[] = [];
  for (const locator of chain) {
    const report = await raceDeadline(describeMatches(ctx.page, locator), ctx, describeLocator(locator)).catch(
      () => null,
    );
    ctx.signal.throwIfAborted();
    if (report?.near && !nearby.some(({ kind }) => kind === report.near?.kind)) nearby.push(report.near);
  }
  return { words: describeNearby(nearby), nearby };
}

const describeNearby = (nearby: readonly Nearby[]) =>
  nearby.map(({ kind, names }) => `${kind}: ${names.map((name) => JSON.stringify(name)).join(', ')}`).join('; ');

/** Returns the error with the result of each locator and what exists instead. */
export async function createNotFoundError(
  ctx: ActionContext,
  chain: Locator[],
  failures: string[],
): Promise<PilothouseError> {
  const tried: { locator: string; found: string }[] = [];
  const nearby: Nearby[] = [];
  for (const locator of chain) {
    const words = describeLocator(locator);
    const failure = failures.find((failure) => failure.startsWith(`${words}: `));
    try {
      const { found, near } = await raceDeadline(describeMatches(ctx.page, locator), ctx, words);
      tried.push({ locator: words, found: failure?.slice(words.length + 2) ?? found });
      if (near && !nearby.some(({ kind }) => kind === near.kind)) nearby.push(near);
    } catch {
      ctx.signal.throwIfAborted();
      tried.push({ locator: words, found: failure?.slice(words.length + 2) ?? 'nothing' });
    }
  }
  const results = tried.map(({ locator, found }) => `${locator}: ${found}`).join('; ');
  const nearbyText = describeNearby(nearby);
  const nearbySentence = nearbyText ? `. There is ${nearbyText}` : '';
  const suggestion = renamedTarget(chain, nearby);
  const suggestionSentence = suggestion
    ? `. If ${suggestion.role} ${JSON.stringify(suggestion.name)} is the element, set the target to { role: ${suggestion.role}, name: ${JSON.stringify(suggestion.name)}, exact: true }`
    : '';
  const message = `No element found at ${ctx.page.url()}. ${results}${nearbySentence}${suggestionSentence}`;
  return new PilothouseError('TARGET_NOT_FOUND', message, {
    details: { tried, nearby, url: ctx.page.url(), ...(suggestion && { suggestion }) },
  });
}

/** Returns a locator of the only element of the same role whose name has a synonym in it; null: none, or several. */
function renamedTarget(chain: readonly Locator[], nearby: readonly Nearby[]) {
  const renamed = chain.flatMap(({ role, name }) => {
    const names = nearby.find(({ kind }) => kind === role)?.names ?? [];
    return role === undefined || name === undefined
      ? []
      : names.filter((text) => isSynonymousName(name, text)).map((text) => ({ role, name: text, exact: true }));
  });
  const [first, ...others] = renamed;
  return first && others.every(({ name }) => name === first.name) ? first : null;
}

/** Describes the drop-down list of the only element if that is an option; otherwise null. */
const closedList = pageFunction(([element, second]: Element[], _: undefined, { plain, describe }): string | null => {
  const list = element && !second ? plain(element).closest('select') : null;
  return list && plain(element as Element).localName === 'option' ? describe(list) : null;
});

async function describeMatches(page: Page, locator: Locator): Promise<{ found: string; near: Nearby | null }> {
  if (isEphemeralLocator(locator)) return { found: 'nothing', near: null };
  const resolved = await resolveLocator(page, locator, false);
  if (!resolved) {
    const { within, near } = locator;
    const missing = [within && `within ${describeLocator(within)}`, near && `near ${describeLocator(near)}`];
    return { found: `nothing ${missing.filter(Boolean).join(', ')}`, near: null };
  }
  const count = await resolved.raw.count();
  const visibleCount = count === 0 ? 0 : await resolved.raw.filter({ visible: true }).count();
  const list = count > 0 && visibleCount === 0 ? await resolved.raw.evaluateAll(closedList, undefined) : null;
  const found =
    count === 0
      ? 'nothing'
      : visibleCount === 0
        ? list === null
          ? `${count} ${count === 1 ? 'element' : 'elements'}, hidden`
          : `an option of ${list}, which is closed; choose it by \`selectOption\` with the list as target`
        : locator.nth === undefined
          ? `${visibleCount} visible, too late`
          : `${visibleCount} visible, none at nth ${locator.nth}`;
  const { kind, all: elements, by: attribute, expected } = candidatesFor(resolved.frame, locator);
  const names = await elements.evaluateAll(visibleNames, attribute);
  const closest = names.map((name, index) => ({ name, index, similarity: textSimilarity(name, expected) }));
  closest.sort((first, second) => second.similarity - first.similarity || first.index - second.index);
  return {
    found,
    near: names.length === 0 ? null : { kind, names: closest.slice(0, MAX_NAMES).map(({ name }) => name) },
  };
}
