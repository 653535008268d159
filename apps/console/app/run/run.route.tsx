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
import type { Story } from './run-state.ts';
import type { Connection } from './event-source.ts';
import { traceKind } from './tabs/debug-log.ts';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { Json } from '../shared/json-viewer.tsx';
import { Lost } from '../shell/connection-lost.tsx';
import { PageHead } from '../shell/page-header.tsx';
import { RunEvents } from './tabs/events-tab.tsx';
import { cancelRun } from '../runs/cancel-run-button.tsx';
import { RunCompile, type Compiled } from './compile-dialog.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunFiles } from './tabs/artifacts-tab.tsx';
import { RunLive } from './control/live-view.tsx';
import { RunOutput } from './tabs/output-tab.tsx';
import { RunProposals } from './tabs/proposals-tab.tsx';
import { RunQuestion } from './control/question-panel.tsx';
import { RunModels } from './tabs/model-usage-tab.tsx';
import { StepDetail } from './steps/step-detail.tsx';
import { Timeline } from './steps/step-timeline.tsx';
import { RunTraces } from './tabs/debug-log-tab.tsx';
import { RunVideo } from './tabs/video-tab.tsx';
import { ShortId } from '../shared/short-id.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { useRole } from '../shell/use-role.ts';
import { useStory } from './use-run-state.ts';
import { useWheel, type WheelHandle } from './control/use-control-session.ts';

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
  const what = answerOf(form) ?? intentOf(form, ['complete', 'reopen', 'cancel', 'retry', 'compile']);
  if (what === 'compile') return compile(asked, form);
  const { done, failure } = await tryApi(asked, async ({ api }) => {
    if (typeof what === 'object') return unwrapData(api.POST('/v1/runs/{run}/answer', { params, body: what }));
    switch (what) {
      case 'complete':
        return unwrapData(api.POST('/v1/runs/{run}/complete', { params, body: dismissalOf(form) }));
      case 'reopen':
        return unwrapData(api.POST('/v1/runs/{run}/reopen', { params }));
      case 'retry':
        return unwrapData(api.POST('/v1/runs/{run}/retry', { params }));
      case 'cancel':
        return unwrapData(api.POST('/v1/runs/{run}/cancel', { params }));
      default:
        return assertNever(what);
    }
  });
  if (done && what === 'retry') throw redirectTo(`/runs/${done.id}`);
  return { failure, compiled: undefined };
}

async function compile(asked: ActionFunctionArgs, form: FormData) {
  const params = { path: { run: asked.params.run ?? '' } };
  const body = { name: textOf(form, 'name').trim() || undefined, verify: textOf(form, 'verify') === 'on', inputs: {} };
  const { done, failure } = await tryApi(asked, ({ api }) =>
    unwrapData(api.POST('/v1/runs/{run}/compile', { params, body })),
  );
  const compiled: Compiled | undefined = done && {
    workflow: { name: done.workflow.name, version: done.workflow.version },
    notes: done.notes,
    verification: done.verification,
  };
  return { failure, compiled };
}

/** The stream tells what a change did; only another run is read anew. */
export const shouldRevalidate = ({ currentUrl, nextUrl }: { currentUrl: URL; nextUrl: URL }) =>
  currentUrl.pathname !== nextUrl.pathname;

