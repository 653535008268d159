export { startEgressProxy, type WorkerEgress, type EgressProxyOptions } from './egress-proxy.ts';
export type { Resolver } from './dns-cache.ts';
