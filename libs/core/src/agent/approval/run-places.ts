import type { HostRule } from '../../egress/host-rules.ts';
import { applicationUri, matchesApplication, matchesSite, placeOf, type Place } from '../../place/place.ts';

/** Sites and applications that a goal may use without an approval. */
export interface RunPlaces {
  /** Lists of allowed hosts. A host must be on every list. Empty: only the first site. */
  readonly hosts: readonly (readonly HostRule[])[];
  /** Rules for allowed applications, the home of the goal first. Missing or empty: only the first application. */
  readonly apps?: readonly string[];
  /** Id of the goal's first place: an origin or `app://<application>`; null: none yet. */
  readonly home: string | null;
  /** Ids of the places that may receive secrets: the first one, and those that a person approved. */
  readonly trusted: ReadonlySet<string>;
}

/** True if an action may use a place without an approval. Until the first place of the goal is known, any place is allowed and becomes it. */
export function isRunPlace(place: Place, { hosts, apps = [], home }: Omit<RunPlaces, 'trusted'>): boolean {
  const homePlace = home === null ? null : placeOf(home);
  switch (place.kind) {
    case 'site':
      if (hosts.length > 0) return hosts.every((rules) => rules.some((rule) => matchesSite(rule, place)));
      return homePlace === null ? apps.length === 0 : isSameSite(homePlace, place);
    case 'application':
      if (apps.some((rule) => matchesApplication(rule, place))) return true;
      return apps.length === 0 && (homePlace === null || isSameApplication(homePlace, place));
    case 'blank':
      // A blank page has no origin to leave.
      return true;
    case 'opaque':
      return apps.length === 0 && homePlace === null;
  }
}

/** True for the host of the home and its subdomains, with or without `www.`, on the same port. */
function isSameSite(home: Place, { url }: Extract<Place, { kind: 'site' }>): boolean {
  if (home.kind !== 'site') return false;
  const [homeHost = '', host = ''] = [home.url, url].map(({ hostname }) => hostname.replace(/^www\./, ''));
  return url.port === home.url.port && (host === homeHost || host.endsWith(`.${homeHost}`));
}

const isSameApplication = (home: Place, place: Place): boolean =>
  home.kind === 'application' && matchesApplication(home.name, place);

/** True if an application, named by its id, may be used without an approval. */
export const isRunApplication = (application: string, places: Omit<RunPlaces, 'trusted'>): boolean =>
  isRunPlace(placeOf(applicationUri(application)), places);

/**
 * True if a secret may be typed into a place, or sent to it. Allowed are the first site or application of the goal, and
 * approved ones.
 */
export function mayReceiveSecrets(place: Place, { apps = [], trusted }: Pick<RunPlaces, 'apps' | 'trusted'>): boolean {
  if (place.id === null) return false;
  const [homeApp] = apps;
  return trusted.has(place.id) || (homeApp !== undefined && matchesApplication(homeApp, place));
}

/** True if a redirect stays on the same host: with or without `www.`, from http to https. */
export function isSameHost(sourceUrl: string, targetUrl: string): boolean {
  const [first, second] = [placeOf(sourceUrl), placeOf(targetUrl)];
  if (first.kind !== 'site' || second.kind !== 'site' || first.url.port !== second.url.port) return false;
  const isSecure = first.url.protocol === second.url.protocol || second.url.protocol === 'https:';
  return isSecure && first.url.hostname.replace(/^www\./, '') === second.url.hostname.replace(/^www\./, '');
}
