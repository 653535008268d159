import { Card, classes, Notice } from '@pilothouse/ui-kit';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, useActionData, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { readRows } from '../runs/run-page.server.ts';
import { runTitle } from '../runs/run-row.ts';
import { runBreadcrumbs } from '../page/breadcrumbs.tsx';
import { shortId } from '../shared/number-format.ts';
import { ShortId } from '../shared/copyable-values.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { useRole } from '../page/use-role.ts';
import { FailureTable } from './lazy-failure-table.tsx';
import { failedStepOf, imagesOf } from './run-state-selectors.ts';
import { useControlSession } from './control/use-control-session.ts';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import type { RunState } from './run-state.ts';
import { RunTabs, type TabName } from './run-tabs.tsx';
import type { action } from './run.actions.server.ts';
import { readRun } from './run.loader.server.ts';
import { SurfaceContext } from '../shared/surface-labels.ts';
import { ScreenshotTimeline } from './steps/screenshot-timeline.tsx';
import { StepTimeline } from './steps/step-timeline.tsx';
import { useStepLink } from './steps/use-step-link.ts';
import { useRunState } from './use-run-state.ts';

// Most runs ask nothing.
const QuestionPanel = lazy(async () => ({ default: (await import('./question/question-panel.tsx')).QuestionPanel }));

// Most runs start no other runs.
const ChildRuns = lazy(async () => ({ default: (await import('./child-runs.tsx')).ChildRuns }));

export { action } from './run.actions.server.ts';

export const meta = ({ loaderData }: { loaderData?: Loaded }) => [
  { title: loaderData ? `${runTitle(loaderData.run)} ${shortId(loaderData.run.id)} · Pilothouse` : 'Run · Pilothouse' },
];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const { run = '' } = args.params;
    const search = new URLSearchParams({ parent: run });
    const [loaded, children] = await Promise.all([readRun(client, run), readRows(client, search)]);
    return { ...loaded, children: { first: children, search: String(search) } };
  });
type Loaded = Awaited<ReturnType<typeof loader>>;

/** The event stream reports changes. Only another run is loaded again. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: { currentUrl: URL; nextUrl: URL }) =>
  currentUrl.pathname !== nextUrl.pathname;

export default function Run({
  loaderData: { run, state: first, isDeleted, hasTrace, children },
}: {
  loaderData: Loaded;
}) {
  const { state, connection } = useRunState(first);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const control = useControlSession(state);
  const [linkedStep, selectStep] = useStepLink(state);
  const [tab, setTab] = useState<TabName>();
  useEffect(() => setTab(undefined), [run.id]);
  const selected = linkedStep ?? defaultStep(state);
  const showStep = (step: number) => {
    selectStep(step);
    if (tab !== 'video') setTab('step');
  };
  const failure = useActionData<typeof action>()?.failure;
  const failedStep = failedStepOf(state);
  return (
    <SurfaceContext value={run.surface}>
      <PageHeader
        breadcrumbs={runBreadcrumbs(run)}
        title={runTitle(run)}
        actions={canOperate && <RunActions run={run} state={state} />}
      >
        <RunStatusBadge status={state.status} />
        <ShortId id={run.id} />
        <ConnectionStatus connection={connection} />
        {run.workflow && (
          <Link to={`/runs/compare?right=${run.id}`} className="text-xs text-muted underline">
            Compare with previous run
          </Link>
        )}
        {hasTrace && (
          <Link to={`/learning/traces/${run.id}?review=all`} className="text-xs text-muted underline">
            Trace
          </Link>
        )}
        <Link to="a2ui" className="text-xs text-muted underline" title="Open the A2UI view of this run">
          A2UI view
        </Link>
      </PageHeader>
      <RunFacts run={run} state={state} />
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {state.question && !(control.isMine && state.question.controlToken !== undefined) && (
        <Suspense>
          <QuestionPanel state={state} question={state.question} control={control} canOperate={canOperate} />
        </Suspense>
      )}
      {state.error && (
        <div className="mb-3">
          <FailureTable
            run={run}
            error={state.error}
            step={failedStep}
            hasScreenshot={failedStep !== undefined && imagesOf(state, failedStep.index).imageAfter !== undefined}
            workflow={canOperate && run.workflow?.id ? run.workflow : null}
          />
        </div>
      )}
      {(children.first.rows.length > 0 || first.finishedAt === null) && (
        <Suspense fallback={null}>
          <ChildRuns key={run.id} {...children} />
        </Suspense>
      )}
      {isDeleted && state.seq <= first.seq ? (
        <Notice>Steps and events were deleted by the retention policy.</Notice>
      ) : (
        <>
          <ScreenshotTimeline state={state} selected={selected} onSelect={showStep} />
          <div className="grid items-start gap-3 lg:grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)]">
            <Card flush className={state.status === 'running' ? 'run-haze' : ''}>
              <StepTimeline state={state} selected={selected} onSelect={showStep} />
            </Card>
            <Card
              flush
              className={classes('lg:sticky lg:top-3', state.status === 'awaiting_user' && 'max-lg:order-first')}
            >
              <RunTabs
                run={run}
                state={state}
                connection={connection}
                control={control}
                canOperate={canOperate}
                selected={selected}
                onStep={selectStep}
                tab={tab ?? (linkedStep === undefined ? undefined : 'step')}
                onTab={setTab}
              />
            </Card>
          </div>
        </>
      )}
    </SurfaceContext>
  );
}

/** The step that is shown until the viewer selects one: the failed step, the active step or the last completed one. */
function defaultStep({ steps }: RunState): number | undefined {
  const step =
    steps.find(({ status }) => status === 'failed') ??
    steps.findLast(({ status }) => status === 'running' || status === 'retrying' || status === 'interrupted') ??
    steps.findLast(({ status }) => status === 'completed') ??
    steps[0];
  return step?.index;
}
