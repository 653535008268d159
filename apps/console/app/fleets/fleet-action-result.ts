import type { Failure } from '../api/api-client.server.ts';

/** What the page of fleets answers to a form. */
export interface FleetActionResult {
  failure: Failure | undefined;
  isSaved: boolean;
}
