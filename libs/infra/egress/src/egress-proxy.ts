import type { EgressProxyFactory, EgressProxy } from '@pilothouse/core';
import { EgressGate } from './egress-gate.ts';
import { cacheResolver, systemResolve, type Resolver } from './dns-cache.ts';

export interface EgressProxyOptions {
  /** Name lookup. Default: the system resolver. */
  readonly resolve?: Resolver;
  /** Monotonic clock in milliseconds. Default: the clock of the process. */
  readonly now?: () => number;
}

/** The egress proxy of a worker. */
export interface WorkerEgress extends EgressProxyFactory {
  /** Closes all gates. Never throws. */
  close(): Promise<void>;
}

/** Starts the egress proxy of a worker: one gate for each run, with a shared DNS cache. */
export function startEgressProxy({
  resolve = systemResolve,
  now = () => performance.now(),
}: EgressProxyOptions = {}): WorkerEgress {
  const gates = new Map<number, EgressGate>();
  const deps = { resolve: cacheResolver(resolve, now), isGatePort: (port: number) => gates.has(port) };
  return {
    async open(): Promise<EgressProxy> {
      const gate = await EgressGate.open(deps);
      gates.set(gate.port, gate);
      gate.onClose = () => gates.delete(gate.port);
      return gate;
    },
    async close() {
      await Promise.all([...gates.values()].map((gate) => gate.close()));
    },
  };
}
