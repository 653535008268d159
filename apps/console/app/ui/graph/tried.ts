import type { Failure } from '../../lib/api.server.ts';
import type { Story } from '../../lib/story.ts';

/** What becomes of a workflow that is tried as it stands in the editor. */
export interface TriedWorkflow {
  story: Story | undefined;
  failure: Failure | undefined;
}
