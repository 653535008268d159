import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import { isUnverified } from '@pilothouse/contract/run/outcome';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { Badge, Notice, Cell, classes, Table } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { count } from '../../shared/number-format.ts';
import { stepFragment } from '../../workflow-document/yaml-path.ts';
import { tierNames } from '../tier-usage.ts';
import { FailureTable } from '../lazy-failure-table.tsx';
import { imagesOf, displayStatusOf, failedStepOf } from '../run-state-selectors.ts';
import type { AnswerSource, RunState, RunArtifact, StepResult, StepState, Turn } from '../run-state.ts';
import { outcomeTexts, unverifiedText } from './result-text.ts';
import { formatDuration, elapsedMs } from '../../shared/duration.ts';
import { Json } from '../../shared/json-viewer.tsx';
import { placeLabel } from '../../shared/surface-labels.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { FilesOfValue } from '../artifact-link.tsx';
import { CopyLinkButton } from './copy-link-button.tsx';
import { ModelCalls } from '../tabs/model-calls.tsx';
import { Disclosure } from './disclosure.tsx';
import { triedLocatorsOf, type TriedLocator } from './tried-locators.ts';
import { StepDebugLog } from './step-debug-log.tsx';
import { StepSourceView } from './step-source.tsx';
import { turnOutcomeLabels, turnTimesOf, type TurnTime } from './turn-bars.ts';
import { stepHref } from './use-step-link.ts';

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-1.5">
    <h3 className="text-xs font-medium text-muted">{title}</h3>
    {children}
  </section>
);

export interface StepDetailProps {
  run: RunView;
  state: RunState;
  index: number | undefined;
  /** Workflow that the viewer may edit; null: none. */
  workflow: RunView['workflow'];
}

