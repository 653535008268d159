export { ConfigError, processEnvironment, type Environment } from './read.ts';
export * from './api.config.ts';
export { modelVariables, type ModelEndpoint, type ModelsConfig } from './models.ts';
export * from './fleet.config.ts';
export * from './worker.config.ts';
export * from './cli.config.ts';
export * from './migrate.config.ts';
export * from './up.config.ts';
export { useTemporaryFolder } from './temporary.ts';
