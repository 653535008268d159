import { Button, buttonClass, Card, classes, Notice, Tabs } from '@pilothouse/ui-kit';
import { Pencil, RotateCcw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  Form,
  Link,
  useActionData,
  useNavigation,
  useSubmit,
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
} from 'react-router';
import { unwrapData } from '@pilothouse/client';
import { answerOf, dismissalOf } from './question-answer.server.ts';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { assertNever, intentOf } from '../api/intent.server.ts';
import { shortId } from '../shared/number-format.ts';
import { redirectTo } from '../auth/redirect.ts';
import { nameOf } from '../runs/run-row.ts';
import { readRun } from './run.loader.server.ts';
import type { RunState } from './run-state.ts';
import type { Connection } from './event-source.ts';
import { debugLogKind } from './tabs/debug-log.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { Json } from '../shared/json-viewer.tsx';
import { ConnectionStatus } from '../shell/connection-lost.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { EventsTab } from './tabs/events-tab.tsx';
import { cancelRunConfirmation } from '../runs/cancel-run-button.tsx';
import { CompileDialog, type CompileResult } from './compile-dialog.tsx';
import { RunFacts } from './run-facts.tsx';
import { ArtifactsTab } from './tabs/artifacts-tab.tsx';
import { LiveView } from './control/live-view.tsx';
import { OutputTab } from './tabs/output-tab.tsx';
import { ProposalsTab } from './tabs/proposals-tab.tsx';
import { QuestionPanel } from './control/question-panel.tsx';
import { ModelUsageTab } from './tabs/model-usage-tab.tsx';
import { StepDetail } from './steps/step-detail.tsx';
import { StepTimeline } from './steps/step-timeline.tsx';
import { DebugLogTab } from './tabs/debug-log-tab.tsx';
import { VideoTab } from './tabs/video-tab.tsx';
import { ShortId } from '../shared/short-id.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { useRole } from '../shell/use-role.ts';
import { useRunState } from './use-run-state.ts';
import { useControlSession, type PageControl } from './control/use-control-session.ts';

export const meta = ({ loaderData }: { loaderData?: Loaded }) => [
  { title: loaderData ? `${nameOf(loaderData.run)} ${shortId(loaderData.run.id)} · Pilothouse` : 'Run · Pilothouse' },
];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, (client) => readRun(client, asked.params.run ?? ''));
type Loaded = Awaited<ReturnType<typeof loader>>;

/** Answers the run's question, reopens its browser, cancels it, runs it again, or makes a workflow of it. */
export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const params = { path: { run: asked.params.run ?? '' } };
  const intent = answerOf(form) ?? intentOf(form, ['complete', 'reopen', 'cancel', 'retry', 'compile']);
  if (intent === 'compile') return compile(asked, form);
  const { done, failure } = await tryApi(asked, async ({ api }) => {
    if (typeof intent === 'object') return unwrapData(api.POST('/v1/runs/{run}/answer', { params, body: intent }));
    switch (intent) {
      case 'complete':
        return unwrapData(api.POST('/v1/runs/{run}/complete', { params, body: dismissalOf(form) }));
      case 'reopen':
        return unwrapData(api.POST('/v1/runs/{run}/reopen', { params }));
      case 'retry':
        return unwrapData(api.POST('/v1/runs/{run}/retry', { params }));
      case 'cancel':
        return unwrapData(api.POST('/v1/runs/{run}/cancel', { params }));
      default:
        return assertNever(intent);
    }
  });
  if (done && intent === 'retry') throw redirectTo(`/runs/${done.id}`);
  return { failure, compiled: undefined };
}

