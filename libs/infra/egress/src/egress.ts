import type { Egress, Gate } from '@pilothouse/core';
import { ProxyGate } from './gate.ts';
import { remembered, systemResolve, type Resolve } from './resolve.ts';

export interface EgressOptions {
  /** How names are looked up (default: as the system does). */
  readonly resolve?: Resolve;
  /** Milliseconds that only go up (default: of the process). */
  readonly now?: () => number;
}

/** The way out of a worker, which can be closed. */
export interface EgressHouse extends Egress {
  /** Closes all gates. Never throws. */
  close(): Promise<void>;
}

/** The way out of a worker: a gate for each run, and what was looked up for one is known to all. */
export function startEgress({
  resolve = systemResolve,
  now = () => performance.now(),
}: EgressOptions = {}): EgressHouse {
  const gates = new Map<number, ProxyGate>();
  const parts = { resolve: remembered(resolve, now), isOwn: (port: number) => gates.has(port) };
  return {
    async open(): Promise<Gate> {
      const gate = await ProxyGate.open(parts);
      gates.set(gate.port, gate);
      gate.onClose = () => gates.delete(gate.port);
      return gate;
    },
    async close() {
      await Promise.all([...gates.values()].map((gate) => gate.close()));
    },
  };
}
