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

/** An allowed destination. Connections go only to these checked addresses. */
export interface AllowedDestination {
  readonly addresses: readonly Address[];
  readonly port: number;
  /** The upstream proxy that the addresses belong to, if any. */
  readonly upstream: UpstreamProxy | null;
}

/** Result of a check: a destination, a refusal, or a failure with a readable message. */
export type DestinationVerdict =
  | { readonly clearance: AllowedDestination }
  | { readonly refusal: EgressBlock }
  | { readonly failure: string; readonly place: HostPort };

/** Dependencies of the check. */
export interface DestinationCheckDeps {
  readonly resolve: Resolver;
  /** True when a local port belongs to a gate. */
  isOwn(port: number): boolean;
}

/** Checks a destination and resolves its addresses. A name that no list allows is not looked up. */
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
  // The upstream proxy resolves names in its own network, so only the name is checked here.
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

/** True when a connection to this address ends at the loopback interface of this machine. */
const leadsBack = (address: Address) => ['loopback', 'unspecified'].includes(address.range());

const ownPort = (place: HostPort, address: Address): EgressBlock => ({
  ...place,
  rule: 'worker',
  address: address.toString(),
});
