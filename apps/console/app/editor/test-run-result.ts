import type { Failure } from '../api/api-client.server.ts';
import type { RunState } from '../run/run-state.ts';

/** Result of starting a test run. */
export interface TestRunResult {
  state: RunState | undefined;
  failure: Failure | undefined;
}
