import type { Condition, Expectation } from '@pilothouse/contract';
import { wildcard } from '../../regex/wildcard.ts';
import { containsMask, type Templatizer } from './templatizer.ts';

/** Where a run was at one moment. */
export interface PageLocation {
  readonly url: string;
  readonly title: string;
}

/** Longer parts of an address are tokens, which are others the next time. */
const LONGEST_PART = 40;

/**
 * What is to be true of the page after an action that led to another one: its address, with what changes from run to run left open, else
 * its title.
 * @param origins origins that the workflow itself names; of any other the address is looked at without
 * @returns null when the page stayed, or nothing of it tells it from the one before
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

/** Longer texts say more than that something came. */
const LONGEST_SIGN = 80;

/**
 * A text that came with an action, as its turn was to lead to. Where the run was given something, other texts than those that have it in them may be
 * others with the next values.
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
  // What the page before fulfils as well is not worth waiting for.
  const telling = seen.find((end) => !matches(`${isNamed ? to.origin : '*'}${end}`, before));
  return telling === undefined ? null : `${isNamed ? lifted : '*'}${telling}`;
}

/** A part of an address; `*` where it is another the next time. */
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

/** As a condition reads an address with `*` in it; without one it only has to contain it. */
function matches(pattern: string, url: string): boolean {
  if (!pattern.includes('*')) return url.includes(pattern);
  return wildcard(pattern)(url);
}
