import { unwrapData } from '@pilothouse/client';
import { Card, Notice } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { count, dollars } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { ShortId } from '../../shared/copyable-values.tsx';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { FactList } from '../fact-list.tsx';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { JobActions } from '../jobs/job-actions.tsx';
import { jobAdviceOf } from '../jobs/job-advice.server.ts';
import { JobErrorNotice } from '../jobs/job-error-notice.tsx';
import { isActiveJob } from '../jobs/job-labels.ts';
import { useJobUpdates } from '../use-job-updates.ts';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { LossChart } from './loss-chart.tsx';
import { registeredNameOf, requestOf } from './tuning-job.ts';
import { tunerLabels } from './tuning-form.ts';

export const meta = ({ loaderData }: { loaderData?: Awaited<ReturnType<typeof loader>> }) => [
  { title: `${loaderData ? requestOf(loaderData.job).name : 'Tuning job'} · Pilothouse` },
];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const params = { path: { job: args.params.job ?? '' } };
    const [events, job] = await Promise.all([
      unwrapData(api.GET('/v1/tuning/jobs/{job}/events', { params })),
      unwrapData(api.GET('/v1/learning/jobs/{job}', { params })),
    ]);
    return { job, events, advice: jobAdviceOf(job) };
  });

export default function TuningJob({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { job, events, advice } = loaderData;
  const connection = useJobUpdates(job);
  const role = useRole();
  const { name, tuner, endpoint, baseModel, method } = requestOf(job);
  const model = registeredNameOf(job);
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Tuning', href: '/learning/tuning' }, { label: name }]}
        title={name}
        actions={role !== undefined && role !== 'viewer' && <JobActions job={job} />}
      >
        <JobStatusBadge job={job} />
        <ShortId id={job.id} />
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <div className="grid gap-3">
        <JobErrorNotice job={job} advice={advice} />
        {model !== null && (
          <Notice tone="good">
            The model is registered as{' '}
            <Link to={`/learning/models/${model}`} className="underline">
              {model}
            </Link>
            . Runs do not use it until you start a canary or promote it.
          </Notice>
        )}
        <Card title="Progress">
          <div className="grid gap-3">
            <JobProgressBar job={job} label="Progress of the tuning job" />
            <FactList
              facts={[
                ['Tuner', `${tunerLabels[tuner]} at ${endpoint}`],
                ['Base model', baseModel],
                ['Method', method === 'preference' ? 'Preference pairs' : 'Supervised'],
                ['Id at the tuner', events.tunerJob ?? '—'],
                ['Trained tokens', events.trainedTokens === null ? '—' : count(events.trainedTokens)],
                ['Cost', events.usd === null ? 'Not known' : dollars(events.usd)],
              ]}
            />
          </div>
        </Card>
        <Card title="Loss">
          {events.loss.length === 0 ? (
            <p className="text-sm text-muted">
              {tuner === 'vertex'
                ? 'Vertex AI shows the loss in its experiment.'
                : isActiveJob(job)
                  ? 'The loss appears when the tuner reports it.'
                  : 'The tuner reported no loss.'}
            </p>
          ) : (
            <LossChart loss={events.loss} />
          )}
        </Card>
        <div className="grid items-start gap-3 lg:grid-cols-2">
          <Card title="States">
            {events.states.length === 0 ? (
              <p className="text-sm text-muted">The tuning job has not started at the tuner.</p>
            ) : (
              <ol aria-label="States" className="grid gap-1 text-sm">
                {events.states.map(({ state, at: time }) => (
                  <li key={time} className="flex flex-wrap justify-between gap-x-3">
                    <span className="font-mono text-xs wrap-anywhere">{state}</span>
                    <span className="text-xs text-muted">
                      <TimeAgo time={time} />
                    </span>
                  </li>
                ))}
              </ol>
            )}
          </Card>
          <Card title="Log">
            {events.messages.length === 0 ? (
              <p className="text-sm text-muted">The tuner has sent no log lines.</p>
            ) : (
              <ol
                aria-label="Log"
                tabIndex={0}
                className="grid max-h-96 gap-1 overflow-y-auto font-mono text-xs focus-visible:-outline-offset-2"
              >
                {events.messages.map(({ at: time, text }, index) => (
                  <li key={index} className="wrap-anywhere">
                    {time !== null && <span className="mr-2 text-muted">{time.slice(0, 19).replace('T', ' ')}</span>}
                    {text}
                  </li>
                ))}
              </ol>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}
