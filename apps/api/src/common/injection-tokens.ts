/** Nest tokens of what has no class of its own. */
export const LOG = Symbol('Log');
export const CLOCK = Symbol('Clock');
export const POOL = Symbol('Pool');
export const VAULT = Symbol('Vault');
export const OBJECTS = Symbol('Objects');
export const METRICS = Symbol('Metrics');
/** Log, timers and failure counter of periodic jobs. */
export const JOB_DEPS = Symbol('JobDeps');
/** Says whether the parts that the API stands on answer. */
export const HEALTH_CHECKS = Symbol('Checks');
/** Aborts when the process is to stop: what only waits ends, what works goes on to its end. */
export const SHUTDOWN_SIGNAL = Symbol('Stopping');
/** Where people reach the console; undefined: where they ask. */
export const CONSOLE_URL = Symbol('ConsoleUrl');
/** How long a new project keeps what. */
export const DEFAULT_RETENTION = Symbol('Keep');
/** Where models can be asked. */
export const MODELS_CONFIG = Symbol('Models');
/** Where users sign in besides; null: with a password only. */
export const OIDC_PROVIDER = Symbol('Oidc');
/** Gives the URL at which clients reach the API. */
export const PUBLIC_URL = Symbol('PublicUrl');