async function compile(asked: ActionFunctionArgs, form: FormData) {
  const params = { path: { run: asked.params.run ?? '' } };
  const body = { name: textOf(form, 'name').trim() || undefined, verify: textOf(form, 'verify') === 'on', inputs: {} };
  const { done, failure } = await tryApi(asked, ({ api }) =>
    unwrapData(api.POST('/v1/runs/{run}/compile', { params, body })),
  );
  const compiled: CompileResult | undefined = done && {
    workflow: { name: done.workflow.name, version: done.workflow.version },
    notes: done.notes,
    verification: done.verification,
  };
  return { failure, compiled };
}

/** The stream tells what a change did; only another run is read anew. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: { currentUrl: URL; nextUrl: URL }) =>
  currentUrl.pathname !== nextUrl.pathname;

export default function Run({ loaderData: { run, state: first, gone } }: { loaderData: Loaded }) {
  const { state, connection } = useRunState(first);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const control = useControlSession(state);
  const [chosen, choose] = useState<number>();
  const [tab, setTab] = useState<TabName>();
  useEffect(() => {
    choose(undefined);
    setTab(undefined);
  }, [run.id]);
  // Until somebody chooses: what is at work, or what went wrong.
  const selected = chosen ?? interesting(state);
  const failure = useActionData<typeof action>()?.failure;
  return (
    <>
      <PageHeader title={nameOf(run)} actions={canOperate && <Actions run={run} state={state} />}>
        <RunStatusBadge status={state.status} />
        <ShortId id={run.id} />
        <ConnectionStatus connection={connection} />
        <Link to="a2ui" className="text-xs text-muted underline" title="As its stream of A2UI draws it">
          Stream
        </Link>
      </PageHeader>
      <RunFacts run={run} state={state} />
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {state.question && !(control.isMine && state.question.controlToken !== undefined) && (
        <QuestionPanel state={state} question={state.question} control={control} canOperate={canOperate} />
      )}
      {state.error && (
        <div className="mb-3">
          <Notice tone="bad">
            <span className="font-mono text-xs">{state.error.code}</span> {state.error.message}
          </Notice>
        </div>
      )}
      {gone && state.seq <= first.seq ? (
        <Notice>The project no longer keeps the steps and events of this run.</Notice>
      ) : (
        <div className="grid items-start gap-3 lg:grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)]">
          <Card flush className={state.status === 'running' ? 'run-haze' : ''}>
            <StepTimeline
              state={state}
              selected={selected}
              onSelect={(step) => {
                choose(step);
                if (tab !== 'video') setTab('step');
              }}
            />
          </Card>
          <Card
            flush
            className={classes('lg:sticky lg:top-3', state.status === 'awaiting_user' && 'max-lg:order-first')}
          >
            <Views
              run={run}
              state={state}
              connection={connection}
              control={control}
              canOperate={canOperate}
              selected={selected}
              onStep={choose}
              tab={tab}
              onTab={setTab}
            />
          </Card>
        </div>
      )}
    </>
  );
}

function interesting({ steps }: RunState): number | undefined {
  const step =
    steps.find(({ status }) => status === 'failed') ??
    steps.findLast(({ status }) => status === 'running' || status === 'retrying' || status === 'interrupted') ??
    steps.findLast(({ status }) => status === 'completed') ??
    steps[0];
  return step?.index;
}

function Actions({ run, state: { status, cancelling, steps } }: { run: Loaded['run']; state: RunState }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const over = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isGoal = steps.some(({ action }) => action === 'goal');
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'completed' && isGoal && <CompileDialog key={run.id} name={run.workflow?.name ?? ''} />}
      {over && (
        <Link to="retry" className={buttonClass()}>
          <Pencil aria-hidden="true" /> Run again with…
        </Link>
      )}
      {over ? (
        <Form method="post">
          <Button type="submit" name="intent" value="retry" disabled={busy}>
            <RotateCcw aria-hidden="true" /> Run again
          </Button>
        </Form>
      ) : (
        <ConfirmButton
          disabled={busy || cancelling !== null}
          ask={cancelRunConfirmation(nameOf(run), () => void submit({ intent: 'cancel' }, { method: 'post' }))}
        >
          <X aria-hidden="true" /> {cancelling === null ? 'Cancel' : 'Cancelling…'}
        </ConfirmButton>
      )}
    </div>
  );
}

type TabName =
  'live' | 'step' | 'output' | 'proposals' | 'video' | 'models' | 'console' | 'network' | 'files' | 'events' | 'inputs';

/** In these there is a browser to look at, or soon will be. */
const isAtWork: ReadonlySet<string> = new Set(['queued', 'running', 'awaiting_user']);

