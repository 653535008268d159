import { type HostRule, matchesAddress, matchesHost, parseAddress, parseHost } from '../egress/host-rules.ts';

/*
 * The origin of a URI: the web site or the application that it belongs to. Approval checks compare origins, not URI strings. A URI without an
 * origin is never allowed implicitly.
 */

interface SiteOrigin {
  readonly kind: 'site';
  /** Origin, e.g. `https://shop.test`. */
  readonly id: string;
  /** Host and port, e.g. `shop.test`. */
  readonly name: string;
  readonly url: URL;
}

interface ApplicationOrigin {
  readonly kind: 'application';
  /** URI without a window, e.g. `app://mousepad`. */
  readonly id: string;
  /** Id of the application in lower case, e.g. `mousepad`. */
  readonly name: string;
}

/** Origin of a URI. Only sites and applications have an id. */
export type UriOrigin =
  | SiteOrigin
  | ApplicationOrigin
  /** An empty page of the browser, e.g. `about:blank`. No site has sent it. */
  | { readonly kind: 'blank'; readonly id: null; readonly name: string }
  /** A URI of another scheme, e.g. `data:`, or text that is no URI. It belongs to no site and no application. */
  | { readonly kind: 'opaque'; readonly id: null; readonly name: string };

/** URI of a desktop on which no window is active. */
export const EMPTY_DESKTOP_URI = 'about:desktop';

/** Scheme of windows and applications. */
export const APPLICATION_SCHEME = 'app://';

/** Pages of the browser itself. */
const BLANK_URI = /^(?:about:(?:blank|srcdoc)(?:[?#]|$)|chrome-error:)/i;

/** The origin of a URI, by its scheme. */
export function uriOriginOf(uri: string): UriOrigin {
  if (uri.startsWith(APPLICATION_SCHEME)) return applicationOrigin(uri);
  if (BLANK_URI.test(uri)) return { kind: 'blank', id: null, name: uri };
  if (uri === EMPTY_DESKTOP_URI) return { kind: 'opaque', id: null, name: 'the desktop' };
  const url = URL.parse(uri);
  // The origin of a blob is the one of the page that made it.
  const origin = url?.protocol === 'blob:' ? URL.parse(url.origin) : url;
  if (!url || !origin) return { kind: 'opaque', id: null, name: 'no address' };
  if (origin.protocol !== 'http:' && origin.protocol !== 'https:')
    return { kind: 'opaque', id: null, name: url.protocol };
  return { kind: 'site', id: origin.origin, name: origin.host, url: origin };
}

/** Id of a URI's origin: a web origin or `app://<application>`; null: it has none. */
export const uriOriginIdOf = (uri: string): string | null => uriOriginOf(uri).id;

/** True if both URIs belong to the same site or application. URIs without such an origin are never the same. */
export function hasSameOrigin(uri: string, otherUri: string): boolean {
  const id = uriOriginIdOf(uri);
  return id !== null && id === uriOriginIdOf(otherUri);
}

/**
 * URI of an application, or of one of its windows.
 * @param application id of the application; empty: unknown, and the URI has no origin
 * @param windowTitle missing: the application itself
 */
export function applicationUri(application: string, windowTitle?: string): string {
  const id = `${APPLICATION_SCHEME}${encodeURIComponent(application.toLowerCase().toWellFormed())}`;
  return windowTitle === undefined ? id : `${id}/${encodeURIComponent(windowTitle.toWellFormed())}`;
}

/** An id is in lower case and encoded in one way, so that one application has one id. A wildcard is a rule and no id. */
function applicationOrigin(uri: string): UriOrigin {
  const [encoded = ''] = uri.slice(APPLICATION_SCHEME.length).split('/', 1);
  const name = decoded(encoded)?.toLowerCase();
  if (!name) return { kind: 'opaque', id: null, name: 'a window that names no application' };
  if (name.includes('*')) return { kind: 'opaque', id: null, name: 'a window with a wildcard as application' };
  return { kind: 'application', id: applicationUri(name), name };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** True if a rule for hosts covers the site. It never covers an application or an origin without an id. */
export function matchesSite(rule: HostRule, uriOrigin: UriOrigin): boolean {
  if (uriOrigin.kind !== 'site') return false;
  const { url } = uriOrigin;
  const host = parseHost(url.hostname);
  if (host === null) return false;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const address = parseAddress(host.replace(/^\[|\]$/g, ''));
  return matchesHost(rule, { host, port }) || (address !== null && matchesAddress(rule, address, { host, port }));
}

/**
 * True if a rule for applications covers the origin. It never covers a site or an origin without an id.
 * @param rule id of an application, e.g. `mousepad` or `org.xfce.mousepad`; a `*` at the end matches any rest. Case-insensitive
 */
export function matchesApplication(rule: string, uriOrigin: UriOrigin): boolean {
  if (uriOrigin.kind !== 'application') return false;
  const wanted = rule.toLowerCase();
  if (
    isLibreOffice(wanted) &&
    isLibreOffice(uriOrigin.name) &&
    [wanted, uriOrigin.name].includes(LIBREOFFICE_DIALOG_APP_ID)
  )
    return true;
  if (wanted.endsWith('*')) return wanted.length > 1 && uriOrigin.name.startsWith(wanted.slice(0, -1));
  // A window reports `mousepad`, its `.desktop` file is `org.xfce.mousepad`.
  return wanted === uriOrigin.name || wanted.endsWith(`.${uriOrigin.name}`) || uriOrigin.name.endsWith(`.${wanted}`);
}

/**
 * Application id (WM_CLASS) of LibreOffice dialogs and of windows without a document. Their process also owns windows of documents, such
 * as `libreoffice-calc`.
 */
const LIBREOFFICE_DIALOG_APP_ID = 'soffice';

const isLibreOffice = (name: string): boolean =>
  name === LIBREOFFICE_DIALOG_APP_ID || /(?:^|\.)libreoffice(?:[-.*]|$)/.test(name);
