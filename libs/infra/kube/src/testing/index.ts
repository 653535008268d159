export * from './test-cluster.ts';
