import type { Refusal } from '@pilothouse/contract';
import {
  judgeAddress,
  judgeName,
  judgeRemote,
  readAddress,
  type Address,
  type EgressRules,
  type Pass,
  type Endpoint,
} from '@pilothouse/core';
import type { Resolve } from './resolve.ts';
import { reasonOf } from './failure.ts';
import { readUpstream, type UpstreamProxy } from './upstream.ts';

/** Where a connection may go: addresses that were checked, and nothing but these is connected to. */
export interface Clearance {
  readonly addresses: readonly Address[];
  readonly port: number;
  /** The proxy that the addresses belong to, when there is one between. */
  readonly upstream: UpstreamProxy | null;
}

/** What comes of asking: a way, a refusal, or a failure in words. */
export type Answer =
  | { readonly clearance: Clearance }
  | { readonly refusal: Refusal }
  | { readonly failure: string; readonly place: Endpoint };

/** What a gate asks with. */
export interface ClearanceParts {
  readonly resolve: Resolve;
  /** Whether a port of the machine belongs to a gate. */
  isOwn(port: number): boolean;
}

/** Asks whether a place may be connected to, and at which addresses. A name that is on no list is not looked up. */
export async function clear(
  place: Endpoint,
  pass: Pick<Pass, 'rules' | 'upstream'>,
  parts: ClearanceParts,
): Promise<Answer> {
  const { rules } = pass;
  const access = await pass.upstream();
  if (!access) {
    const refusal = judgeName(place, rules);
    return refusal ? { refusal } : direct(place, rules, parts, null);
  }
  // The proxy looks names up, in its own network: what can be said here is said of the name.
  const refusal = judgeRemote(place, rules);
  if (refusal) return { refusal };
  const upstream = readUpstream(access);
  return direct(upstream.place, { lists: [], private: rules.private }, parts, upstream);
}

async function direct(
  place: Endpoint,
  rules: EgressRules,
  { resolve, isOwn }: ClearanceParts,
  upstream: UpstreamProxy | null,
): Promise<Answer> {
  const literal = readAddress(place.host);
  let found: readonly Address[];
  try {
    found = literal ? [literal] : (await resolve(place.host)).map(readAddress).filter((address) => address !== null);
  } catch (thrown) {
    return { failure: reasonOf(thrown), place };
  }
  let refusal: Refusal | null = null;
  const addresses: Address[] = [];
  for (const address of found) {
    const refused =
      leadsBack(address) && isOwn(place.port) ? ownPort(place, address) : judgeAddress(place, address, rules);
    if (refused) refusal ??= refused;
    else addresses.push(address);
  }
  if (addresses.length > 0) return { clearance: { addresses, port: place.port, upstream } };
  return refusal ? { refusal } : { failure: 'the name has no address', place };
}

/** Whether a connection to this address ends at this machine's own loopback. */
const leadsBack = (address: Address) => ['loopback', 'unspecified'].includes(address.range());

const ownPort = (place: Endpoint, address: Address): Refusal => ({
  ...place,
  rule: 'worker',
  address: address.toString(),
});
