import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Suspense } from 'react';
import type { RunState, StepState } from '../run-state.ts';
import { debugLogKind, type DebugLog } from '../tabs/debug-log.ts';
import { DebugLogTab } from '../tabs/lazy-debug-log-tab.ts';

const labels = {
  console: {
    notRecorded: 'Console messages were not recorded.',
    instruction: 'Start a run with “Browser console log”, or set capture.console to true.',
  },
  network: {
    notRecorded: 'Network requests were not recorded.',
    instruction: 'Start a run with “Network log (HAR)”, or set capture.har to headers or bodies.',
  },
} as const;

export interface StepDebugLogProps {
  kind: DebugLog['kind'];
  run: RunView;
  state: RunState;
  step: StepState;
}

/** Console messages or network requests between the start and the end of a step. */
export function StepDebugLog({ kind, run, state, step }: StepDebugLogProps) {
  const files = state.artifacts.filter((artifact) => debugLogKind(artifact) === kind);
  const { notRecorded, instruction } = labels[kind];
  const isRecorded = kind === 'console' ? run.capture.console : (run.capture.har ?? 'none') !== 'none';
  const hint = (text: string) => <p className="text-sm text-muted">{text}</p>;
  if (step.startedAt === null) return hint('The step has not started.');
  if (files.length > 0)
    return (
      <Suspense fallback={hint('Loading…')}>
        <DebugLogTab run={run.id} files={files} timeQuery={timeQueryOf(step)} />
      </Suspense>
    );
  if (!isRecorded) return hint(`${notRecorded} ${instruction}`);
  return hint(state.finishedAt === null ? 'Available when the run ends.' : 'No entries.');
}

/** Query string with the start and end of a step. Without an end there is no `to`. */
const timeQueryOf = ({ startedAt, finishedAt }: StepState): string =>
  new URLSearchParams({ from: startedAt ?? '', ...(finishedAt !== null && { to: finishedAt }) }).toString();