export function StepDetail({ run, state, index, workflow }: StepDetailProps) {
  const step = state.steps.find((candidate) => candidate.index === index);
  if (!step) return <p className="text-sm text-muted">Select a step.</p>;
  const { imageBefore, imageAfter } = imagesOf(state, step.index);
  const calls = state.calls.filter((call) => call.step === step.index);
  const ms = step.finishedAt === null ? undefined : elapsedMs(step.startedAt, step.finishedAt, 0);
  const thinking = state.thinking.filter((thought) => thought.step === step.index);
  const locators = triedLocatorsOf(step);
  const turnTimes = turnTimesOf(step);
  const turns = step.turns.length + thinking.filter(({ subject }) => subject === undefined).length;
  return (
    <div className="grid grid-cols-1 gap-4">
      <div className="grid gap-1">
        <h2 className="text-base font-semibold wrap-anywhere">{step.title}</h2>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span className="font-mono">{step.action}</span>
          {step.tier !== null && <Badge tone={step.tier !== 'replay' ? 'live' : 'plain'}>{tierNames[step.tier]}</Badge>}
          {step.startedAt && <TimeAgo time={step.startedAt} />}
          {ms !== undefined && <span>{formatDuration(ms)}</span>}
          {workflow && (
            <Link
              to={`/workflows/${workflow.name}/edit?version=${workflow.version}#${stepFragment(step.path)}`}
              className="underline"
            >
              Edit this step
            </Link>
          )}
          <CopyLinkButton href={stepHref(state.run, step)} />
        </div>
        {step.page && (
          <p className="truncate text-xs text-muted" title={placeLabel(step.page)}>
            {placeLabel(step.page)}
          </p>
        )}
        {step.page?.status !== undefined && <p className="text-xs text-warn">HTTP status {step.page.status}</p>}
        {step.healedElement !== null && (
          <p className="text-xs text-warn wrap-anywhere">Healed: no locator matched; used {step.healedElement}</p>
        )}
        {step.result && <ResultNote result={step.result} />}
        {step.note && <p className="text-xs text-muted wrap-anywhere">{step.note}</p>}
      </div>
      {step.error && <StepError run={run} state={state} step={step} error={step.error} workflow={workflow} />}
      {step.failedAttempts.length > 0 && (
        <Section title={`Failed attempts: ${step.failedAttempts.length}`}>
          <ol className="grid gap-1 text-xs">
            {step.failedAttempts.map(({ attempt, maxAttempts, code, message, durationMs: attemptMs }) => (
              <li key={attempt} className="wrap-anywhere">
                {attempt} of {maxAttempts}, {formatDuration(attemptMs)}: <span className="font-mono">{code}</span>{' '}
                {message}
              </li>
            ))}
          </ol>
          {step.nextAttemptAt && (
            <p className="text-xs text-muted">
              Next attempt: <TimeAgo time={step.nextAttemptAt} />
            </p>
          )}
        </Section>
      )}
      {(imageBefore ?? imageAfter) && (
        <div className="grid gap-3 lg:grid-cols-2">
          {imageBefore && <Image run={state.run} file={imageBefore} alt={`Before: ${step.title}`} title="Before" />}
          {imageAfter && <Image run={state.run} file={imageAfter} alt={`After: ${step.title}`} title="After" />}
        </div>
      )}
      {step.controlActions.length > 0 && (
        <Section title={`Manual actions (${count(step.controlActions.length)})`}>
          <ol className="grid gap-1 text-xs text-live">
            {step.controlActions.map((line, index) => (
              <li key={index} className="wrap-anywhere">
                {line}
              </li>
            ))}
          </ol>
        </Section>
      )}
      {step.value !== null && (
        <Section title="Value">
          <FilesOfValue run={state.run} value={step.value} artifacts={state.artifacts} />
          <Json value={step.value} />
        </Section>
      )}
      {step.answerSources.length > 0 && (
        <Section title="Answer sources">
          <AnswerSources sources={step.answerSources} />
        </Section>
      )}
      {turns > 0 && (
        <Section title={`Agent turns (${turns})`}>
          <ol className="grid gap-2">
            {step.turns.map((turn) => (
              <AgentTurn
                key={`${turn.branch} ${turn.turn}`}
                turn={turn}
                time={turnTimes.find((candidate) => candidate.turn === turn)}
              />
            ))}
            {thinking.map((thought) => (
              <ThinkingTurn key={`${thought.branch} ${thought.branchPath}`} thinking={thought} />
            ))}
          </ol>
        </Section>
      )}
      {calls.length > 0 && (
        <Section title="Model calls">
          <ModelCalls calls={calls} />
        </Section>
      )}
      <div className="grid border-t border-line pt-2">
        {locators.length > 0 && (
          <Disclosure title={`Locators (${locators.length})`} isInitiallyOpen>
            {() => <LocatorTable rows={locators} />}
          </Disclosure>
        )}
        <Disclosure title="Source">{() => <StepSourceView run={run.id} path={step.path} />}</Disclosure>
        {surfaceTraits[run.surface].isPaged && (
          <>
            <Disclosure title="Console">
              {() => <StepDebugLog kind="console" run={run} state={state} step={step} />}
            </Disclosure>
            <Disclosure title="Network">
              {() => <StepDebugLog kind="network" run={run} state={state} step={step} />}
            </Disclosure>
          </>
        )}
      </div>
    </div>
  );
}

/** Outcome of a step that is not an ordinary success. A reason is shown as a warning. */
function ResultNote({ result }: { result: StepResult }) {
  if (isUnverified(result))
    return (
      <p className={classes('text-xs wrap-anywhere', result.effectReason === null ? 'text-muted' : 'text-warn')}>
        {unverifiedText(result)}
      </p>
    );
  if (result.outcome !== 'completed') return <p className="text-xs text-muted">{outcomeTexts[result.outcome]}</p>;
  if (result.effectReason === null) return null;
  return <p className="text-xs text-muted wrap-anywhere">No effect: {result.effectReason}</p>;
}

/** Error of a step. The error that ended the run has its table at the top of the page. */
function StepError({
  run,
  state,
  step,
  error,
  workflow,
}: Pick<StepDetailProps, 'run' | 'state' | 'workflow'> & { step: StepState; error: ErrorView }) {
  if (displayStatusOf(step, state.status) === 'cancelled')
    return (
      <Notice>
        <span className="font-mono text-xs">{error.code}</span> {error.message}
      </Notice>
    );
  if (failedStepOf(state)?.index === step.index)
    return (
      <Notice tone="bad">
        <span className="font-mono text-xs">{error.code}</span> ended the run. The error is at the top of the page.
      </Notice>
    );
  const hasScreenshot = imagesOf(state, step.index).imageAfter !== undefined;
  return <FailureTable run={run} error={error} step={step} hasScreenshot={hasScreenshot} workflow={workflow} />;
}

