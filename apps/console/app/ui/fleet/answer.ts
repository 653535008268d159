import type { Failure } from '../../lib/api.server.ts';

/** What the page of fleets answers to a form. */
export interface FleetAnswer {
  failure: Failure | undefined;
  saved: boolean;
}
