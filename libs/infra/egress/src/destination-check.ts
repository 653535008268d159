import type { EgressBlock } from '@pilothouse/contract/project/egress.schema';
import {
  checkAddress,
  checkHostName,
  checkThroughProxy,
  type EgressRules,
} from '@pilothouse/core/egress/egress-decision';
import { parseAddress, type Address, type HostPort } from '@pilothouse/core/egress/host-rules';
import type { EgressPolicy } from '@pilothouse/core/ports/egress.port';
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
  | { readonly allowed: AllowedDestination }
  | { readonly refusal: EgressBlock }
  | { readonly failure: string; readonly destination: HostPort };

/** Dependencies of the check. */
export interface DestinationCheckDeps {
  readonly resolve: Resolver;
  /** True when a local port belongs to a proxy of a run. */
  isProxyPort(port: number): boolean;
}

/** Checks a destination and resolves its addresses. A name that no list allows is not looked up. */
export async function checkDestination(
  destination: HostPort,
  policy: Pick<EgressPolicy, 'rules' | 'upstream'>,
  deps: DestinationCheckDeps,
): Promise<DestinationVerdict> {
  const { rules } = policy;
  const access = await policy.upstream();
  if (!access) {
    const refusal = checkHostName(destination, rules);
    return refusal ? { refusal } : checkResolved(destination, rules, deps, null);
  }
  // The upstream proxy resolves names in its own network, so only the name is checked here.
  const refusal = checkThroughProxy(destination, rules);
  if (refusal) return { refusal };
  const upstream = parseUpstreamProxy(access);
  return checkResolved(upstream.address, { lists: [], private: rules.private }, deps, upstream);
}

async function checkResolved(
  destination: HostPort,
  rules: EgressRules,
  { resolve, isProxyPort }: DestinationCheckDeps,
  upstream: UpstreamProxy | null,
): Promise<DestinationVerdict> {
  const literal = parseAddress(destination.host);
  let resolvedAddresses: readonly Address[];
  try {
    resolvedAddresses = literal
      ? [literal]
      : (await resolve(destination.host)).map(parseAddress).filter((address) => address !== null);
  } catch (error) {
    return { failure: connectionFailureReason(error), destination };
  }
  let refusal: EgressBlock | null = null;
  const addresses: Address[] = [];
  for (const address of resolvedAddresses) {
    const block =
      isLocalMachine(address) && isProxyPort(destination.port)
        ? proxyPortBlock(destination, address)
        : checkAddress(destination, address, rules);
    if (block) refusal ??= block;
    else addresses.push(address);
  }
  if (addresses.length > 0) return { allowed: { addresses, port: destination.port, upstream } };
  return refusal ? { refusal } : { failure: 'the host name has no address', destination };
}

/** True when a connection to this address ends at the loopback interface of this machine. */
const isLocalMachine = (address: Address) => ['loopback', 'unspecified'].includes(address.range());

const proxyPortBlock = (destination: HostPort, address: Address): EgressBlock => ({
  ...destination,
  rule: 'worker',
  address: address.toString(),
});