const Image = ({ run, file, alt, title }: { run: string; file: RunArtifact; alt: string; title: string }) => (
  <figure className="grid gap-1">
    <figcaption className="text-xs font-medium text-muted">{title}</figcaption>
    <a href={`/runs/${run}/files/${file.id}`} target="_blank" rel="noreferrer">
      <img
        src={`/runs/${run}/files/${file.id}`}
        alt={alt}
        loading="lazy"
        className="w-full rounded border border-line bg-raised"
      />
    </a>
  </figure>
);

interface AgentTurnProps {
  turn: Turn;
  /** undefined: before the first model call. */
  time: TurnTime | undefined;
}

const AgentTurn = ({ turn: { branch, turn, thought, page, subGoals, actions, notes }, time }: AgentTurnProps) => (
  <li className="grid gap-1 rounded-md border border-line p-2 text-sm">
    <p className="flex gap-2">
      <span className="shrink-0 text-xs text-muted">{branch === null ? turn : `${branch} ${turn}`}</span>
      <span className="min-w-0 flex-1 wrap-anywhere">{thought || '—'}</span>
      {time && (
        <span className="shrink-0 text-xs text-muted">
          {formatDuration(time.endMs - time.startMs)} · {turnOutcomeLabels[time.outcome]}
        </span>
      )}
    </p>
    {page && <p className="truncate pl-4 text-xs text-muted">{page}</p>}
    {subGoals !== null && <p className="pl-4 text-xs text-muted wrap-anywhere">{subGoals}</p>}
    {actions.map(({ n, title, ms, error, result }) => (
      <p key={n} className="pl-4 text-xs wrap-anywhere">
        <span className="font-medium">{title}</span>
        {ms !== null && <span className="text-muted"> {formatDuration(ms)}</span>}
        {error && <span className="text-bad"> {error}</span>}
        {!error && result && isUnverified(result) && <span className="text-muted"> {unverifiedText(result)}</span>}
      </p>
    ))}
    {notes.map(({ note, isPositive }, index) => (
      <p key={index} className={`pl-4 text-xs wrap-anywhere ${isPositive ? 'text-muted' : 'text-warn'}`}>
        {note}
      </p>
    ))}
  </li>
);

/** A turn with a partial thought. Screen readers do not announce it while it grows. */
const ThinkingTurn = ({ thinking: { turn, branch, subject, text } }: { thinking: AgentThinking }) => (
  <li className="flex gap-2 rounded-md border border-dashed border-line p-2 text-sm" aria-busy>
    <span className="text-xs text-muted">{[branch, subject, turn].filter((part) => part !== undefined).join(' ')}</span>
    <span className="text-muted wrap-anywhere">
      {text}
      <span className="ml-0.5 animate-pulse" aria-hidden>
        ▍
      </span>
    </span>
  </li>
);

/** Number of values that are listed. */
const MAX_LISTED_SOURCES = 50;

const originNames = {
  page: 'On a page',
  computed: 'Computed',
  missing: 'Not found on a page',
  unchecked: 'Not checked',
} as const;

/** Where each value of an answer comes from. */
const AnswerSources = ({ sources }: { sources: readonly AnswerSource[] }) => (
  <>
    <Table label="Answer sources" head={['Value', 'Source']}>
      {sources.slice(0, MAX_LISTED_SOURCES).map(({ pointer, origin }) => (
        <tr key={pointer}>
          <Cell className="py-1 font-mono text-xs wrap-anywhere">{pointer === '' ? 'answer' : pointer}</Cell>
          <Cell
            className={classes('text-xs', origin === 'missing' || origin === 'unchecked' ? 'text-warn' : 'text-muted')}
          >
            {originNames[origin]}
          </Cell>
        </tr>
      ))}
    </Table>
    {sources.length > MAX_LISTED_SOURCES && (
      <p className="text-xs text-muted">And {count(sources.length - MAX_LISTED_SOURCES)} more.</p>
    )}
  </>
);

/** Locators that a step tried. */
const LocatorTable = ({ rows }: { rows: readonly TriedLocator[] }) => (
  <Table label="Locators" head={['Locator', 'Result', 'Time']}>
    {rows.map(({ locator, result, elapsedMs, isMatch }, index) => (
      <tr key={index}>
        <Cell className="py-1 font-mono text-xs wrap-anywhere">{locator}</Cell>
        <Cell className={classes('text-xs', isMatch ? 'text-good' : 'text-muted')}>{result}</Cell>
        <Cell className="text-xs whitespace-nowrap text-muted">
          {elapsedMs === null ? '' : formatDuration(elapsedMs)}
        </Cell>
      </tr>
    ))}
  </Table>
);
