export * from './model-endpoint.ts';
export * from './model-adapters.ts';
export * from './retry-and-breaker.ts';
export * from './hedge-and-fallback.ts';
export * from './request-adapters.ts';
export { ModelCallError } from './provider-errors.ts';
export * from './model-registry.ts';
export * from './screen-parser/omni-parser.ts';
