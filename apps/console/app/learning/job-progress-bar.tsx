import type { JobProgress, Job } from '@pilothouse/contract/job/job.schema';
import { count } from '../shared/number-format.ts';
import { progressText } from './jobs/job-labels.ts';

interface JobProgressBarProps {
  job: Pick<Job, 'status' | 'progress' | 'condition'>;
  /** Accessible name of the bar. */
  label: string;
}

/** Progress of a job: why it does not start, or a bar if its total is known, and the numbers. */
export function JobProgressBar({ job: { status, progress, condition }, label }: JobProgressBarProps) {
  if (condition) return <p className="text-xs text-warn wrap-anywhere">{condition.message}</p>;
  if (progress === null) return <span className="text-muted">{status === 'running' ? 'Starting…' : '—'}</span>;
  const percent = percentOf(progress, status);
  return (
    <div className="grid min-w-28 gap-1">
      {percent !== null && (
        <div
          role="progressbar"
          aria-label={label}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuetext={progressText(progress)}
          className="h-1.5 overflow-hidden rounded-full bg-raised"
        >
          <div
            className={status === 'completed' ? 'h-full bg-good' : 'h-full bg-primary'}
            style={{ width: `${percent}%` }}
          />
        </div>
      )}
      <span className="text-xs whitespace-nowrap text-muted" title={`${count(progress.done)} ${progress.unit}`}>
        {progressText(progress)}
      </span>
    </div>
  );
}

function percentOf({ done, total }: JobProgress, status: Job['status']): number | null {
  if (status === 'completed') return 100;
  return total === null || total === 0 ? null : Math.min(100, Math.round((done / total) * 100));
}
