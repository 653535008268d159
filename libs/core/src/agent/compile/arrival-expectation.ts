import type { Condition, Expectation } from '@pilothouse/contract';
import { wildcard } from '../../regex/wildcard.ts';
import { containsMask, type Templatizer } from './templatizer.ts';

/** Page of a run at one moment. */
export interface PageLocation {
  readonly url: string;
  readonly title: string;
}

/** Longer parts of a URL are treated as tokens, which change with each run. */
const LONGEST_PART = 40;

/**
 * Condition for the page after a navigation: the URL with wildcards for variable parts, or else the title.
 * @param origins origins that the workflow names. For other origins the condition omits the origin.
 * @returns null if the page stayed, or cannot be distinguished from the one before
 */
export function arrivalCondition(
  before: PageLocation,
  after: PageLocation,
  lift: Templatizer,
  origins: ReadonlySet<string>,
): Condition | null {
  const url = before.url === after.url ? null : addressOf(after.url, before.url, lift, origins);
  if (url !== null) return { url };
  const title = after.title.trim();
  const isTelling = title !== '' && !before.title.toLowerCase().includes(title.toLowerCase());
  return isTelling && !/\d/.test(title) && !lift.changes(title) ? { title } : null;
}

/** Maximum characters of an indicator. */
const LONGEST_SIGN = 80;

/**
 * Condition for a text that an action made appear as expected. If the run has inputs, only texts that contain an input are stable enough.
 */
export function indicatorCondition({ indicators }: Expectation, lift: Templatizer): Condition | null {
  const lasting = indicators.find(
    (text) =>
      text.length <= LONGEST_SIGN &&
      !containsMask(text) &&
      !lift.losesSecret(text) &&
      !/\d/.test(lift.text(text)) &&
      (lift.changes(text) || !lift.isGiven),
  );
  return lasting === undefined ? null : { text: lift.text(lasting) };
}

function addressOf(url: string, before: string, lift: Templatizer, origins: ReadonlySet<string>): string | null {
  const to = URL.parse(url);
  if (!to || (to.protocol !== 'http:' && to.protocol !== 'https:')) return null;
  const lifted = lift.text(to.origin);
  const isNamed = lifted !== to.origin || origins.has(to.origin);
  const path = to.pathname.split('/').map((part) => open(part, lift));
  const query = to.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return value.length === 0 ? open(name, lift) : `${name}=${open(value.join('='), lift)}`;
    });
  const tail = `${path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}${open(to.hash, lift)}`;
  const seen = (to.hash === '' ? [`${tail}*`, tail] : [tail]).map((end) => end.replace(/\*+/g, '*'));
  // Skips conditions that the page before fulfills too.
  const telling = seen.find((end) => !matches(`${isNamed ? to.origin : '*'}${end}`, before));
  return telling === undefined ? null : `${isNamed ? lifted : '*'}${telling}`;
}

/** Part of a URL; `*` if it changes with each run. */
function open(part: string, lift: Templatizer): string {
  const text = decoded(part);
  const isMade = /\d{3,}/.test(text) || /^(?=.*\d)[0-9a-f-]{8,}$/i.test(text) || text.length > LONGEST_PART;
  return isMade || containsMask(text) || lift.changes(text) ? '*' : part;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/** Matches a URL as a condition does: a pattern with `*` matches all of it, any other has to be contained. */
function matches(pattern: string, url: string): boolean {
  if (!pattern.includes('*')) return url.includes(pattern);
  return wildcard(pattern)(url);
}
