import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import { TOKEN_DESCRIPTOR, workerNodeOptions } from '@pilothouse/infra-config';

/** Variables that a worker inherits from the controller. All others are treated as secrets. */
const INHERITED_NAMES = new Set([
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
  'PILOTHOUSE_DESKTOP_COMMANDS',
]);
const isInherited = (name: string) => INHERITED_NAMES.has(name) || name.startsWith('LOG_');

/** Settings of one worker process. */
export interface WorkerEnvironment {
  readonly name: string;
  readonly slots: number;
  readonly surface: SurfaceKind;
  readonly gatewayUrl: string;
  /** Folder for its home. */
  readonly home: string;
  /** Folder for files of its runs. */
  readonly work: string;
}

/** Builds the environment of a worker process from an allow-list and the worker's settings. The token comes on a descriptor. */
export function workerEnvironment(
  controllerEnvironment: Readonly<Record<string, string | undefined>>,
  { name, slots, surface, gatewayUrl, home, work }: WorkerEnvironment,
): Record<string, string> {
  const inheritedEntries = Object.entries(controllerEnvironment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0]),
  );
  return {
    ...Object.fromEntries(inheritedEntries),
    HOME: home,
    PILOTHOUSE_GATEWAY_URL: gatewayUrl,
    PILOTHOUSE_FLEET_TOKEN_FD: String(TOKEN_DESCRIPTOR),
    PILOTHOUSE_WORKER_NAME: name,
    PILOTHOUSE_SLOTS: String(slots),
    PILOTHOUSE_SURFACE: surface,
    PILOTHOUSE_WORKER_DATA_DIR: work,
    PILOTHOUSE_EXIT_WITH_PARENT: 'true',
    ...workerNodeOptions(slots),
  };
}
