import type { HostRule } from '../../egress/host-rules.ts';
import {
  applicationUri,
  matchesApplication,
  matchesSite,
  uriOriginOf,
  type UriOrigin,
} from '../../origin/uri-origin.ts';

/** Sites and applications that a goal may use without an approval. */
export interface AllowedOrigins {
  /** Lists of allowed hosts. A host must be on every list. Empty: only the first site. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Rules for allowed applications, the home of the goal first. Missing or empty: only the first application. */
  readonly apps?: readonly string[];
  /** Id of the goal's first origin: a web origin or `app://<application>`; null: none yet. */
  readonly home: string | null;
  /** Ids of the origins that may receive secrets: the first one, and those that a person approved. */
  readonly trusted: ReadonlySet<string>;
}

/** True if an action may use an origin without an approval. Until the first origin of the goal is known, any origin is allowed and becomes it. */
export function isAllowedOrigin(
  uriOrigin: UriOrigin,
  { hosts, apps = [], home }: Omit<AllowedOrigins, 'trusted'>,
): boolean {
  const homeOrigin = home === null ? null : uriOriginOf(home);
  switch (uriOrigin.kind) {
    case 'site':
      if (hosts.length > 0) return hosts.every((rules) => rules.some((rule) => matchesSite(rule, uriOrigin)));
      return homeOrigin === null ? apps.length === 0 : isSameSite(homeOrigin, uriOrigin);
    case 'application':
      if (apps.some((rule) => matchesApplication(rule, uriOrigin))) return true;
      return apps.length === 0 && (homeOrigin === null || isSameApplication(homeOrigin, uriOrigin));
    case 'blank':
      // A blank page has no origin to leave.
      return true;
    case 'opaque':
      return apps.length === 0 && homeOrigin === null;
  }
}

/** True for the host of the home and its subdomains, with or without `www.`, on the same port. */
function isSameSite(home: UriOrigin, { url }: Extract<UriOrigin, { kind: 'site' }>): boolean {
  if (home.kind !== 'site') return false;
  const [homeHost = '', host = ''] = [home.url, url].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return url.port === home.url.port && (host === homeHost || host.endsWith(`.${homeHost}`));
}

const isSameApplication = (home: UriOrigin, uriOrigin: UriOrigin): boolean =>
  home.kind === 'application' && matchesApplication(home.name, uriOrigin);

/** True if an application, named by its id, may be used without an approval. */
export const isRunApplication = (application: string, origins: Omit<AllowedOrigins, 'trusted'>): boolean =>
  isAllowedOrigin(uriOriginOf(applicationUri(application)), origins);

/**
 * True if a secret may be typed into an origin, or sent to it. Allowed are the first site or application of the goal, and
 * approved ones.
 */
export function mayReceiveSecrets(
  uriOrigin: UriOrigin,
  { apps = [], trusted }: Pick<AllowedOrigins, 'apps' | 'trusted'>,
): boolean {
  if (uriOrigin.id === null) return false;
  const [homeApp] = apps;
  return trusted.has(uriOrigin.id) || (homeApp !== undefined && matchesApplication(homeApp, uriOrigin));
}

/** True if a redirect stays on the same host: with or without `www.`, from http to https. */
export function isSameHost(sourceUrl: string, targetUrl: string): boolean {
  const [first, second] = [uriOriginOf(sourceUrl), uriOriginOf(targetUrl)];
  if (first.kind !== 'site' || second.kind !== 'site' || first.url.port !== second.url.port) return false;
  const isSecure = first.url.protocol === second.url.protocol || second.url.protocol === 'https:';
  return isSecure && first.url.hostname.replace(/^www\./, '') === second.url.hostname.replace(/^www\./, '');
}
