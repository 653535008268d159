/** Nest tokens for values without a class. */
export const APP_CONTEXT = Symbol('AppContext');
export const LOG = Symbol('Log');
export const CLOCK = Symbol('Clock');
export const POOL = Symbol('Pool');
export const VAULT = Symbol('Vault');
export const OBJECTS = Symbol('Objects');
export const METRICS = Symbol('Metrics');
/** Runs periodic tasks. */
export const SCHEDULER = Symbol('ReplicaScheduler');
/** Handler of each kind of reactions. */
export const REACTION_HANDLERS = Symbol('ReactionHandlers');
/** Writer, dispatcher, job queue, event streams and sweeper of runs. */
export const RUN_LIFECYCLE = Symbol('RunLifecycleServices');
/** Limits model calls per minute over all replicas; null without a limit. */
export const MODEL_RATE_LIMITER = Symbol('ModelRateLimiter');
/** Repeats the access check of a request. */
export const ACCESS_CHECK = Symbol('AccessCheck');
/** Checks of PostgreSQL, Redis and the object store. */
export const HEALTH_CHECKS = Symbol('HealthChecks');
/** Aborts when the process stops: waiting requests end, active requests complete. */
export const SHUTDOWN_SIGNAL = Symbol('ShutdownSignal');
/** URL of the console; undefined: the origin of the request. */
export const CONSOLE_URL = Symbol('ConsoleUrl');
/** Retention policy of new projects. */
export const DEFAULT_RETENTION = Symbol('DefaultRetention');
/** Model endpoints and their settings. */
export const MODELS_CONFIG = Symbol('ModelsConfig');
/** Buckets for exports, by name. */
export const EXPORT_DESTINATIONS = Symbol('ExportDestinations');
/** Folders of buckets from which all projects may train. */
export const TUNING_SOURCES = Symbol('TuningSources');
/** Single sign-on provider; null: passwords only. */
export const OIDC_PROVIDER = Symbol('OidcProvider');
/** Function that returns the URL of the API for clients. */
export const PUBLIC_URL = Symbol('PublicUrl');
