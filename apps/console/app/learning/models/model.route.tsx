import { unwrapData } from '@pilothouse/client';
import { Card, Cell, Table } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { FactList } from '../fact-list.tsx';
import { EvaluateDialog } from './evaluate-dialog.tsx';
import { EvaluationCard } from './evaluation-card.tsx';
import { evaluationJobsOf, metricLabel, metricsOf, metricText } from './evaluation-metrics.ts';
import { StageBadge, stageText } from './model-stages.tsx';
import { RateWithInterval } from './rate-with-interval.tsx';
import { ShadowCard } from './shadow-card.tsx';
import { stageActionsOf } from './stage-actions.ts';
import { StageDialog } from './stage-dialog.tsx';

const REFRESH_INTERVAL_MS = 10_000;
const MAX_EVALUATION_JOBS = 100;
const MAX_DATASETS = 200;

export { action } from './model.actions.server.ts';

export const meta = ({ params }: { params: { model?: string } }) => [{ title: `${params.model} · Pilothouse` }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const params = { path: { model: args.params.model ?? '' } };
    const [model, jobs, datasets] = await Promise.all([
      unwrapData(api.GET('/v1/registry/models/{model}', { params })),
      unwrapData(
        api.GET('/v1/learning/jobs', { params: { query: { kind: ['evaluate'], limit: MAX_EVALUATION_JOBS } } }),
      ),
      unwrapData(api.GET('/v1/datasets', { params: { query: { limit: MAX_DATASETS } } })),
    ]);
    const ready = datasets.items.filter(({ status }) => status === 'ready');
    return {
      model,
      ...evaluationJobsOf(model, jobs.items),
      datasets: ready.map(({ id, name, version }) => ({ id, label: `${name} v${version}` })),
    };
  });

export default function Model({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { model, baseEvaluations, unfinished, datasets } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const role = useRole();
  const { evaluations, others } = metricsOf(model.metrics);
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Models', href: '/learning/models' }, { label: model.name }]}
        title={model.name}
        actions={
          role !== undefined &&
          role !== 'viewer' && (
            <>
              <EvaluateDialog name={model.name} base={model.base} datasets={datasets} />
              {role === 'admin' &&
                stageActionsOf(model).map((change) => (
                  <StageDialog key={change.intent} name={model.name} change={change} />
                ))}
            </>
          )
        }
      >
        <StageBadge model={model} />
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <div className="grid gap-3">
        <Card title="Model">
          {model.description !== null && <p className="mb-3 text-sm wrap-anywhere">{model.description}</p>}
          <FactList
            facts={[
              ['Model', model.model],
              ['Base', model.base ?? 'Models of the project'],
              ['Role', model.role ?? 'All'],
              ['Surface', model.surface ?? 'All'],
              ['Dialect', model.dialect ?? 'That of the project'],
              ['Dataset', model.dataset === null ? '—' : <ResourceLink href={`/learning/datasets/${model.dataset}`} />],
              ['Tuning job', model.job === null ? '—' : <ResourceLink href={`/learning/tuning/${model.job}`} />],
            ]}
          />
        </Card>
        {(model.stage === 'shadow' || model.shadow) && <ShadowCard stats={model.shadow} />}
        {model.runs && (
          <Card title="Run success">
            <FactList
              facts={[
                ['With the model', <RateWithInterval key="candidate" rate={model.runs.candidate} empty="No runs" />],
                ['Without the model', <RateWithInterval key="base" rate={model.runs.base} empty="No runs" />],
              ]}
            />
          </Card>
        )}
        <EvaluationCard evaluations={[...evaluations, ...baseEvaluations]} jobs={unfinished} />
        {others.length > 0 && (
          <Card title="Metrics">
            <FactList facts={others.map(([name, value]) => [metricLabel(name), metricText(value)])} />
          </Card>
        )}
        <Card title="History" flush>
          <Table label="History of the stage" head={['From', 'To', 'Reason', 'By', 'Time']}>
            {model.transitions.map(
              ({ from: previousStage, to: stage, canaryPercent, shadowPercent, reason, by: actor, at: time }) => (
                <tr key={`${time} ${stage}`}>
                  <Cell className="whitespace-nowrap">{stageText(previousStage, null)}</Cell>
                  <Cell className="whitespace-nowrap">{stageText(stage, canaryPercent ?? shadowPercent)}</Cell>
                  <Cell className="min-w-56 py-1.5 wrap-anywhere">{reason ?? '—'}</Cell>
                  <Cell>{actor?.name ?? 'Pilothouse'}</Cell>
                  <Cell className="text-muted">
                    <TimeAgo time={time} />
                  </Cell>
                </tr>
              ),
            )}
          </Table>
          {model.transitions.length === 0 && (
            <p className="p-3 text-sm text-muted">The stage did not change since the registration.</p>
          )}
        </Card>
      </div>
    </>
  );
}

const ResourceLink = ({ href }: { href: string }) => (
  <Link to={href} className="underline">
    Open
  </Link>
);
