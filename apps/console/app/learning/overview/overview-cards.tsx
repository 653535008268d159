import type { Job } from '@pilothouse/contract/job/job.schema';
import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Card } from '@pilothouse/ui-kit';
import { Download } from 'lucide-react';
import { Children, type ReactNode } from 'react';
import { Link } from 'react-router';
import { countOf, shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { exportIdOf, isActiveJob, jobKindLabels, jobLinksOf, jobSubjectOf, progressText } from '../jobs/job-labels.ts';
import { StageBadge } from '../models/model-stages.tsx';
import { traceQualityLabels } from '../traces/trace-quality.ts';
import { TraceQualityBadge } from '../traces/trace-quality-badge.tsx';
import { JobStatusBadge } from '../work-status-badge.tsx';

/** Link in the header of a card. */
const CardLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link to={href} className="text-xs text-muted underline hover:text-text">
    {children}
  </Link>
);

/** Rows of a card. Without rows: a sentence. */
const OverviewRows = ({ label, empty, children }: { label: string; empty: string; children: ReactNode }) =>
  Children.count(children) === 0 ? (
    <p className="p-3 text-sm text-muted">{empty}</p>
  ) : (
    <ul aria-label={label} className="divide-y divide-line text-sm">
      {children}
    </ul>
  );

interface OverviewRowProps {
  href: string;
  name: string;
  /** Second text, at the end. */
  detail: ReactNode;
  /** Badge before the name. */
  children: ReactNode;
}

/** One row: a badge, a link and a detail. */
const OverviewRow = ({ href, name, detail, children }: OverviewRowProps) => (
  <li className="relative flex min-h-9 items-center gap-2 px-3 py-1.5 hover:bg-raised/60">
    <span className="flex shrink-0">{children}</span>
    <Link
      to={href}
      title={name}
      className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0 hover:underline"
    >
      {name}
    </Link>
    <span className="shrink-0 text-xs text-muted">{detail}</span>
  </li>
);

interface LatestTracesProps {
  quality: 'good' | 'bad';
  traces: readonly Trace[];
}

/** The last traces of a quality, with the number of their steps of this quality. */
export function LatestTraces({ quality, traces }: LatestTracesProps) {
  const title = `Latest ${traceQualityLabels[quality].label.toLowerCase()} traces`;
  return (
    <Card
      title={title}
      flush
      actions={<CardLink href={`/learning/traces?review=all&quality=${quality}`}>All {quality} traces</CardLink>}
    >
      <OverviewRows label={title} empty={`No ${quality} traces in this period.`}>
        {traces.map((trace) => (
          <OverviewRow
            key={trace.run}
            href={`/learning/traces/${trace.run}?review=all&quality=${quality}`}
            name={`${trace.workflowName} ${shortId(trace.run)}`}
            detail={
              <>
                {trace[`${quality}Count`]} of {countOf(trace.stepCount, 'step')} · <TimeAgo time={trace.createdAt} />
              </>
            }
          >
            <TraceQualityBadge trace={{ ...trace, needsReview: false }} />
          </OverviewRow>
        ))}
      </OverviewRows>
    </Card>
  );
}

/** Registered models that answer calls of runs. */
export const ModelsInUse = ({ models }: { models: readonly RegisteredModel[] }) => (
  <Card title="Models in use" flush actions={<CardLink href="/learning/models">All models</CardLink>}>
    <OverviewRows label="Models in use" empty="Runs use the models of the project. No registered model is in use.">
      {models.map((model) => (
        <OverviewRow
          key={model.id}
          href={`/learning/models/${model.name}`}
          name={model.name}
          detail={
            <>
              {model.role ?? 'All roles'} · since <TimeAgo time={model.stageChangedAt} />
            </>
          }
        >
          <StageBadge model={model} />
        </OverviewRow>
      ))}
    </OverviewRows>
  </Card>
);

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
