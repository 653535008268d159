import {
  DEFAULT_ANSWER_SECONDS,
  eventData,
  EVENT_VERSION,
  createEvent,
  PilothouseError,
  questionKey,
  workerEvents,
  workflowDefinitionSchema,
  type EventData,
  type FromWorkerOf,
  type NewEvent,
  type AttemptOutcome,
  type RunQuestion,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { checkOutput, findStep, linearStepPath, stepTitle, type Clock } from '@pilothouse/core';
import {
  readRunDefinition,
  retryWhileUnavailable,
  type CheckpointWrite,
  type Pool,
  type RunWrite,
} from '@pilothouse/infra-db';
import type { HeldAttempt } from '../assignment/held-attempts.ts';

type Append = FromWorkerOf<'append'>;

/** Data of an event, checked. @throws PilothouseError PROTOCOL_INVALID */
function checkedEvent(event: NewEvent): NewEvent {
  if (!workerEvents.has(event.type))
    throw new PilothouseError('PROTOCOL_INVALID', `A worker does not write ${event.type}`);
  if (event.v !== EVENT_VERSION)
    throw new PilothouseError('PROTOCOL_VERSION', `${event.type} has no version ${event.v} here`);
  const parsed = eventData[event.type].safeParse(event.data);
  if (!parsed.success)
    throw new PilothouseError('PROTOCOL_INVALID', `${event.type}: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
  return event;
}

/** Events of one message. @throws PilothouseError PROTOCOL_INVALID when their numbers do not rise: two of one number would fail the commit of all */
function requireAscending(events: readonly NewEvent[]): readonly NewEvent[] {
  const wrong = events.find(({ sequence: n }, index) => n <= (events[index - 1]?.sequence ?? 0));
  if (!wrong) return events;
  throw new PilothouseError(
    'PROTOCOL_INVALID',
    `Event ${wrong.sequence} comes after one with the same number or a higher one`,
  );
}

/** The checkpoint that an event makes. */
function checkpointOf({ type, at, data }: NewEvent): CheckpointWrite[] {
  switch (type) {
    case 'step.started': {
      const { step, path, verifiable: verifiable, attempt } = data as EventData<'step.started'>;
      return [{ step, path, status: 'running', startedAt: at, verifiable: verifiable ?? false, attempts: attempt }];
    }
    case 'step.completed': {
      const { step, path, tier, value } = data as EventData<'step.completed'>;
      return [{ step, path, status: 'completed', tier, value: value ?? null, finishedAt: at }];
    }
    case 'step.failed': {
      const { step, path, error, tier } = data as EventData<'step.failed'>;
      return [{ step, path, status: 'failed', error, finishedAt: at, ...(tier !== undefined && { tier }) }];
    }
    case 'step.retrying': {
      const { step, path: place, error, attempt } = data as EventData<'step.retrying'>;
      return [{ step, path: place, status: 'retrying', error, finishedAt: at, attempts: attempt }];
    }
    case 'step.skipped': {
      const { step, path } = data as EventData<'step.skipped'>;
      return [{ step, path, status: 'skipped', finishedAt: at }];
    }
    default:
      return [];
  }
}

/** How a run ends, by what its worker says; the output is checked here because a worker is not trusted. */
function outcomeChange(
  outcome: AttemptOutcome,
  definition: WorkflowDefinition,
  failures: readonly EventData<'step.failed'>[],
  startedMs: number,
  clock: Clock,
): Pick<RunWrite, 'to' | 'output' | 'error' | 'events'> {
  const now = clock.now();
  const fail = (error: ReturnType<PilothouseError['view']>, step: number | null) => ({
    to: 'failed' as const,
    error: { ...error, ...(step !== null && { step: stepOf(definition, step, failures) }) },
    events: [createEvent('run.failed', error.message, { error, step }, now, 'error')],
  });
  switch (outcome.status) {
    case 'completed': {
      try {
        checkOutput(definition, outcome.output);
      } catch (error) {
        if (error instanceof PilothouseError) return fail(error.view(), null);
        throw error;
      }
      const ms = Math.max(0, Math.round(startedMs));
      return {
        to: 'completed',
        output: outcome.output,
        events: [createEvent('run.completed', 'Completed', { output: outcome.output, durationMs: ms }, now)],
      };
    }
    case 'failed':
      return fail(outcome.error, outcome.step);
    case 'cancelled':
      return { to: 'cancelled', events: [createEvent('run.cancelled', 'Cancelled', { requestedBy: 'request' }, now)] };
  }
}

/** The step at which a run failed. @param failures of steps, sent with the outcome: they say where the step stands */
function stepOf(definition: WorkflowDefinition, index: number, failures: readonly EventData<'step.failed'>[]) {
  const at = failures.findLast(({ step }) => step === index)?.path ?? linearStepPath(index);
  const step = findStep(definition, at);
  return { index, path: at, title: step ? stepTitle(step).replace(/\{\{[^{}]*\}\}/g, '…') : `Step ${at}` };
}

/** How a run begins to wait for a person. */
function questionChange(
  question: RunQuestion,
  epoch: number,
  definition: WorkflowDefinition,
  clock: Clock,
): Pick<RunWrite, 'to' | 'ask' | 'events'> {
  const now = clock.now();
  const seconds = definition.answerTimeout ?? DEFAULT_ANSWER_SECONDS;
  const expiresAt = new Date(now.getTime() + seconds * 1000).toISOString();
  const key = questionKey(question, epoch);
  return {
    to: 'awaiting_user',
    ask: { question, seconds },
    events: [createEvent('run.awaiting_user', question.reason, { ...question, key, expiresAt }, now, 'warn')],
  };
}

/** What a gateway needs to turn an `append` into a write. */
export interface AppendDeps {
  pool: Pool;
  clock: Clock;
  /** Seals a state of the surface; it opens only for this run. */
  seal(state: string, run: string): Buffer;
}

/** What an `append` changes: its new events, the checkpoints they make, the safe point, a question, and the end of the run. */
export async function toRunWrite(
  append: Append,
  held: HeldAttempt,
  session: string,
  parts: AppendDeps,
): Promise<RunWrite> {
  const { run, epoch, outcome, question, safePoint } = append;
  const { clock, seal } = parts;
  const events = requireAscending(append.events)
    .filter(({ sequence: n }) => n > held.lastEventN)
    .map(checkedEvent);
  held.lastEventN = events.at(-1)?.sequence ?? held.lastEventN;
  const intents = events.filter(({ type }) => type === 'step.started');
  const completed = events
    .filter(({ type }) => type === 'step.completed')
    .map(({ data }) => data as EventData<'step.completed'>);
  const failures = events
    .filter(({ type }) => type === 'step.failed')
    .map(({ data }) => data as EventData<'step.failed'>);
  const last = intents.at(-1)?.data as EventData<'step.started'> | undefined;
  const end = outcome
    ? outcomeChange(outcome, await loadDefinition(held, parts), failures, performance.now() - held.assignedAt, clock)
    : question && questionChange(question, epoch, await loadDefinition(held, parts), clock);
  return {
    run,
    guard: {
      // A run that waits for a person may still get the last events of its files; a question that is sent again finds itself asked.
      from: question ? ['running'] : ['running', 'awaiting_user'],
      epoch,
      session,
      // A safe point that was sent ahead has no number. From a socket that its worker has left it may come late, and would take the place of a newer one.
      ...(events.length === 0 && !end && { ifN: held.lastEventN }),
    },
    ...(end ?? {}),
    usedSteps: intents.length + events.filter(({ type }) => type === 'branch.step_started').length,
    completedSteps: { total: completed.length, byModel: completed.filter(({ tier }) => tier !== 'replay').length },
    stepRetries: events.filter(({ type }) => type === 'step.retrying').length,
    currentStep: last?.step,
    events: [...events, ...(end?.events ?? [])],
    checkpoints: events.flatMap(checkpointOf),
    ...(safePoint && {
      saved: { step: safePoint.step, ...(safePoint.state !== undefined && { state: seal(safePoint.state, run) }) },
    }),
  };
}

/** Milliseconds for which PostgreSQL may be away when a workflow is to be read; what the attempt says waits for it. */
const OUTAGE_MS = 60_000;

async function loadDefinition(
  held: HeldAttempt,
  { pool, clock }: Pick<AppendDeps, 'pool' | 'clock'>,
): Promise<WorkflowDefinition> {
  if (held.definition) return held.definition;
  const definition = await retryWhileUnavailable(() => readRunDefinition(pool, held.run), {
    clock,
    deadline: clock.monotonic() + OUTAGE_MS,
  });
  held.definition = workflowDefinitionSchema.parse(definition);
  return held.definition;
}
