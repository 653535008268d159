import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
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
  readonly scope: 'project' | 'workflow' | 'run';
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
 * @returns the block; null: the addresses decide
 */
export function checkHostName(destination: HostPort, { lists }: EgressRules): EgressBlock | null {
  const literal = parseAddress(destination.host);
  if (literal) return null;
  for (const { scope: owner, rules } of lists) {
    const canMatch = rules.some((rule) => matchesHost(rule, destination) || rule.networks.length > 0);
    if (!canMatch) return { ...destination, rule: owner, address: null };
  }
  return null;
}

/**
 * Checks a resolved address.
 * @returns the block, or null
 */
export function checkAddress(destination: HostPort, address: Address, rules: EgressRules): EgressBlock | null {
  const isAllowed = (rule: HostRule) => matchesHost(rule, destination) || matchesAddress(rule, address, destination);
  const block = { ...destination, address: address.toString() };
  for (const { scope: owner, rules: list } of rules.lists) if (!list.some(isAllowed)) return { ...block, rule: owner };
  // A name that may resolve to a private network must not resolve to a cloud metadata service. The owner of the name controls its
  // addresses.
  return isPublic(address) || rules.private.some((rule) => mayBePrivate(rule, address, destination))
    ? null
    : { ...block, rule: 'private-address' };
}

const mayBePrivate = (rule: HostRule, address: Address, destination: HostPort): boolean =>
  matchesAddress(rule, address, destination) || (matchesHost(rule, destination) && !isLinkBound(address));

/** Metadata services and other link-local addresses, which are never reachable by name. */
const isLinkBound = (address: Address): boolean => isMetadata(address) || address.range() === 'linkLocal';

/**
 * Checks a host that is reached through a proxy, which resolves names itself.
 * @returns the block, or null
 */
export function checkThroughProxy(destination: HostPort, rules: EgressRules): EgressBlock | null {
  const literal = parseAddress(destination.host);
  if (literal) return checkAddress(destination, literal, rules);
  const refusingList = rules.lists.find((list) => !list.rules.some((rule) => matchesHost(rule, destination)));
  return refusingList ? { ...destination, rule: refusingList.scope, address: null } : null;
}

/** Describes a blocked connection: what blocked it, an allow list or the worker. */
export function describeBlock({ host, port, rule, address }: EgressBlock): string {
  const destination = `${host}:${port}`;
  switch (rule) {
    case 'project':
    case 'workflow':
    case 'run':
      return `${destination} was refused: it is not on the allow list of the ${rule}`;
    case 'private-address':
      return `${destination} was refused: ${address === null || address === host ? 'it' : address} is not a public address, and PILOTHOUSE_EGRESS_ALLOW_PRIVATE of the worker does not allow it`;
    case 'worker':
      return `${destination} was refused: it is a port of the worker itself`;
  }
}
