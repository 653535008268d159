import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Milliseconds of a lease: short, so that a case is soon over; long enough for a machine that is busy. */
export const LEASE_MS = 2_000;
export const RENEW_MS = 500;

/** Runs that a worker of a fleet carries out at a time. */
export const SLOTS = 3;

/** The same where a case wants nobody else's workers: at most, a worker may have less. */
export const SOLO_SLOTS = 10;

/** Every start compiles the same bundles: kept, half of it is saved. */
export const compileCache = join(tmpdir(), 'pilothouse-chaos-compiled');

/** Fleets: one for each surface, one for cases that want nobody else's workers, one for the controller. */
export type FleetName = 'http' | 'browser' | 'solo' | 'managed';
