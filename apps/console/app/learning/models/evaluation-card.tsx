import type { Job } from '@pilothouse/contract/job/job.schema';
import type { EvaluationRate, EvaluationResult } from '@pilothouse/contract/learning/offline-evaluation.schema';
import { Card, Cell, Table } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { formatDuration } from '../../shared/duration.ts';
import { count, dollars } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { jobSubjectOf } from '../jobs/job-labels.ts';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { RateWithInterval } from './rate-with-interval.tsx';

export interface EvaluationCardProps {
  /** Results of the model and its base. */
  evaluations: readonly EvaluationResult[];
  /** Evaluations without a result. */
  jobs: readonly Job[];
}

const share = ({ successes, trials }: EvaluationRate) =>
  trials === 0 ? '—' : `${Math.round((successes / trials) * 100)}%`;

/** Answers of the model and its base to recorded turns, compared with the labels of datasets. */
export const EvaluationCard = ({ evaluations, jobs }: EvaluationCardProps) => (
  <Card title="Evaluation" flush>
    {evaluations.length > 0 && (
      <Table
        label="Results of evaluations"
        head={['Dataset', 'Model', 'Match', 'Kind', 'Target', 'Text', 'Distance', 'Errors', 'Latency', 'Cost', 'Job']}
      >
        {evaluations.toSorted(byDataset).map((result) => (
          <ResultRow key={result.job} result={result} />
        ))}
      </Table>
    )}
    {jobs.length > 0 && (
      <ul aria-label="Evaluations without a result" className="grid gap-2 p-3 text-sm">
        {jobs.map((job) => (
          <li key={job.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <JobStatusBadge job={job} />
            <Link to={`/learning/jobs/${job.id}`} className="underline wrap-anywhere">
              Evaluation of {jobSubjectOf(job)}
            </Link>
            <span className="text-xs text-muted">
              <TimeAgo time={job.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    )}
    {evaluations.length + jobs.length === 0 && (
      <p className="p-3 text-sm text-muted">
        The model was not evaluated. An evaluation compares its answers with the labels of a dataset.
      </p>
    )}
  </Card>
);

const byDataset = (a: EvaluationResult, b: EvaluationResult) => a.dataset.localeCompare(b.dataset);

function ResultRow({ result }: { result: EvaluationResult }) {
  const {
    dataset,
    model,
    actionMatchRate,
    kindMatchRate,
    targetMatchRate,
    textMatchRate,
    grounding,
    errors,
    latencyMs,
    usd,
    job,
  } = result;
  return (
    <tr>
      <Cell className="min-w-36 py-1.5 wrap-anywhere">{dataset}</Cell>
      <Cell className="min-w-40 py-1.5 wrap-anywhere">{model}</Cell>
      <Cell className="whitespace-nowrap">
        <RateWithInterval rate={actionMatchRate} empty="—" />
      </Cell>
      <Cell className="whitespace-nowrap">{share(kindMatchRate)}</Cell>
      <Cell className="whitespace-nowrap">{share(targetMatchRate)}</Cell>
      <Cell className="whitespace-nowrap">{share(textMatchRate)}</Cell>
      <Cell className="whitespace-nowrap">{grounding ? `${Math.round(grounding.medianPixels)} px` : '—'}</Cell>
      <Cell>{count(errors.reduce((sum, problem) => sum + problem.count, 0))}</Cell>
      <Cell className="whitespace-nowrap">{latencyMs ? formatDuration(latencyMs.median) : '—'}</Cell>
      <Cell>{usd === null ? '—' : dollars(usd)}</Cell>
      <Cell>
        <Link to={`/learning/jobs/${job}`} className="underline" aria-label={`Open the job that evaluated ${model}`}>
          Open
        </Link>
      </Cell>
    </tr>
  );
}