interface ViewsProps {
  run: Loaded['run'];
  state: RunState;
  connection: Connection;
  control: PageControl;
  canOperate: boolean;
  selected: number | undefined;
  onStep: (step: number) => void;
  tab: TabName | undefined;
  onTab: (tab: TabName) => void;
}

function Views({ run, state, connection, control, canOperate, selected, onStep, tab, onTab }: ViewsProps) {
  const isLive = run.surface === 'browser' && isAtWork.has(state.status);
  const videos = state.files.filter(({ kind }) => kind === 'video');
  const tabs = [
    // A connection that was gone begins the film anew.
    ...(isLive
      ? [
          {
            name: 'live' as const,
            title: 'Live',
            panel: () => <LiveView key={connection} state={state} control={control} canOperate={canOperate} />,
          },
        ]
      : []),
    {
      name: 'step' as const,
      title: 'Step',
      panel: () => (
        <StepDetail state={state} index={selected} workflow={canOperate && run.workflow?.id ? run.workflow : null} />
      ),
    },
    ...(videos.length > 0
      ? [
          {
            name: 'video' as const,
            title: 'Video',
            panel: () => (
              <div className="grid gap-3">
                {videos.map((video) => (
                  <VideoTab key={video.id} state={state} video={video} selected={selected} onStep={onStep} />
                ))}
              </div>
            ),
          },
        ]
      : []),
    {
      name: 'output' as const,
      title: 'Output',
      panel: () =>
        state.output === null ? (
          <p className="text-sm text-muted">
            {state.status === 'completed' ? 'This workflow has no output.' : 'It comes when the run has completed.'}
          </p>
        ) : (
          <OutputTab key={state.run} value={state.output} />
        ),
    },
    ...(state.status === 'completed' && state.steps.some(({ healedElement, action }) => healedElement !== null || action === 'goal')
      ? [{ name: 'proposals' as const, title: 'Proposals', panel: () => <ProposalsTab run={run.id} /> }]
      : []),
    ...(state.calls.length > 0
      ? [
          {
            name: 'models' as const,
            title: `Models (${state.calls.length})`,
            panel: () => <ModelUsageTab state={state} />,
          },
        ]
      : []),
    ...(['console', 'network'] as const).flatMap((name) => {
      const files = state.files.filter((file) => debugLogKind(file) === name);
      const title = name === 'console' ? 'Console' : 'Network';
      return files.length > 0
        ? [{ name, title, panel: () => <DebugLogTab key={name} run={run.id} files={files} /> }]
        : [];
    }),
    { name: 'files' as const, title: `Files (${state.files.length})`, panel: () => <ArtifactsTab state={state} /> },
    {
      name: 'events' as const,
      title: `Events (${state.seq})`,
      panel: () => <EventsTab key={state.run} run={state.run} upTo={state.seq} />,
    },
    { name: 'inputs' as const, title: 'Inputs', panel: () => <Json value={run.inputs} label="Inputs" /> },
  ];
  // Until somebody chooses: what it does, what came of it, or what went wrong.
  const told = state.status === 'completed' && state.output !== null ? 'output' : 'step';
  const shown = (tab === 'live' && !isLive ? undefined : tab) ?? (isLive && state.status !== 'queued' ? 'live' : told);
  return <Tabs label="Views of the run" tabs={tabs} selected={shown} onSelect={onTab} />;
}
