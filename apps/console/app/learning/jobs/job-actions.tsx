import { isEndedAtTuner, jobRoles } from '@pilothouse/contract/job/job-rules';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { roleIncludes } from '@pilothouse/contract/project/project-roles';
import { Button, buttonClass, Field, Input } from '@pilothouse/ui-kit';
import { RotateCw } from 'lucide-react';
import { Link, useFetcher } from 'react-router';
import { ConfirmButton } from '../../shared/confirm-button.tsx';
import { shortId } from '../../shared/number-format.ts';
import { useRole } from '../../page/use-role.ts';
import { isActiveJob, jobKindLabels } from './job-labels.ts';
import type { action } from './job.actions.server.ts';

interface JobActionsProps {
  job: Job;
  /** Adds a field for a new budget to the form that retries a job with a budget. */
  hasBudgetField?: boolean;
}

/** Cancels a job that has not ended, or retries a failed or cancelled one. Empty without the role that starts such jobs. A tuning job that ended at its tuner starts again as a new job. */
export function JobActions({ job, hasBudgetField = false }: JobActionsProps) {
  const fetcher = useFetcher<typeof action>();
  const role = useRole();
  const isBusy = fetcher.state !== 'idle';
  if (role === undefined || !roleIncludes(role, jobRoles[job.kind])) return null;
  const { failure } = fetcher.data ?? {};
  const name = `${jobKindLabels[job.kind]} ${shortId(job.id)}`;
  const target = `/learning/jobs/${job.id}`;
  return (
    <div className="flex flex-wrap items-end justify-end gap-2">
      <span role="status" className="self-center text-xs text-bad">
        {failure?.message}
      </span>
      {isActiveJob(job) && !job.isCancelRequested && (
        <ConfirmButton
          disabled={isBusy}
          aria-label={`Cancel job ${name}`}
          confirmation={{
            title: `Cancel job ${name}?`,
            text:
              job.kind === 'tune'
                ? 'The tuning job is cancelled at its tuner. To repeat it, start a new one.'
                : 'A running job stops at the next heartbeat of its job runner. You can retry it from its checkpoint.',
            verb: 'Cancel job',
            onConfirm: () => void fetcher.submit({ intent: 'cancel-job' }, { method: 'post', action: target }),
          }}
        >
          Cancel job
        </ConfirmButton>
      )}
      {isEndedAtTuner(job) && (
        <Link to={`/learning/tuning/new?job=${job.id}`} className={buttonClass()} aria-label={`Start again: ${name}`}>
          <RotateCw aria-hidden="true" /> Start again
        </Link>
      )}
      {(job.status === 'failed' || job.status === 'cancelled') && !isEndedAtTuner(job) && (
        <fetcher.Form method="post" action={target} className="flex flex-wrap items-end gap-2">
          {hasBudgetField && job.budgetUsd !== null && (
            <Field
              label="New budget (USD)"
              error={failure?.fields?.find(({ pointer }) => pointer === '/budgetUsd')?.detail}
            >
              {(controlProps) => (
                <Input
                  {...controlProps}
                  name="budgetUsd"
                  inputMode="decimal"
                  placeholder={String(job.budgetUsd)}
                  className="w-32"
                />
              )}
            </Field>
          )}
          <Button type="submit" name="intent" value="retry-job" disabled={isBusy} aria-label={`Retry job ${name}`}>
            <RotateCw aria-hidden="true" /> Retry
          </Button>
        </fetcher.Form>
      )}
    </div>
  );
}
