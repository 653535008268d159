import type { Failure } from '../api/api-client.server.ts';
import type { Story } from '../run/run-state.ts';

/** What becomes of a workflow that is tried as it stands in the editor. */
export interface TriedWorkflow {
  story: Story | undefined;
  failure: Failure | undefined;
}
