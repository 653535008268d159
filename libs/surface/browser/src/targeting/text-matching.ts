import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { compilePattern, type LinearPattern } from '@pilothouse/core/regex/linear-regex';
import { PatternError } from '@pilothouse/core/regex/re2-pattern';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import type { Locator as PageLocator } from 'playwright-core';
import { scriptFunction } from '../injected/evaluate-functions.ts';
import type { matchingTexts } from '../injected/matching-texts.page.ts';
import { source as matchingTextsSource } from '../injected/matching-texts.source.ts';

const MAX_CANDIDATES = 1000;
const MAX_CHARS = 1000;

/** Maximum matching steps: pattern size times characters. */
const MAX_STEPS = 20_000_000;

const textsOf = scriptFunction<typeof matchingTexts>(matchingTextsSource);

/** Returns the accessible names and the texts of the elements. */
export async function matchingTextsOf(matches: PageLocator): Promise<string[]> {
  const options = { max: 1, chars: MAX_CHARS };
  const names = await matches.evaluateAll(textsOf, { ...options, isName: true });
  const texts = await matches.evaluateAll(textsOf, { ...options, isName: false });
  return [...names.texts, ...texts.texts];
}

/**
 * Returns the elements whose name or text matches the pattern of a locator; null if none does. Patterns are matched
 * outside of the page by an engine that runs in linear time.
 * @throws PilothouseError ACTION_UNSUPPORTED for an unsupported pattern or too many elements
 */
export async function filterByPattern(
  matches: PageLocator,
  source: string,
  locator: Locator,
): Promise<PageLocator | null> {
  const pattern = compileLocatorPattern(source, locator);
  const options = { isName: locator.role !== undefined, max: MAX_CANDIDATES, chars: MAX_CHARS };
  const { count, texts } = await matches.evaluateAll(textsOf, options);
  const steps = texts.reduce((sum, { length }) => sum + length, 0) * pattern.size;
  if (count > MAX_CANDIDATES || steps > MAX_STEPS) {
    throw new PilothouseError(
      'ACTION_UNSUPPORTED',
      `\`pattern\` of ${describeLocator(locator)} would be matched against too much text in ${count} elements; add \`within\`, \`hasText\` or a narrower \`css\``,
    );
  }
  const indexes = texts.flatMap((text, index) => (pattern.test(text) ? [index] : []));
  const [first, ...others] = indexes.map((index) => matches.nth(index));
  return others.reduce<PageLocator | null>((union, next) => union && union.or(next), first ?? null);
}

function compileLocatorPattern(source: string, locator: Locator): LinearPattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError)
      throw new PilothouseError('ACTION_UNSUPPORTED', `\`pattern\` of ${describeLocator(locator)}: ${error.message}`);
    throw error;
  }
}
