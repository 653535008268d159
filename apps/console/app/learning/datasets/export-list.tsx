import type { ExportView } from '@pilothouse/contract/learning/dataset-export.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { roleIncludes } from '@pilothouse/contract/project/project-roles';
import { buttonClass, Card } from '@pilothouse/ui-kit';
import { Download, GraduationCap } from 'lucide-react';
import { Link } from 'react-router';
import { countOf, shortId, size } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useRole } from '../../page/use-role.ts';
import { isActiveJob } from '../jobs/job-labels.ts';
import { JobActions } from '../jobs/job-actions.tsx';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { WorkStatusBadge } from '../work-status-badge.tsx';
import { dialectLabels, exportFormatLabels, objectiveLabels, splitLabels } from './export-labels.ts';
import { StepLinks } from './step-links.tsx';

interface ExportListProps {
  exports: readonly ExportView[];
  /** Jobs of unfinished exports, by id. */
  jobs: Readonly<Record<string, Job>>;
}

/** Exports of a dataset with their files, and the steps that they do not contain. */
export const ExportList = ({ exports, jobs }: ExportListProps) => (
  <Card title="Exports" flush>
    {exports.length === 0 ? (
      <p className="p-3 text-sm text-muted">
        No exports yet. An export writes the dataset in the format of a training tool.
      </p>
    ) : (
      <ul className="divide-y divide-line">
        {exports.map((datasetExport) => (
          <li key={datasetExport.id} id={`export-${datasetExport.id}`} className="grid gap-2 p-3 target:bg-raised">
            <Export view={datasetExport} job={datasetExport.job === null ? undefined : jobs[datasetExport.job]} />
          </li>
        ))}
      </ul>
    )}
  </Card>
);

function Export({ view, job }: { view: ExportView; job: Job | undefined }) {
  const { id, status, options, error, createdAt, createdBy } = view;
  const { format, objective, dialect, splits, includeImages, imageBase } = options;
  const role = useRole();
  const { label, canTune } = exportFormatLabels[format];
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <h3 className="font-medium">
          {label} · {objectiveLabels[objective].label}
        </h3>
        <WorkStatusBadge status={status} />
        <span className="font-mono text-xs text-muted">{shortId(id)}</span>
        <span className="text-xs text-muted">
          <TimeAgo time={createdAt} /> by {createdBy?.name ?? 'Pilothouse'}
        </span>
        {status === 'ready' && canTune && role === 'admin' && (
          <Link to={`/learning/tuning/new?export=${id}`} className={buttonClass({}, 'ml-auto')}>
            <GraduationCap aria-hidden="true" /> Tune with this export
          </Link>
        )}
      </div>
      <p className="text-xs text-muted">
        {dialectLabels[dialect]} · {splits.map((split) => splitLabels[split]).join(', ')} ·{' '}
        {includeImages ? 'with screenshots' : 'without screenshots'}
        {imageBase !== undefined && <span className="wrap-anywhere"> in {imageBase}</span>}
      </p>
      {job && isActiveJob(job) && (
        <div className="flex flex-wrap items-center gap-3">
          <div className="min-w-40 flex-1">
            <JobProgressBar job={job} label={`Progress of the export ${shortId(id)}`} />
          </div>
          {role !== undefined && roleIncludes(role, 'operator') && <JobActions job={job} />}
        </div>
      )}
      {(status === 'failed' || status === 'cancelled') && (
        <p className="text-sm text-bad wrap-anywhere">
          {error ?? 'The export was cancelled.'}{' '}
          {view.job !== null && (
            <Link to={`/learning/jobs/${view.job}`} className="underline">
              Show the job
            </Link>
          )}
        </p>
      )}
      {view.report && <Report report={view.report} />}
      {view.files.length > 0 && <Files view={view} canDownload={role === 'admin'} />}
    </>
  );
}

function Report({ report: { lines, examples, images, rejected } }: { report: NonNullable<ExportView['report']> }) {
  const rejectedCount = rejected.reduce((sum, { count: steps }) => sum + steps, 0);
  return (
    <div className="grid gap-1 text-sm">
      <p>
        {countOf(lines, 'line')} with {countOf(images, 'screenshot')} of {countOf(examples, 'step')}
        {rejectedCount > 0 && <span className="text-warn"> · {countOf(rejectedCount, 'step')} not exported</span>}
      </p>
      {rejected.length > 0 && (
        <details>
          <summary className="cursor-pointer text-sm text-muted">Steps that this format does not support</summary>
          <ul className="mt-1 grid gap-2 border-l-2 border-line pl-3">
            {rejected.map(({ reason, count: steps, steps: named }) => (
              <li key={reason}>
                <p className="wrap-anywhere">
                  {reason}: {countOf(steps, 'step')}
                </p>
                <StepLinks steps={named} total={steps} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Files({ view, canDownload }: { view: ExportView; canDownload: boolean }) {
  const { id, dataset, files, report, options } = view;
  const hasImageFiles = options.imageBase !== undefined || !exportFormatLabels[options.format].embedsImages;
  return (
    <div className="grid gap-1 text-sm">
      <ul className="flex flex-wrap gap-x-4 gap-y-1">
        {files.map(({ name, bytes, lines, sha256 }) => (
          <li key={name} title={`SHA-256 ${sha256}`}>
            {canDownload ? (
              <a
                href={`/learning/datasets/${dataset}/exports/${id}/${encodeURIComponent(name)}`}
                download={name}
                className="inline-flex items-center gap-1 underline [&>svg]:size-3.5"
              >
                <Download aria-hidden="true" />
                {name}
              </a>
            ) : (
              name
            )}{' '}
            <span className="text-xs text-muted">
              {size(bytes)}
              {lines !== null && `, ${countOf(lines, 'line')}`}
            </span>
          </li>
        ))}
      </ul>
      {canDownload && hasImageFiles && report !== null && report.images > 0 && (
        <p className="text-xs text-muted">
          Download all files with screenshots:{' '}
          <code className="wrap-anywhere">
            npx pilothouse datasets download {dataset} {id} --to {shortId(id)}
          </code>
        </p>
      )}
    </div>
  );
}
