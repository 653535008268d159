export {
  findProgram,
  spawnSupervised,
  type SupervisedChild,
  type ChildExit,
  type ChildSpec,
} from './supervised-child.ts';
export {
  stopProcess,
  isAlive,
  identifyProcess,
  signalProcess,
  type StopStep,
  type ProcessIdentity,
} from './process-identity.ts';
export { findFreePort, isPortFree, OutputTail, waitUntilReady } from './embedded-server.ts';
export { pingPostgres, ensureDatabase, startPostgres, type PostgresOptions } from './embedded-postgres.ts';
export { pingRedis, startRedis, type RedisOptions } from './embedded-redis.ts';
export type { EmbeddedServer } from './embedded-server.ts';
export { errorCode } from './process-identity.ts';
export { serverUser, transferFolder, type SystemUser } from './system-user.ts';
