export { findProgram, spawnSupervised, type SupervisedChild, type ChildExit, type ChildSpec } from './child.ts';
export {
  stopProcess,
  isAlive,
  identifyProcess,
  signalProcess,
  type StopStep,
  type ProcessIdentity,
} from './process.ts';
export { findFreePort, isPortFree } from './ports.ts';
export { OutputTail, waitUntilReady } from './ready.ts';
export { pingPostgres, ensureDatabase, startPostgres, type PostgresOptions } from './postgres.ts';
export { pingRedis, startRedis, type RedisOptions } from './redis.ts';
export type { EmbeddedServer } from './embedded.ts';
export { errorCode } from './error-code.ts';
export { serverUser, transferFolder, type SystemUser } from './system-user.ts';
