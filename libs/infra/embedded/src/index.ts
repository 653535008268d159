export { programPath, startChild, type Child, type ChildExit, type ChildSpec } from './child.ts';
export { endProcess, isAlive, markOf, signalProcess, type EndStep, type ProcessMark } from './process.ts';
export { freePort, isFree } from './ports.ts';
export { Tail, untilReady } from './ready.ts';
export { askPostgres, ensureDatabase, startPostgres, type PostgresOptions } from './postgres.ts';
export { askRedis, startRedis, type RedisOptions } from './redis.ts';
export type { Embedded } from './embedded.ts';
export { errorCode } from './error-code.ts';
export { serverUser, transferFolder, type SystemUser } from './system-user.ts';
