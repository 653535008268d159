import type { EgressBlock } from '@pilothouse/contract';
import {
  checkAddress,
  checkHostName,
  checkThroughProxy,
  parseAddress,
  type Address,
  type EgressRules,
  type EgressPolicy,
  type HostPort,
} from '@pilothouse/core';
import type { Resolver } from './dns-cache.ts';
import { type UpstreamProxy, connectionFailureReason, parseUpstreamProxy } from './upstream-proxy.ts';

/** Where a connection may go: addresses that were checked, and nothing but these is connected to. */
export interface AllowedDestination {
  readonly addresses: readonly Address[];
  readonly port: number;
  /** The proxy that the addresses belong to, when there is one between. */
  readonly upstream: UpstreamProxy | null;
}

/** What comes of asking: a way, a refusal, or a failure in words. */
export type DestinationVerdict =
  | { readonly clearance: AllowedDestination }
  | { readonly refusal: EgressBlock }
  | { readonly failure: string; readonly place: HostPort };

/** What a gate asks with. */
export interface DestinationCheckDeps {
  readonly resolve: Resolver;
  /** Whether a port of the machine belongs to a gate. */
  isOwn(port: number): boolean;
}

/** Asks whether a place may be connected to, and at which addresses. A name that is on no list is not looked up. */
export async function checkDestination(
  place: HostPort,
  pass: Pick<EgressPolicy, 'rules' | 'upstream'>,
  parts: DestinationCheckDeps,
): Promise<DestinationVerdict> {
  const { rules } = pass;
  const access = await pass.upstream();
  if (!access) {
    const refusal = checkHostName(place, rules);
    return refusal ? { refusal } : direct(place, rules, parts, null);
  }
  // The proxy looks names up, in its own network: what can be said here is said of the name.
  const refusal = checkThroughProxy(place, rules);
  if (refusal) return { refusal };
  const upstream = parseUpstreamProxy(access);
  return direct(upstream.place, { lists: [], private: rules.private }, parts, upstream);
}

async function direct(
  place: HostPort,
  rules: EgressRules,
  { resolve, isOwn }: DestinationCheckDeps,
  upstream: UpstreamProxy | null,
): Promise<DestinationVerdict> {
  const literal = parseAddress(place.host);
  let found: readonly Address[];
  try {
    found = literal ? [literal] : (await resolve(place.host)).map(parseAddress).filter((address) => address !== null);
  } catch (thrown) {
    return { failure: connectionFailureReason(thrown), place };
  }
  let refusal: EgressBlock | null = null;
  const addresses: Address[] = [];
  for (const address of found) {
    const refused =
      leadsBack(address) && isOwn(place.port) ? ownPort(place, address) : checkAddress(place, address, rules);
    if (refused) refusal ??= refused;
    else addresses.push(address);
  }
  if (addresses.length > 0) return { clearance: { addresses, port: place.port, upstream } };
  return refusal ? { refusal } : { failure: 'the name has no address', place };
}

/** Whether a connection to this address ends at this machine's own loopback. */
const leadsBack = (address: Address) => ['loopback', 'unspecified'].includes(address.range());

const ownPort = (place: HostPort, address: Address): EgressBlock => ({
  ...place,
  rule: 'worker',
  address: address.toString(),
});