export default function Run({ loaderData: { run, story: first, gone } }: { loaderData: Loaded }) {
  const { story, connection } = useStory(first);
  const role = useRole();
  const may = role !== undefined && role !== 'viewer';
  const wheel = useWheel(story);
  const [chosen, choose] = useState<number>();
  const [tab, setTab] = useState<TabName>();
  useEffect(() => {
    choose(undefined);
    setTab(undefined);
  }, [run.id]);
  // Until somebody chooses: what is at work, or what went wrong.
  const selected = chosen ?? interesting(story);
  const failure = useActionData<typeof action>()?.failure;
  return (
    <>
      <PageHead title={nameOf(run)} actions={may && <Actions run={run} story={story} />}>
        <RunStatusBadge status={story.status} />
        <ShortId id={run.id} />
        <Lost connection={connection} />
        <Link to="a2ui" className="text-xs text-muted underline" title="As its stream of A2UI draws it">
          Stream
        </Link>
      </PageHead>
      <RunFacts run={run} story={story} />
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {story.question && !(wheel.isMine && story.question.controlToken !== undefined) && (
        <RunQuestion story={story} question={story.question} wheel={wheel} may={may} />
      )}
      {story.error && (
        <div className="mb-3">
          <Notice tone="bad">
            <span className="font-mono text-xs">{story.error.code}</span> {story.error.message}
          </Notice>
        </div>
      )}
      {gone && story.seq <= first.seq ? (
        <Notice>The project no longer keeps the steps and events of this run.</Notice>
      ) : (
        <div className="grid items-start gap-3 lg:grid-cols-[minmax(20rem,2fr)_minmax(0,3fr)]">
          <Card flush className={story.status === 'running' ? 'run-haze' : ''}>
            <Timeline
              story={story}
              selected={selected}
              onSelect={(step) => {
                choose(step);
                if (tab !== 'video') setTab('step');
              }}
            />
          </Card>
          <Card
            flush
            className={classes('lg:sticky lg:top-3', story.status === 'awaiting_user' && 'max-lg:order-first')}
          >
            <Views
              run={run}
              story={story}
              connection={connection}
              wheel={wheel}
              may={may}
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

function interesting({ steps }: Story): number | undefined {
  const step =
    steps.find(({ status }) => status === 'failed') ??
    steps.findLast(({ status }) => status === 'running' || status === 'retrying' || status === 'interrupted') ??
    steps.findLast(({ status }) => status === 'completed') ??
    steps[0];
  return step?.index;
}

function Actions({ run, story: { status, cancelling, steps } }: { run: Loaded['run']; story: Story }) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const over = status === 'completed' || status === 'failed' || status === 'cancelled';
  const isGoal = steps.some(({ action }) => action === 'goal');
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'completed' && isGoal && <RunCompile key={run.id} name={run.workflow?.name ?? ''} />}
      {over && (
        <Link to="retry" className={buttonClass()}>
          <Pencil aria-hidden="true" /> Run again with…
        </Link>
      )}
      {over ? (
        <Form method="post">
          <Button type="submit" name="what" value="retry" disabled={busy}>
            <RotateCcw aria-hidden="true" /> Run again
          </Button>
        </Form>
      ) : (
        <ConfirmButton
          disabled={busy || cancelling !== null}
          ask={cancelRun(nameOf(run), () => void submit({ what: 'cancel' }, { method: 'post' }))}
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
  story: Story;
  connection: Connection;
  wheel: WheelHandle;
  may: boolean;
  selected: number | undefined;
  onStep: (step: number) => void;
  tab: TabName | undefined;
  onTab: (tab: TabName) => void;
}

function Views({ run, story, connection, wheel, may, selected, onStep, tab, onTab }: ViewsProps) {
  const isLive = run.surface === 'browser' && isAtWork.has(story.status);
  const videos = story.files.filter(({ kind }) => kind === 'video');
  const tabs = [
    // A connection that was gone begins the film anew.
    ...(isLive
      ? [
          {
            name: 'live' as const,
            title: 'Live',
            panel: () => <RunLive key={connection} story={story} wheel={wheel} may={may} />,
          },
        ]
      : []),
    {
      name: 'step' as const,
      title: 'Step',
      panel: () => (
        <StepDetail story={story} index={selected} workflow={may && run.workflow?.id ? run.workflow : null} />
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
                  <RunVideo key={video.id} story={story} video={video} selected={selected} onStep={onStep} />
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
        story.output === null ? (
          <p className="text-sm text-muted">
            {story.status === 'completed' ? 'This workflow has no output.' : 'It comes when the run has completed.'}
          </p>
        ) : (
          <RunOutput key={story.run} value={story.output} />
        ),
    },
    ...(story.status === 'completed' && story.steps.some(({ healed, action }) => healed !== null || action === 'goal')
      ? [{ name: 'proposals' as const, title: 'Proposals', panel: () => <RunProposals run={run.id} /> }]
      : []),
    ...(story.calls.length > 0
      ? [
          {
            name: 'models' as const,
            title: `Models (${story.calls.length})`,
            panel: () => <RunModels story={story} />,
          },
        ]
      : []),
    ...(['console', 'network'] as const).flatMap((name) => {
      const files = story.files.filter((file) => traceKind(file) === name);
      const title = name === 'console' ? 'Console' : 'Network';
      return files.length > 0
        ? [{ name, title, panel: () => <RunTraces key={name} run={run.id} files={files} /> }]
        : [];
    }),
    { name: 'files' as const, title: `Files (${story.files.length})`, panel: () => <RunFiles story={story} /> },
    {
      name: 'events' as const,
      title: `Events (${story.seq})`,
      panel: () => <RunEvents key={story.run} run={story.run} upTo={story.seq} />,
    },
    { name: 'inputs' as const, title: 'Inputs', panel: () => <Json value={run.inputs} label="Inputs" /> },
  ];
  // Until somebody chooses: what it does, what came of it, or what went wrong.
  const told = story.status === 'completed' && story.output !== null ? 'output' : 'step';
  const shown = (tab === 'live' && !isLive ? undefined : tab) ?? (isLive && story.status !== 'queued' ? 'live' : told);
  return <Tabs label="Views of the run" tabs={tabs} selected={shown} onSelect={onTab} />;
}
