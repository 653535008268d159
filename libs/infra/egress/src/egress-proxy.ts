import type { EgressProxyFactory, EgressProxy } from '@pilothouse/core/ports/egress.port';
import { RunProxy } from './run-proxy.ts';
import { cacheResolver, systemResolve, type Resolver } from './dns-cache.ts';

export interface EgressProxyOptions {
  /** Name lookup. Default: the system resolver. */
  readonly resolve?: Resolver;
  /** Monotonic clock in milliseconds. Default: the clock of the process. */
  readonly now?: () => number;
}

/** The egress proxy of a worker. */
export interface WorkerEgress extends EgressProxyFactory {
  /** Closes all proxies. Never throws. */
  close(): Promise<void>;
}

/** Starts the egress proxy of a worker: one proxy for each run, with a shared DNS cache. */
export function startEgressProxy({
  resolve = systemResolve,
  now = () => performance.now(),
}: EgressProxyOptions = {}): WorkerEgress {
  const proxies = new Map<number, RunProxy>();
  const deps = { resolve: cacheResolver(resolve, now), isProxyPort: (port: number) => proxies.has(port) };
  return {
    async open(clientUid = null): Promise<EgressProxy> {
      const runProxy = await RunProxy.open(deps, clientUid);
      proxies.set(runProxy.port, runProxy);
      runProxy.onClose = () => proxies.delete(runProxy.port);
      return runProxy;
    },
    async close() {
      await Promise.all([...proxies.values()].map((runProxy) => runProxy.close()));
    },
  };
}
