import type { apiVariables } from './api.config.ts';
import type { cliVariables } from './cli.config.ts';
import type { consoleVariables } from './console.config.ts';
import type { fleetVariables } from './fleet.config.ts';
import type { jobsVariables } from './jobs.config.ts';
import type { migrateVariables } from './migrate.config.ts';
import type { upVariables } from './up.config.ts';
import type { workerVariables } from './worker.config.ts';

/** Name of an environment variable of any process. */
export type VariableName =
  | keyof typeof apiVariables.shape
  | keyof typeof cliVariables.shape
  | keyof typeof consoleVariables.shape
  | keyof typeof fleetVariables.shape
  | keyof typeof jobsVariables.shape
  | keyof typeof migrateVariables.shape
  | keyof typeof upVariables.shape
  | keyof typeof workerVariables.shape;

/** Descriptions of the environment variables. `docs/reference/env.md` shows it. */
export const variableDescriptions: Readonly<Record<VariableName, string>> = {
  // Stores
  DATABASE_URL: 'PostgreSQL',
  REDIS_URL: 'Redis or Valkey',
  PILOTHOUSE_REDIS_PREFIX: 'Prefix of all keys in Redis. Installations that share a Redis need different ones',
  PILOTHOUSE_MIGRATE_ON_START: 'Migrate the database when the API starts',
  PILOTHOUSE_DATABASE_WAIT_SECONDS: 'Time to wait until the database is reachable',
  OBJECT_STORE_DIR: 'Folder for objects. Required unless `S3_ENDPOINT` is set',
  S3_ENDPOINT: 'S3 server for objects, instead of a folder',
  S3_ACCESS_KEY: 'Access key. Required with `S3_ENDPOINT`',
  S3_SECRET_KEY: 'Secret key. Required with `S3_ENDPOINT`',
  S3_BUCKET: 'Bucket',
  S3_REGION: 'Region of the bucket',
  PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT: 'Address of the S3 server for workers. Default: `S3_ENDPOINT`',
  PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT:
    'Address of the S3 server for clients and browsers. Set the same value for API and console',
  // API and console
  PILOTHOUSE_HOST: 'Listen address of the API',
  PILOTHOUSE_PORT: 'Port of the API. `pilothouse up` takes the next free port',
  PILOTHOUSE_METRICS_PORT: 'Separate port for `/metrics`. Default: the port of the API',
  PILOTHOUSE_PUBLIC_URL: 'Address of the API for clients. Default: the listen address',
  PILOTHOUSE_CONSOLE_URL:
    'Public address of the console, for invitation links. Default: taken from the request. `./scripts/up` sets its own',
  PILOTHOUSE_WORKER_API_URL: 'Address of the API for file transfers of workers. Default: `PILOTHOUSE_PUBLIC_URL`',
  PILOTHOUSE_CORS_ORIGINS:
    'Origins whose pages may call the API with an API key (CORS), separated by commas. Empty: none. Cookies are never accepted from them',
  PILOTHOUSE_PROXY_COUNT: 'Number of proxies in front of the server whose `X-Forwarded` headers are trusted',
  PILOTHOUSE_CONSOLE_TOKEN:
    'Secret that API and console share. With it the API trusts the client address that the console forwards',
  PILOTHOUSE_API_ROLES: 'Roles of this replica',
  PILOTHOUSE_MASTER_KEY: 'Key that encrypts secrets: 32 bytes in base64. Required unless a key file is set',
  PILOTHOUSE_MASTER_KEY_FILE: 'File with the key that encrypts secrets. It is created if missing',
  PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: 'First API key, with the role `admin` in the project `default`',
  PILOTHOUSE_API_URL: 'Address of the API for the console server. Browsers never see it',
  PILOTHOUSE_CONSOLE_HOST: 'Listen address of the console',
  PILOTHOUSE_CONSOLE_PORT: 'Port of the console',
  // Runs and fleets
  PILOTHOUSE_LEASE_MS:
    'Time for which a worker acts after a lease renewal. Without a renewal it loses the run after this time if it is disconnected, and after three times this time otherwise',
  PILOTHOUSE_RENEW_MS: 'Interval of lease renewals. At most half of `PILOTHOUSE_LEASE_MS`',
  PILOTHOUSE_QUESTION_HOLD_SECONDS: 'Time for which a run that waits for a person keeps its slot',
  PILOTHOUSE_DIRECT_DISPATCH: 'Give a run directly to a free worker of the same replica, without Redis',
  PILOTHOUSE_SCREEN_PARSER_URL: 'OmniParser server that finds elements in screenshots of desktops',
  PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS: 'Timeout of a request to the OmniParser server',
  PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS: 'Time for which the elements of a screenshot are cached in Redis',
  PILOTHOUSE_RETENTION_RUNS_DAYS: 'Retention of runs in the first project, when it is created. Default: forever',
  PILOTHOUSE_RETENTION_EVENTS_DAYS:
    'Retention of events and steps in the first project, when it is created. Default: as long as the run',
  PILOTHOUSE_RETENTION_ARTIFACTS_DAYS:
    'Retention of artifacts in the first project, when it is created. Default: as long as the run',
  PILOTHOUSE_RETENTION_AUDIT_DAYS: 'Retention of the audit log',
  PILOTHOUSE_RETENTION_JOBS_DAYS:
    'Retention of finished background jobs. Tuning jobs, and jobs of existing datasets, exports and models, remain',
  PILOTHOUSE_FLEETS: 'Fleets, as a JSON list',
  PILOTHOUSE_FLEETS_FILE: 'File with the JSON list of fleets, instead of `PILOTHOUSE_FLEETS`',
  PILOTHOUSE_FLEET_DRIVER: '`local` starts workers as processes, `kubernetes` as pods',
  PILOTHOUSE_JOBS_PORT: 'Port of the job runner for `/metrics` and `/healthz`. 0: none',
  PILOTHOUSE_JOBS_HOST: 'Listen address of the job runner',
  PILOTHOUSE_JOBS_CONCURRENCY: 'Background jobs that the job runner executes at a time',
  PILOTHOUSE_TRAINERS_FILE:
    'File with the trainers of the installation, as a JSON list of `name`, `kind` and `template`',
  PILOTHOUSE_EXPORT_DESTINATIONS:
    'Buckets for exports by name, as JSON, the same for API and job runner. The job runner reads the keys of `my-bucket` from `DESTINATION_MY_BUCKET_ACCESS_KEY` and `DESTINATION_MY_BUCKET_SECRET_KEY`',
  PILOTHOUSE_TUNING_SOURCES:
    'Folders of buckets from which all projects may train, separated by commas, e.g. `gs://harbour-training/examples/`. Default: none, only exports of the project',
  PILOTHOUSE_FLEET_PORT: 'Port of the fleet controller for `/metrics` and `/healthz`. 0: none',
  PILOTHOUSE_FLEET_HOST: 'Listen address of the fleet controller',
  PILOTHOUSE_WORKER_COMMAND: 'Driver `local`: program and arguments that start a worker, as a JSON list',
  PILOTHOUSE_DATA_DIR: 'Driver `local`: data folder of the workers',
  PILOTHOUSE_NAMESPACE: 'Driver `kubernetes`: namespace of the pods. Job runner: namespace of the trainers',
  PILOTHOUSE_LEADER_LEASE_NAME:
    'Driver `kubernetes`: Lease that elects the controller. It must exist and owns the pods',
  PILOTHOUSE_POD_TEMPLATE_DIR: 'Driver `kubernetes`: folder with a pod template for each fleet',
  PILOTHOUSE_POD_NAME: 'Driver `kubernetes`: pod name of this controller. Default: the host name',
  KUBECONFIG: 'Driver `kubernetes`, and trainers: kubeconfig file. Default: the service account of the pod',
  // Models
  PILOTHOUSE_MODEL: 'Models for projects without their own, in order of preference',
  PILOTHOUSE_MODEL_ENDPOINTS: 'Further model endpoints by name. The key of `my-vllm` is in `MY_VLLM_API_KEY`',
  PILOTHOUSE_MODEL_OVERRIDES: 'Capabilities and prices of models by name; `*` matches any text',
  PILOTHOUSE_MODEL_CALLS_PER_MINUTE: 'Maximum calls per minute with one key, over all replicas. Default: unlimited',
  PILOTHOUSE_MODEL_STREAMING: 'Stream responses of models, so that thoughts appear while they are written',
  GEMINI_API_KEY: 'Key of Gemini',
  GEMINI_BASE_URL: 'Address of Gemini. Default: the public one',
  GEMINI_VERTEX_PROJECT: 'Google Cloud project, to call Gemini through Vertex AI instead of with a key',
  GEMINI_VERTEX_LOCATION: 'Region of Vertex AI. Default: `global`',
  GEMINI_VERTEX_KEY_FILE: 'Key file of a service account. Default: the application default credentials',
  OPENAI_API_KEY: 'Key of OpenAI, or of the server in `OPENAI_BASE_URL`',
  OPENAI_BASE_URL: 'Address of an OpenAI-compatible server, e.g. `http://vllm:8000/v1`. Default: OpenAI',
  OPENAI_HEADERS: 'Headers of each call, as a JSON object',
  ANTHROPIC_API_KEY: 'Key of Anthropic',
  ANTHROPIC_BASE_URL: 'Address of Anthropic. Default: the public one',
  // Single sign-on
  PILOTHOUSE_OIDC_ISSUER: 'Issuer of the OpenID Connect provider. Default: users sign in with a password only',
  PILOTHOUSE_OIDC_CLIENT_ID: 'Client id. Required with an issuer',
  PILOTHOUSE_OIDC_CLIENT_SECRET: 'Client secret. Required with an issuer',
  PILOTHOUSE_OIDC_DISPLAY_NAME: 'Name of the provider on the sign-in page',
  PILOTHOUSE_OIDC_SCOPES: 'Requested scopes',
  PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS: 'Email domains that may sign in. Default: all',
  PILOTHOUSE_OIDC_ROLE_MAPPINGS: 'Roles by claim and project, as a JSON list',
  PILOTHOUSE_OIDC_ASSUME_EMAIL_VERIFIED: 'Accept email addresses without `email_verified`',
  PILOTHOUSE_OIDC_REDIRECT_URL: 'Redirect URI of the sign-in. Default: derived from the public address',
  // Workers
  PILOTHOUSE_GATEWAY_URL: 'Address of the gateway. The fleet controller passes it on to local workers',
  PILOTHOUSE_FLEET_TOKEN_FILE: 'File with the token with which the worker joins its fleet',
  PILOTHOUSE_FLEET_TOKEN_FD:
    'Open file descriptor with this token, instead of the file. The worker reads it once and closes it',
  PILOTHOUSE_WORKER_NAME: 'Name of the worker. Default: host name and process id',
  PILOTHOUSE_SLOTS: 'Maximum number of concurrent runs of a worker',
  PILOTHOUSE_WORKERS: 'Maximum workers of each default fleet',
  PILOTHOUSE_EXTERNAL_WORKERS: 'true: workers on other machines may join the default fleets with the fleet token',
  PILOTHOUSE_JOIN_TOKEN_TTL_SECONDS:
    'Seconds in which a new worker must join. Longer than the start of a pod with its image pull',
  PILOTHOUSE_SURFACE: 'Surface that the worker operates',
  PILOTHOUSE_WORKER_DATA_DIR: 'Folder for temporary files. Default: below the temporary folder of the system',
  PILOTHOUSE_EXIT_WITH_PARENT: 'Drain and exit when stdin closes',
  PILOTHOUSE_DRAIN_GRACE_SECONDS: 'Time for runs to finish after SIGTERM. Unfinished runs return to the queue',
  PILOTHOUSE_HEADLESS: 'Run Chromium without a display. `auto`: use a display if there is one',
  PILOTHOUSE_BROWSER_RECYCLE_RUNS: 'Replace an idle browser after this number of runs',
  PILOTHOUSE_BROWSER_RECYCLE_MB: 'Replace an idle browser above this memory, in megabytes',
  PILOTHOUSE_CHROMIUM_SANDBOX: '`auto`: use the sandbox if the machine supports it. `off`: rely on the container',
  PILOTHOUSE_DESKTOP_COMMANDS: 'Commands that `openApp` may start besides installed applications, as a JSON object',
  PILOTHOUSE_DESKTOP_SLOTS:
    'Folder with the sockets of the containers in which desktop sessions run; the chart sets it',
  PILOTHOUSE_SLOT_KEY: 'Secret of these containers; the chart sets it',
  PILOTHOUSE_SLOT_UID: 'User id of the first of these containers; the others follow; the chart sets it',
  PILOTHOUSE_EGRESS_ALLOW_PRIVATE: 'Private addresses that pages may reach',
  PILOTHOUSE_EXTRA_CA_CERTS: 'Certificate authorities that pages and requests trust besides the public ones',
  CHROMIUM_PATH: 'Chromium program. Default: the one of Playwright',
  DISPLAY: 'X display for browsers with a window',
  // Command line
  PILOTHOUSE_URL: 'Address of the API. Default: the local installation',
  PILOTHOUSE_API_KEY: 'API key. Default: the key of the local installation',
  PILOTHOUSE_INSTALL_DIR: 'Data folder of the local installation. Default: `.pilothouse` in the clone',
  // All processes
  LOG_LEVEL: 'Lowest level that is logged',
  LOG_FORMAT: '`json` lines, or `pretty` for terminals',
  PILOTHOUSE_FAILPOINTS: 'For tests only: failpoints at which this process stops or pauses',
};
