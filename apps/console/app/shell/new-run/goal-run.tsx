import { Notice } from '@pilothouse/ui-kit';
import { useFetcher } from 'react-router';
import { GoalFields } from './goal-fields.tsx';
import type { action } from './new-run.route.ts';
import { errorOf, SubmitRow, type Fleets, type RunFailure } from './run-options.tsx';

/** Form for a run of a goal. */
export function GoalRun({ fleets }: { fleets: Fleets }) {
  const submission = useFetcher<typeof action>();
  const failure: RunFailure = submission.data?.failure;
  return (
    <submission.Form method="post" action="/new-run" encType="multipart/form-data" className="grid gap-4">
      {failure && !['/goal', '/url', '/apps', '/fleet'].some((pointer) => errorOf(failure, pointer)) && (
        <Notice tone="bad">{failure.message}</Notice>
      )}
      <GoalFields fleets={fleets} failure={failure} />
      <SubmitRow intent="goal" busy={submission.state !== 'idle'} />
    </submission.Form>
  );
}
