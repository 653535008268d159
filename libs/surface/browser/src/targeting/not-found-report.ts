import { isEphemeralLocator, PilothouseError, type Locator } from '@pilothouse/contract';
import { describeLocator, raceDeadline } from '@pilothouse/core';
import type { Frame, Page } from 'playwright-core';
import { resolveLocator } from './resolve-locator.ts';
import type { ActionContext } from '../action-context.ts';
import { visibleNames } from '../injected/page-text.ts';

/** What is there instead of an element: of which kind, and the names closest to what was looked for. */
interface Nearby {
  readonly kind: string;
  readonly names: string[];
}

const SHOWN = 8;

/** Where to look for candidates of the same kind, how they are named, and what was wanted. */
function kindOf(scope: Page | Frame, locator: Locator) {
  const { role, name, label, placeholder, text, testId } = locator;
  if (role !== undefined) {
    const all = scope.getByRole(role as Parameters<Page['getByRole']>[0]);
    return { kind: role, all, by: 'name', wanted: name ?? '' };
  }
  if (label !== undefined) {
    return {
      kind: 'label',
      all: scope.locator('css=label, input[aria-label], textarea[aria-label], select[aria-label]'),
      by: 'name',
      wanted: label,
    };
  }
  if (placeholder !== undefined) {
    return { kind: 'placeholder', all: scope.locator('css=[placeholder]'), by: '[placeholder]', wanted: placeholder };
  }
  if (testId !== undefined) {
    return { kind: 'test id', all: scope.locator('css=[data-testid]'), by: '[data-testid]', wanted: testId };
  }
  const texts = 'css=button, a, label, h1, h2, h3, th, [role=button], [role=link]';
  return { kind: 'text', all: scope.locator(texts), by: 'name', wanted: text ?? locator.hasText ?? '' };
}

/** How much two names have in common, by pairs of letters: 0 to 1. */
export function textSimilarity(one: string, other: string): number {
  const pairs = (text: string) => {
    const small = text.toLowerCase();
    return new Set(Array.from({ length: Math.max(0, small.length - 1) }, (_, index) => small.slice(index, index + 2)));
  };
  const [left, right] = [pairs(one), pairs(other)];
  const both = [...left].filter((pair) => right.has(pair)).length;
  return left.size + right.size === 0 ? 0 : (2 * both) / (left.size + right.size);
}

/** What is there instead of elements that a chain of locators does not find, in words and as data. */
export async function nearbyOf(
  hand: ActionContext,
  chain: readonly Locator[],
): Promise<{ words: string; nearby: Nearby[] }> {
  const nearby: Nearby[] = [];
  for (const locator of chain) {
    const seen = await raceDeadline(whatIsThere(hand.page, locator), hand, describeLocator(locator)).catch(() => null);
    hand.signal.throwIfAborted();
    if (seen?.near && !nearby.some(({ kind }) => kind === seen.near?.kind)) nearby.push(seen.near);
  }
  return { words: inWords(nearby), nearby };
}

const inWords = (nearby: readonly Nearby[]) =>
  nearby.map(({ kind, names }) => `${kind}: ${names.map((name) => JSON.stringify(name)).join(', ')}`).join('; ');

/** The error that says for each locator what happened, and what was there instead. */
export async function notFoundError(
  hand: ActionContext,
  chain: Locator[],
  failures: string[],
): Promise<PilothouseError> {
  const tried: { locator: string; found: string }[] = [];
  const nearby: Nearby[] = [];
  for (const locator of chain) {
    const words = describeLocator(locator);
    const failure = failures.find((one) => one.startsWith(`${words}: `));
    try {
      const { found, near } = await raceDeadline(whatIsThere(hand.page, locator), hand, words);
      tried.push({ locator: words, found: failure?.slice(words.length + 2) ?? found });
      if (near && !nearby.some(({ kind }) => kind === near.kind)) nearby.push(near);
    } catch {
      hand.signal.throwIfAborted();
      tried.push({ locator: words, found: failure?.slice(words.length + 2) ?? 'nothing' });
    }
  }
  const each = tried.map(({ locator, found }) => `${locator}: ${found}`).join('; ');
  const instead = inWords(nearby);
  const there = instead ? `. There is ${instead}` : '';
  return new PilothouseError('TARGET_NOT_FOUND', `No element found at ${hand.page.url()}. ${each}${there}`, {
    details: { tried, nearby, url: hand.page.url() },
  });
}

async function whatIsThere(page: Page, locator: Locator): Promise<{ found: string; near: Nearby | null }> {
  if (isEphemeralLocator(locator)) return { found: 'nothing', near: null };
  const resolved = await resolveLocator(page, locator, false);
  if (!resolved) {
    const { within, near } = locator;
    const missing = [within && `within ${describeLocator(within)}`, near && `near ${describeLocator(near)}`];
    return { found: `nothing ${missing.filter(Boolean).join(', ')}`, near: null };
  }
  const there = await resolved.raw.count();
  const shown = there === 0 ? 0 : await resolved.raw.filter({ visible: true }).count();
  const found =
    there === 0
      ? 'nothing'
      : shown === 0
        ? `${there} ${there === 1 ? 'element' : 'elements'}, hidden`
        : locator.nth === undefined
          ? `${shown} visible, too late`
          : `${shown} visible, none at nth ${locator.nth}`;
  const { kind, all, by, wanted } = kindOf(resolved.frame, locator);
  const names = await all.evaluateAll(visibleNames, by);
  const closest = names.map((name, index) => ({ name, index, likeness: textSimilarity(name, wanted) }));
  closest.sort((one, other) => other.likeness - one.likeness || one.index - other.index);
  return { found, near: names.length === 0 ? null : { kind, names: closest.slice(0, SHOWN).map(({ name }) => name) } };
}
