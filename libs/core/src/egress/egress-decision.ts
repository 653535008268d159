import type { EgressBlock } from '@pilothouse/contract';
import {
  type Address,
  type HostPort,
  type HostRule,
  isMetadata,
  isPublic,
  matchesAddress,
  matchesHost,
  parseAddress,
} from './host-rules.ts';

/** Settings that may have a host list. */
export interface AllowList {
  readonly by: 'project' | 'workflow' | 'run';
  readonly rules: readonly HostRule[];
}

/** Egress rules of a run. */
export interface EgressRules {
  /** Each of them has to allow a connection. */
  readonly lists: readonly AllowList[];
  /** Private addresses that are allowed. */
  readonly private: readonly HostRule[];
}

/**
 * Checks a host name before DNS resolution, so that names outside the lists are never sent to a DNS server.
 * @returns why it is blocked; null: its addresses decide
 */
export function checkHostName(place: HostPort, { lists }: EgressRules): EgressBlock | null {
  const literal = parseAddress(place.host);
  if (literal) return null;
  for (const { by, rules } of lists) {
    const mayMatch = rules.some((rule) => matchesHost(rule, place) || rule.networks.length > 0);
    if (!mayMatch) return { ...place, rule: by, address: null };
  }
  return null;
}

/**
 * Checks a resolved address.
 * @returns why it is blocked, or null
 */
export function checkAddress(place: HostPort, address: Address, rules: EgressRules): EgressBlock | null {
  const holds = (rule: HostRule) => matchesHost(rule, place) || matchesAddress(rule, address, place);
  const refused = { ...place, address: address.toString() };
  for (const { by, rules: list } of rules.lists) if (!list.some(holds)) return { ...refused, rule: by };
  // A name that may resolve to a private network must not resolve to a cloud metadata service: the owner of the name controls its
  // addresses.
  return isPublic(address) || rules.private.some((rule) => mayBePrivate(rule, address, place))
    ? null
    : { ...refused, rule: 'private-address' };
}

const mayBePrivate = (rule: HostRule, address: Address, place: HostPort): boolean =>
  matchesAddress(rule, address, place) || (matchesHost(rule, place) && !isLinkBound(address));

/** Addresses that no name makes harmless: metadata services and whatever else answers on the link. */
const isLinkBound = (address: Address): boolean => isMetadata(address) || address.range() === 'linkLocal';

/**
 * Checks a host that is reached through a proxy, which resolves names itself.
 * @returns why it is blocked, or null
 */
export function checkThroughProxy(place: HostPort, rules: EgressRules): EgressBlock | null {
  const literal = parseAddress(place.host);
  if (literal) return checkAddress(place, literal, rules);
  const refusing = rules.lists.find((list) => !list.rules.some((rule) => matchesHost(rule, place)));
  return refusing ? { ...place, rule: refusing.by, address: null } : null;
}

/** A refusal in a sentence. */
export function describeBlock({ host, port, rule, address }: EgressBlock): string {
  const place = `${host}:${port}`;
  switch (rule) {
    case 'project':
    case 'workflow':
    case 'run':
      return `${place} was refused: it is not on the allow-list of the ${rule}`;
    case 'private-address':
      return `${place} was refused: ${address === null || address === host ? 'it' : address} is not a public address, and this worker may not reach it`;
    case 'worker':
      return `${place} was refused: it is a port of the worker itself`;
  }
}
