import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ClipboardState } from '../clipboard/run-clipboard.ts';
import type { IndexedDbDatabase } from '../injected/indexed-db.ts';

/** A text of another version is rejected, and the run starts over. */
const VERSION = 1;

/** URL of a page that was not navigated yet. */
export const BLANK_URL = 'about:blank';

/** Keys and values of a storage area. */
export type StorageEntries = readonly (readonly [key: string, value: string])[];

/** Storage of one origin; `session` belongs to the window. */
export interface OriginState {
  readonly origin: string;
  readonly local: StorageEntries;
  readonly session: StorageEntries;
  /** IndexedDB; omitted if there are none. */
  readonly databases?: readonly IndexedDbDatabase[];
}

/** Cookie with all fields that Chromium returns and accepts. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** With a leading dot, the cookie also applies to subdomains. */
  readonly domain: string;
  readonly path: string;
}

/** State that is restored on another surface. It contains secrets of the run. */
export interface BrowserState {
  /** An http or https URL, or `about:blank`. */
  readonly url: string;
  readonly cookies: readonly Cookie[];
  readonly origins: readonly OriginState[];
  /** URLs of the previous pages in the history of the tab, the newest last. */
  readonly before: readonly string[];
  /** Clipboard of the run; null if empty. */
  readonly clipboard: ClipboardState | null;
}

export const serializeState = (state: BrowserState): string => JSON.stringify({ v: VERSION, ...state });

/** @throws PilothouseError PROTOCOL_INVALID without any content of the text */
export function parseState(text: string): BrowserState {
  const state = parse(text);
  if (!isObject(state) || state['v'] !== VERSION) throw unreadableState(`its version is not ${VERSION}`);
  const { url, cookies, origins, before: previousUrls = [], clipboard = null } = state;
  if (typeof url !== 'string' || !(url === BLANK_URL || isHttpUrl(url))) throw unreadableState('it has no page URL');
  if (!Array.isArray(cookies) || !cookies.every(isCookie)) throw unreadableState('its cookies are invalid');
  if (!Array.isArray(origins) || !origins.every(isOrigin)) throw unreadableState('its storage is invalid');
  if (
    !Array.isArray(previousUrls) ||
    !previousUrls.every((previousUrl) => typeof previousUrl === 'string' && isHttpUrl(previousUrl))
  )
    throw unreadableState('its history is invalid');
  if (clipboard !== null && !isClipboard(clipboard)) throw unreadableState('its clipboard is invalid');
  return { url, cookies, origins, before: previousUrls, clipboard };
}

const unreadableState = (reason: string) =>
  new PilothouseError('PROTOCOL_INVALID', `The saved state of the surface cannot be read: ${reason}`);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableState('it is not JSON');
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isClipboard = (value: unknown): value is ClipboardState =>
  isObject(value) &&
  typeof value['text'] === 'string' &&
  typeof (value['html'] ?? '') === 'string' &&
  typeof value['isNew'] === 'boolean';

const isHttpUrl = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

const isCookie = (value: unknown): value is Cookie =>
  isObject(value) && ['name', 'value', 'domain', 'path'].every((field) => typeof value[field] === 'string');

const areEntries = (value: unknown): value is StorageEntries =>
  Array.isArray(value) &&
  value.every((entry) => Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string'));

/** The browser validates the content when it creates the databases. */
const areDatabases = (value: unknown): value is IndexedDbDatabase[] =>
  Array.isArray(value) && value.every((database) => isObject(database) && Array.isArray(database['stores']));

const isOrigin = (value: unknown): value is OriginState =>
  isObject(value) &&
  typeof value['origin'] === 'string' &&
  isHttpUrl(value['origin']) &&
  new URL(value['origin']).origin === value['origin'] &&
  areEntries(value['local']) &&
  areEntries(value['session']) &&
  areDatabases(value['databases'] ?? []);
