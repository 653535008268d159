import type { Failure } from '../api/api-client.server.ts';
import type { RunState } from '../run/run-state.ts';

/** What becomes of a workflow that is tried as it stands in the editor. */
export interface TestRunResult {
  state: RunState | undefined;
  failure: Failure | undefined;
}
