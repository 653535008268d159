import type { Job } from '@pilothouse/contract/job/job.schema';
import { Notice } from '@pilothouse/ui-kit';

/** Error of a job that did not complete. @param advice measure against the error; null: its message names it */
export function JobErrorNotice({ job: { error, status }, advice }: { job: Job; advice: string | null }) {
  if (!error || status === 'completed') return null;
  return (
    <Notice tone={status === 'failed' ? 'bad' : 'warn'}>
      <p className="wrap-anywhere">
        <span className="font-mono">{error.code}</span> {error.message}
      </p>
      {advice !== null && <p className="mt-1 text-text">{advice}</p>}
    </Notice>
  );
}
