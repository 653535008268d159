export { startEgressProxy, type WorkerEgress, type EgressProxyOptions } from './egress.ts';
export type { Resolver } from './resolve.ts';
