import type { FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { UpConfig } from '@pilothouse/infra-config';
import { count } from '../output/sanitize-text.ts';
import type { Secrets } from './local-secrets.ts';

/** Settings of the default fleets: no worker runs until a run needs one. */
const SCALE_TO_ZERO = { minWorkers: 0, idleSlots: 0, cooldownSeconds: 300, projects: [] };

/** Fleet of browsers without a configuration. */
const MAIN_FLEET = 'browser';

/**
 * Fleets of the installation: the configured ones, or a fleet of browsers and, where its packages are installed, one of desktops.
 * @param missing Debian packages of a desktop that are not installed
 */
export function localFleets(config: UpConfig, missing: readonly string[]): readonly FleetConfig[] {
  if (config.fleets) return config.fleets;
  const { slots, workers: maxWorkers, externalWorkers } = config;
  const common = { ...SCALE_TO_ZERO, externalWorkers };
  const browser = { ...common, name: MAIN_FLEET, surface: 'browser', slots, maxWorkers } as const;
  // A desktop run can use as much memory as a browser with several pages.
  const desktop = { ...common, name: 'desktop', surface: 'desktop', slots: 1, maxWorkers } as const;
  return missing.length > 0 ? [browser] : [browser, desktop];
}

/**
 * The fleets with their tokens. The default fleet of browsers, and a single configured fleet, have the token in fleet.token, which remote
 * workers use.
 */
export function withTokens(fleets: readonly FleetConfig[], config: UpConfig, secrets: Secrets): FleetConfig[] {
  const isMain = ({ name }: FleetConfig) => (config.fleets ? fleets.length === 1 : name === MAIN_FLEET);
  return fleets.map((fleet) => ({
    ...fleet,
    token: fleet.token ?? (isMain(fleet) ? secrets.fleetToken : secrets.tokenOf(fleet.name)),
  }));
}

/** Description of the fleets in one line, e.g. `browser: up to 2 workers, 2 slots each`. */
export const fleetsLine = (fleets: readonly FleetConfig[]): string =>
  fleets
    .map(({ name, slots, maxWorkers }) => `${name}: up to ${count(maxWorkers, 'worker')}, ${count(slots, 'slot')} each`)
    .join('; ');

/**
 * Notice about desktop runs, if the machine lacks packages.
 * @param missing Debian packages of a desktop that are not installed
 */
export function desktopNotice(fleets: readonly FleetConfig[], missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined;
  const names = fleets.filter(
    ({ surface, maxWorkers }) => surfaceTraits[surface].needsSystemPackages && maxWorkers > 0,
  );
  const effect =
    names.length > 0
      ? `workers of ${names.map(({ name }) => name).join(', ')} cannot start on this machine`
      : 'no fleet serves them';
  return `Desktop runs: ${effect}. ${desktopFix(missing)}`;
}

/** Hint that explains how to enable desktop runs. */
export const desktopFix = (missing: readonly string[]): string =>
  process.platform === 'linux'
    ? `Install ${missing.join(' ')}, then start again (docs/guides/desktop.md).`
    : 'They need Linux: add a worker on another machine (docs/guides/workers-elsewhere.md).';
