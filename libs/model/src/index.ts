export * from './endpoint.ts';
export * from './adapters.ts';
export * from './retry.ts';
export * from './breaker.ts';
export * from './chain.ts';
export * from './hedge.ts';
export { CallFailed } from './failure.ts';
export { priceOf } from './price.ts';
export * from './estimate.ts';
