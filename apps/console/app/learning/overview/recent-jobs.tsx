import type { Job } from '@pilothouse/contract/job/job.schema';
import { Card } from '@pilothouse/ui-kit';
import { Download } from 'lucide-react';
import { shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { exportIdOf, isActiveJob, jobKindLabels, jobLinksOf, jobSubjectOf, progressText } from '../jobs/job-labels.ts';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { CardLink, OverviewRow, OverviewRows } from './overview-rows.tsx';

/** Active jobs, then the last ones. */
export const RecentJobs = ({ jobs }: { jobs: readonly Job[] }) => (
  <Card title="Background jobs" flush actions={<CardLink href="/learning/jobs">All jobs</CardLink>}>
    <OverviewRows label="Background jobs" empty="No datasets, exports or tuning jobs yet.">
      {jobs.map((job) => (
        <OverviewRow
          key={job.id}
          href={`/learning/jobs/${job.id}`}
          name={`${jobKindLabels[job.kind]} ${jobSubjectOf(job) ?? shortId(job.id)}`}
          detail={isActiveJob(job) && job.progress ? progressText(job.progress) : <TimeAgo time={job.createdAt} />}
        >
          <JobStatusBadge job={job} />
        </OverviewRow>
      ))}
    </OverviewRows>
  </Card>
);

/** The last completed exports. */
export const RecentExports = ({ exports }: { exports: readonly Job[] }) => (
  <Card title="Recent exports" flush actions={<CardLink href="/learning/datasets">All datasets</CardLink>}>
    <OverviewRows label="Recent exports" empty="No exports yet. Build a dataset, then export it.">
      {exports.map((job) => (
        <OverviewRow
          key={job.id}
          href={jobLinksOf(job)[0]?.href ?? `/learning/jobs/${job.id}`}
          name={`Export ${shortId(exportIdOf(job) ?? job.id)}`}
          detail={<TimeAgo time={job.createdAt} />}
        >
          <Download aria-hidden="true" className="size-4 text-muted" />
        </OverviewRow>
      ))}
    </OverviewRows>
  </Card>
);
