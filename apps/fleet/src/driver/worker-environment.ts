import { workerNodeOptions } from '@pilothouse/infra-config';

/** Names that a worker may inherit from the controller. Everything else is a secret until somebody shows that it is not. */
const inherited = new Set([
  'PATH',
  'LANG',
  'TZ',
  'CHROMIUM_PATH',
  'PILOTHOUSE_HEADLESS',
  'PILOTHOUSE_CHROMIUM_SANDBOX',
  'PILOTHOUSE_EGRESS_ALLOW_PRIVATE',
  'PILOTHOUSE_EXTRA_CA_CERTS',
  'PILOTHOUSE_BROWSER_RECYCLE_RUNS',
  'PILOTHOUSE_BROWSER_RECYCLE_MB',
]);
const isInherited = (name: string) => inherited.has(name) || name.startsWith('LOG_');

/** What is said to one worker. */
export interface WorkerEnvironment {
  readonly name: string;
  readonly slots: number;
  readonly gatewayUrl: string;
  readonly token: string;
  /** Folder for its home. */
  readonly home: string;
  /** Folder for files of its runs. */
  readonly work: string;
}

/** The whole environment of a worker process: an allow-list, never the controller's own. */
export function workerEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { name, slots, gatewayUrl, token, home, work }: WorkerEnvironment,
): Record<string, string> {
  const passed = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]),
  );
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    PILOTHOUSE_GATEWAY_URL: gatewayUrl,
    PILOTHOUSE_FLEET_TOKEN: token,
    PILOTHOUSE_WORKER_NAME: name,
    PILOTHOUSE_SLOTS: String(slots),
    PILOTHOUSE_WORKER_DATA_DIR: work,
    PILOTHOUSE_EXIT_WITH_PARENT: 'true',
    ...workerNodeOptions(slots),
  };
}
