import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Lease duration in milliseconds: short for fast cases, long enough for a busy machine. */
export const LEASE_MS = 1_200;
export const RENEW_MS = 400;

/** Milliseconds for which the gateway keeps the run of a connected worker without a renewal. */
export const HELD_LEASE_MS = 3 * LEASE_MS;

/** Slots of a worker of a fleet. */
export const SLOTS = 3;

/** Maximum slots in the fleet of cases with their own workers. */
export const SOLO_SLOTS = 10;

/** Compile cache: every start compiles the same bundles, and the cache halves the time. */
export const compileCache = join(tmpdir(), 'pilothouse-chaos-compiled');

/** Fleets: one for each surface, one for cases with their own workers, one for the controller. */
export type FleetName = 'http' | 'browser' | 'solo' | 'managed';
