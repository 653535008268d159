import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Tabs } from '@pilothouse/ui-kit';
import { Suspense, type ReactNode, lazy } from 'react';
import { Json } from '../shared/json-viewer.tsx';
import { LiveView } from './control/live-view.tsx';
import type { PageControl } from './control/use-control-session.ts';
import type { Connection } from '../shared/event-source.ts';
import type { RunState } from './run-state.ts';
import { StepDetail } from './steps/step-detail.tsx';
import { debugLogKind } from './tabs/debug-log.ts';
import { DebugLogTab } from './tabs/lazy-debug-log-tab.ts';

// Tabs that not every viewer of a run opens. Their code loads when they are shown.
const ArtifactsTab = lazy(() => import('./tabs/artifacts-tab.tsx'));
const EventsTab = lazy(() => import('./tabs/events-tab.tsx'));
const ModelUsageTab = lazy(() => import('./tabs/model-usage-tab.tsx'));
const OutputTab = lazy(() => import('./tabs/output-tab.tsx'));
const ProposalsTab = lazy(() => import('./tabs/proposals-tab.tsx'));
const VideoTab = lazy(() => import('./tabs/video-tab.tsx'));

export type TabName =
  | 'live'
  | 'step'
  | 'output'
  | 'proposals'
  | 'video'
  | 'models'
  | 'console'
  | 'network'
  | 'artifacts'
  | 'events'
  | 'inputs';

export interface RunTabsProps {
  run: RunView;
  state: RunState;
  connection: Connection;
  control: PageControl;
  canOperate: boolean;
  selected: number | undefined;
  onStep: (step: number) => void;
  tab: TabName | undefined;
  onTab: (tab: TabName) => void;
}

interface TabSpec {
  name: TabName;
  title: (state: RunState) => string;
  isShown: (state: RunState, run: RunView) => boolean;
  panel: (props: RunTabsProps) => ReactNode;
}

/** Statuses in which the run has a surface, or is about to get one. */
const liveStatuses: ReadonlySet<string> = new Set(['queued', 'running', 'awaiting_user']);

const isLive = ({ status }: RunState) => liveStatuses.has(status);

const videosOf = ({ artifacts }: RunState) => artifacts.filter(({ kind }) => kind === 'video');

const debugLogTab = (name: 'console' | 'network', title: string): TabSpec => {
  const filesOf = ({ artifacts }: RunState) => artifacts.filter((artifact) => debugLogKind(artifact) === name);
  return {
    name,
    title: () => title,
    isShown: (state) => filesOf(state).length > 0,
    panel: ({ run, state }) => <DebugLogTab key={name} run={run.id} files={filesOf(state)} />,
  };
};

/** Tabs of the run page, in their order. */
const tabs: readonly TabSpec[] = [
  {
    name: 'live',
    title: () => 'Live',
    isShown: isLive,
    // A lost connection restarts the screencast.
    panel: ({ connection, state, control, canOperate }) => (
      <LiveView key={connection} state={state} control={control} canOperate={canOperate} />
    ),
  },
  {
    name: 'step',
    title: () => 'Step',
    isShown: () => true,
    panel: ({ run, state, selected, canOperate }) => (
      <StepDetail
        run={run}
        state={state}
        index={selected}
        workflow={canOperate && run.workflow?.id ? run.workflow : null}
      />
    ),
  },
  {
    name: 'video',
    title: () => 'Video',
    isShown: (state) => videosOf(state).length > 0,
    panel: ({ state, selected, onStep }) => (
      <div className="grid gap-3">
        {videosOf(state).map((video) => (
          <VideoTab key={video.id} state={state} video={video} selected={selected} onStep={onStep} />
        ))}
      </div>
    ),
  },
  {
    name: 'output',
    title: () => 'Output',
    isShown: () => true,
    panel: ({ state }) =>
      state.output === null ? (
        <p className="text-sm text-muted">{isLive(state) ? 'Available when the run completes.' : 'No output.'}</p>
      ) : (
        <OutputTab key={state.run} run={state.run} value={state.output} artifacts={state.artifacts} />
      ),
  },
  {
    name: 'proposals',
    title: () => 'Proposals',
    isShown: ({ status, steps }) =>
      status === 'completed' && steps.some(({ healedElement, action }) => healedElement !== null || action === 'goal'),
    panel: ({ run }) => <ProposalsTab run={run.id} />,
  },
  {
    name: 'models',
    title: ({ calls }) => `Model calls (${calls.length})`,
    isShown: ({ calls }) => calls.length > 0,
    panel: ({ state }) => <ModelUsageTab state={state} />,
  },
  debugLogTab('console', 'Console'),
  debugLogTab('network', 'Network'),
  {
    name: 'artifacts',
    title: ({ artifacts }) => `Artifacts (${artifacts.length})`,
    isShown: () => true,
    panel: ({ state }) => <ArtifactsTab state={state} />,
  },
  {
    name: 'events',
    title: ({ seq }) => `Events (${seq})`,
    isShown: () => true,
    panel: ({ state }) => <EventsTab key={state.run} run={state.run} latestSeq={state.seq} />,
  },
  {
    name: 'inputs',
    title: () => 'Inputs',
    isShown: () => true,
    panel: ({ run }) => <Json value={run.inputs} label="Inputs" />,
  },
];

/** The tabs of a run. Without a choice of the viewer: the live view, the output of a completed run, or the selected step. */
export function RunTabs(props: RunTabsProps) {
  const { run, state, tab, onTab } = props;
  const hasLiveTab = isLive(state);
  const selectedTab = tab === 'live' && !hasLiveTab ? undefined : tab;
  const fallback = state.status === 'completed' && state.output !== null ? 'output' : 'step';
  return (
    <Tabs
      label="Run details"
      tabs={tabs
        .filter(({ isShown }) => isShown(state, run))
        .map(({ name, title, panel }) => ({
          ...{ name, title: title(state) },
          panel: () => <Suspense fallback={<p className="text-sm text-muted">Loading…</p>}>{panel(props)}</Suspense>,
        }))}
      selected={selectedTab ?? (hasLiveTab && state.status !== 'queued' ? 'live' : fallback)}
      onSelect={onTab}
    />
  );
}
