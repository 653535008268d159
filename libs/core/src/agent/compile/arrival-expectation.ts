import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import { EMPTY_DESKTOP_URI, uriOriginOf } from '../../origin/uri-origin.ts';
import { wildcard } from '../../regex/wildcard.ts';
import { containsMask, type Templatizer } from './templatizer.ts';

/** Page of a run at one moment. */
export interface PageLocation {
  readonly url: string;
  readonly title: string;
}

/** Longer parts of a URL are treated as tokens, which change with each run. */
const MAX_URL_PART_CHARS = 40;

/**
 * Condition for the page after a navigation, or the window after a change: the URL with wildcards for variable parts, or else the title.
 * @param origins origins that the workflow names. For other origins the condition omits the origin.
 * @returns null if the page stayed, or cannot be distinguished from the one before
 */
export function arrivalCondition(
  start: PageLocation,
  arrival: PageLocation,
  templatizer: Templatizer,
  origins: ReadonlySet<string>,
): Condition | null {
  if (arrival.url === EMPTY_DESKTOP_URI && start.url !== arrival.url) return { url: arrival.url };
  const url = start.url === arrival.url ? null : urlPattern(arrival.url, start.url, templatizer, origins);
  if (url !== null) return { url };
  const title = arrival.title.trim();
  const isDistinctive = title !== '' && !start.title.toLowerCase().includes(title.toLowerCase());
  return isDistinctive && !/[\d/]/.test(title) && !templatizer.containsInput(title) ? { title } : null;
}

/** Maximum characters of an indicator. */
const MAX_INDICATOR_CHARS = 80;

/**
 * Condition for a text that an action made appear as expected. If the run has inputs, only texts that contain an input are stable enough.
 */
export function indicatorCondition({ indicators }: Expectation, templatizer: Templatizer): Condition | null {
  const stableText = indicators.find(
    (text) =>
      text.length <= MAX_INDICATOR_CHARS &&
      !containsMask(text) &&
      !templatizer.hasUntemplatedSecret(text) &&
      !/\d/.test(templatizer.text(text)) &&
      (templatizer.containsInput(text) || !templatizer.hasInputs),
  );
  return stableText === undefined ? null : { text: templatizer.text(stableText) };
}

function urlPattern(
  url: string,
  startUrl: string,
  templatizer: Templatizer,
  origins: ReadonlySet<string>,
): string | null {
  const uriOrigin = uriOriginOf(url);
  if (uriOrigin.kind === 'application') return windowPattern(url, uriOrigin.id, startUrl, templatizer);
  const target = URL.parse(url);
  if (!target || (target.protocol !== 'http:' && target.protocol !== 'https:')) return null;
  const origin = templatizer.text(target.origin);
  const isKnownOrigin = origin !== target.origin || origins.has(target.origin);
  const path = target.pathname.split('/').map((part) => generalizePart(part, templatizer));
  const query = target.search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return value.length === 0
        ? generalizePart(name, templatizer)
        : `${name}=${generalizePart(value.join('='), templatizer)}`;
    });
  const pathPattern = `${path.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}${generalizePart(target.hash, templatizer)}`;
  const candidates = (target.hash === '' ? [`${pathPattern}*`, pathPattern] : [pathPattern]).map((end) =>
    end.replace(/\*+/g, '*'),
  );
  // Skips conditions that the page before fulfills too.
  const pattern = candidates.find((end) => !matches(`${isKnownOrigin ? target.origin : '*'}${end}`, startUrl));
  return pattern === undefined ? null : `${isKnownOrigin ? origin : '*'}${pattern}`;
}

/** URI of a window. The application is the same in every run; its title may not be. */
function windowPattern(url: string, application: string, startUrl: string, templatizer: Templatizer): string | null {
  const title = url.slice(url.indexOf('/', 'app://'.length) + 1);
  const patterns = [`${application}/${generalizeWindowTitle(title, templatizer)}`, `${application}/*`];
  return patterns.find((pattern) => matches(pattern, url) && !matches(pattern, startUrl)) ?? null;
}

/** Generalizes a window title in a URI. Replaces the folder of a path with `*`, because each run has another home folder. */
function generalizeWindowTitle(title: string, templatizer: Templatizer): string {
  const text = decoded(title);
  const afterPath = text.slice(text.lastIndexOf('/') + 1);
  if (afterPath === text) return generalizePart(title, templatizer);
  return `*${generalizePart(encodeURIComponent(afterPath.trim()), templatizer)}`.replace(/^\*+/, '*');
}

/** Part of a URL; `*` if it changes with each run. */
function generalizePart(part: string, templatizer: Templatizer): string {
  const text = decoded(part);
  const isGenerated = /\d{3,}/.test(text) || /^(?=.*\d)[0-9a-f-]{8,}$/i.test(text) || text.length > MAX_URL_PART_CHARS;
  return isGenerated || containsMask(text) || templatizer.containsInput(text) ? '*' : part;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}

/** Matches a URL as a condition does. A pattern with `*` matches all of it, any other has to be contained. */
function matches(pattern: string, url: string): boolean {
  if (!pattern.includes('*')) return url.includes(pattern);
  return wildcard(pattern)(url);
}
