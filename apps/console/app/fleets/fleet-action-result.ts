import type { Failure } from '../api/api-client.server.ts';

/** Result of a fleet form. */
export interface FleetActionResult {
  failure: Failure | undefined;
  isSaved: boolean;
}
