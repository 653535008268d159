import { PilothouseError } from '@pilothouse/contract';
import type { ClipboardState } from '../clipboard/run-clipboard.ts';
import type { IndexedDbDatabase } from '../injected/indexed-db.ts';

/** Version of the text. A text of another version is refused: the run begins again. */
const VERSION = 1;

/** Address of a page at which nothing was done yet. */
export const BLANK_URL = 'about:blank';

/** Keys and values of a storage. */
export type StorageEntries = readonly (readonly [key: string, value: string])[];

/** The storage of one origin; `session` is that of the window. */
export interface OriginState {
  readonly origin: string;
  readonly local: StorageEntries;
  readonly session: StorageEntries;
  /** Of IndexedDB; left out where there are none. */
  readonly databases?: readonly IndexedDbDatabase[];
}

/** A cookie with all that Chromium says of it and takes again. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** With a dot before it the cookie is for the subdomains, too. */
  readonly domain: string;
  readonly path: string;
}

/** What another surface needs to come to where this one is. It holds secrets of the run. */
export interface BrowserState {
  /** An http or https address, or `about:blank`. */
  readonly url: string;
  readonly cookies: readonly Cookie[];
  readonly origins: readonly OriginState[];
  /** Addresses of the pages before this one in the history of the tab, the newest last. */
  readonly before: readonly string[];
  /** What the run copied; null when nothing. */
  readonly clipboard: ClipboardState | null;
}

export const serializeState = (state: BrowserState): string => JSON.stringify({ v: VERSION, ...state });

/** @throws PilothouseError PROTOCOL_INVALID; the message says nothing of what is in the text */
export function parseState(text: string): BrowserState {
  const state = parse(text);
  if (!isObject(state) || state['v'] !== VERSION)
    throw unreadable(`it is not of version ${VERSION}, the one this browser surface reads`);
  const { url, cookies, origins, before = [], clipboard = null } = state;
  if (typeof url !== 'string' || !(url === BLANK_URL || isOfTheWeb(url)))
    throw unreadable('it has no address of a page');
  if (!Array.isArray(cookies) || !cookies.every(isCookie)) throw unreadable('its cookies are none');
  if (!Array.isArray(origins) || !origins.every(isOrigin)) throw unreadable('its storage is none');
  if (!Array.isArray(before) || !before.every((one) => typeof one === 'string' && isOfTheWeb(one)))
    throw unreadable('its history is none');
  if (clipboard !== null && !isClipboard(clipboard)) throw unreadable('its clipboard is none');
  return { url, cookies, origins, before, clipboard };
}

const unreadable = (why: string) =>
  new PilothouseError('PROTOCOL_INVALID', `The saved state of the surface cannot be read: ${why}`);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('it is no JSON');
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isClipboard = (value: unknown): value is ClipboardState =>
  isObject(value) &&
  typeof value['text'] === 'string' &&
  typeof (value['html'] ?? '') === 'string' &&
  typeof value['isNew'] === 'boolean';

const isOfTheWeb = (url: string) => /^https?:$/.test(URL.parse(url)?.protocol ?? '');

const isCookie = (value: unknown): value is Cookie =>
  isObject(value) && ['name', 'value', 'domain', 'path'].every((field) => typeof value[field] === 'string');

const areEntries = (value: unknown): value is StorageEntries =>
  Array.isArray(value) &&
  value.every((entry) => Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === 'string'));

/** What stands in them the browser looks at, when they are made. */
const areDatabases = (value: unknown): value is IndexedDbDatabase[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && Array.isArray(one['stores']));

const isOrigin = (value: unknown): value is OriginState =>
  isObject(value) &&
  typeof value['origin'] === 'string' &&
  isOfTheWeb(value['origin']) &&
  new URL(value['origin']).origin === value['origin'] &&
  areEntries(value['local']) &&
  areEntries(value['session']) &&
  areDatabases(value['databases'] ?? []);
