import { isCancelling } from '@pilothouse/contract/job/job-rules';
import type { ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { DatasetStatus } from '@pilothouse/contract/learning/dataset.schema';
import type { Job, JobStatus } from '@pilothouse/contract/job/job.schema';
import { Badge, type Tone } from '@pilothouse/ui-kit';
import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';

/** Status of a background job, or of the dataset or export that it writes. */
type WorkStatus = JobStatus | DatasetStatus | ExportView['status'];

interface WorkStatusLabel {
  label: string;
  tone: Tone;
  Icon: LucideIcon;
  isSpinning?: boolean;
}

const labels: Readonly<Record<WorkStatus, WorkStatusLabel>> = {
  queued: { label: 'Queued', tone: 'plain', Icon: CircleDashed },
  running: { label: 'Running', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  building: { label: 'Building', tone: 'live', Icon: LoaderCircle, isSpinning: true },
  completed: { label: 'Completed', tone: 'good', Icon: CircleCheck },
  ready: { label: 'Ready', tone: 'good', Icon: CircleCheck },
  failed: { label: 'Failed', tone: 'bad', Icon: CircleX },
  cancelled: { label: 'Cancelled', tone: 'plain', Icon: Ban },
  deleting: { label: 'Deleting', tone: 'warn', Icon: LoaderCircle, isSpinning: true },
};

/** Status of background work as icon and label. */
export function WorkStatusBadge({ status }: { status: WorkStatus }) {
  const { label, tone, Icon, isSpinning } = labels[status];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" className={isSpinning ? 'animate-spin' : undefined} />
      {label}
    </Badge>
  );
}

/** Status of a job. Shows `Cancelling` while a requested cancellation is in progress. */
export function JobStatusBadge({ job }: { job: Pick<Job, 'status' | 'isCancelRequested'> }) {
  if (isCancelling(job))
    return (
      <Badge tone="warn">
        <LoaderCircle aria-hidden="true" className="animate-spin" />
        Cancelling
      </Badge>
    );
  return <WorkStatusBadge status={job.status} />;
}
