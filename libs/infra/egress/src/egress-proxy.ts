import type { EgressProxyFactory, EgressProxy } from '@pilothouse/core';
import { EgressGate } from './egress-gate.ts';
import { cacheResolver, systemResolve, type Resolver } from './dns-cache.ts';

export interface EgressProxyOptions {
  /** How names are looked up (default: as the system does). */
  readonly resolve?: Resolver;
  /** Milliseconds that only go up (default: of the process). */
  readonly now?: () => number;
}

/** The way out of a worker, which can be closed. */
export interface WorkerEgress extends EgressProxyFactory {
  /** Closes all gates. Never throws. */
  close(): Promise<void>;
}

/** The way out of a worker: a gate for each run, and what was looked up for one is known to all. */
export function startEgressProxy({
  resolve = systemResolve,
  now = () => performance.now(),
}: EgressProxyOptions = {}): WorkerEgress {
  const gates = new Map<number, EgressGate>();
  const parts = { resolve: cacheResolver(resolve, now), isOwn: (port: number) => gates.has(port) };
  return {
    async open(): Promise<EgressProxy> {
      const gate = await EgressGate.open(parts);
      gates.set(gate.port, gate);
      gate.onClose = () => gates.delete(gate.port);
      return gate;
    },
    async close() {
      await Promise.all([...gates.values()].map((gate) => gate.close()));
    },
  };
}
