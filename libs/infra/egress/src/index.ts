export { startEgress, type EgressHouse, type EgressOptions } from './egress.ts';
export type { Resolve } from './resolve.ts';
