import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  eventData,
  EVENT_VERSION,
  createEvent,
  workerEvents,
  type EventData,
  type NewEvent,
} from '@pilothouse/contract/events/event-log.schema';
import { isUnverified, type Result } from '@pilothouse/contract/run/outcome';
import { questionKey, type RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { FromWorkerOf, AttemptOutcome } from '@pilothouse/contract/worker/from-worker.messages';
import {
  DEFAULT_ANSWER_SECONDS,
  workflowDefinitionSchema,
  type WorkflowDefinition,
} from '@pilothouse/contract/workflow/workflow.schema';
import { findStep, linearStepPath } from '@pilothouse/core/interpreter/step-path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { checkOutput } from '@pilothouse/core/workflow/workflow-io';
import {
  readRunDefinition,
  retryWhileUnavailable,
  type CheckpointWrite,
  type Pool,
  type RunWrite,
} from '@pilothouse/infra-db';
import type { HeldAttempt } from '../socket/held-attempts.ts';

type Append = FromWorkerOf<'append'>;

/** @throws PilothouseError PROTOCOL_INVALID, PROTOCOL_VERSION */
function requireValidEvent(event: NewEvent): NewEvent {
  if (!workerEvents.has(event.type))
    throw new PilothouseError('PROTOCOL_INVALID', `A worker cannot write ${event.type}`);
  if (event.v !== EVENT_VERSION)
    throw new PilothouseError('PROTOCOL_VERSION', `Version ${event.v} of ${event.type} is not supported`);
  const parsed = eventData[event.type].safeParse(event.data);
  if (!parsed.success)
    throw new PilothouseError('PROTOCOL_INVALID', `${event.type}: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
  return event;
}

/** @throws PilothouseError PROTOCOL_INVALID when the sequence does not ascend: a repeated number would fail the commit of all writers */
function requireAscending(events: readonly NewEvent[]): readonly NewEvent[] {
  const invalid = events.find(({ sequence }, index) => sequence <= (events[index - 1]?.sequence ?? 0));
  if (!invalid) return events;
  throw new PilothouseError('PROTOCOL_INVALID', `Event ${invalid.sequence} is out of order`);
}

const resultOf = ({ outcome, effect, effectReason }: Result): Result => ({
  outcome,
  effect,
  ...(effectReason !== undefined && { effectReason }),
});

/** The checkpoint that an event writes. */
function checkpointOf({ type, at, data }: NewEvent): CheckpointWrite[] {
  switch (type) {
    case 'step.started': {
      const { step, path, verifiable = false, attempt } = data as EventData<'step.started'>;
      return [{ step, path, status: 'running', startedAt: at, verifiable, attempts: attempt }];
    }
    case 'step.completed': {
      const { step, path, tier, value, ...result } = data as EventData<'step.completed'>;
      return [
        { step, path, status: 'completed', tier, value: value ?? null, result: resultOf(result), finishedAt: at },
      ];
    }
    case 'step.failed': {
      const { step, path, error, tier, ...result } = data as EventData<'step.failed'>;
      return [
        {
          ...{ step, path, status: 'failed', error, result: resultOf(result), finishedAt: at },
          ...(tier !== undefined && { tier }),
        },
      ];
    }
    case 'step.retrying': {
      const { step, path, error, attempt, ...result } = data as EventData<'step.retrying'>;
      return [{ step, path, status: 'retrying', error, result: resultOf(result), finishedAt: at, attempts: attempt }];
    }
    case 'step.skipped': {
      const { step, path, ...result } = data as EventData<'step.skipped'>;
      return [{ step, path, status: 'skipped', result: resultOf(result), finishedAt: at }];
    }
    default:
      return [];
  }
}

/** The end of a run as reported by its worker. The output is checked here, because a worker is not trusted. */
function outcomeChange(
  outcome: AttemptOutcome,
  definition: WorkflowDefinition,
  failures: readonly EventData<'step.failed'>[],
  elapsedMs: number,
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
      const durationMs = Math.max(0, Math.round(elapsedMs));
      return {
        to: 'completed',
        output: outcome.output,
        events: [createEvent('run.completed', 'Completed', { output: outcome.output, durationMs }, now)],
      };
    }
    case 'failed':
      return fail(outcome.error, outcome.step);
    case 'cancelled':
      return { to: 'cancelled', events: [createEvent('run.cancelled', 'Cancelled', { requestedBy: 'request' }, now)] };
  }
}

/** The step at which a run failed. @param failures events that were sent with the outcome; they contain the path of the step */
function stepOf(definition: WorkflowDefinition, index: number, failures: readonly EventData<'step.failed'>[]) {
  const path = failures.findLast(({ step }) => step === index)?.path ?? linearStepPath(index);
  const step = findStep(definition, path);
  return { index, path, title: step ? stepTitle(step).replace(/\{\{[^{}]*\}\}/g, '…') : `Step ${path}` };
}

/** The start of a wait for an answer. */
function questionChange(
  question: RunQuestion,
  epoch: number,
  definition: WorkflowDefinition,
  clock: Clock,
): Pick<RunWrite, 'to' | 'question' | 'events'> {
  const now = clock.now();
  const seconds = definition.answerTimeout ?? DEFAULT_ANSWER_SECONDS;
  const expiresAt = new Date(now.getTime() + seconds * 1000).toISOString();
  const key = questionKey(question, epoch);
  return {
    to: 'awaiting_user',
    question: { question, seconds },
    events: [createEvent('run.awaiting_user', question.reason, { ...question, key, expiresAt }, now, 'warn')],
  };
}

export interface AppendDeps {
  pool: Pool;
  clock: Clock;
  /** Seals the state of a surface; only the same run can open it. */
  seal(state: string, run: string): Buffer;
}

/** Turns an `append` into a write: new events and their checkpoints, the safe point, a question, the end of the run. Advances `attempt.lastSequence`. */
export async function toRunWrite(
  append: Append,
  attempt: HeldAttempt,
  session: string,
  deps: AppendDeps,
): Promise<RunWrite> {
  const { run, epoch, outcome, question, safePoint } = append;
  const { clock, seal } = deps;
  const events = requireAscending(append.events)
    .filter(({ sequence }) => sequence > attempt.lastSequence)
    .map(requireValidEvent);
  attempt.lastSequence = events.at(-1)?.sequence ?? attempt.lastSequence;
  const intents = events.filter(({ type }) => type === 'step.started');
  const completed = events
    .filter(({ type }) => type === 'step.completed')
    .map(({ data }) => data as EventData<'step.completed'>);
  // A person may have said that a skipped step ran.
  const skipped = events
    .filter(({ type }) => type === 'step.skipped')
    .map(({ data }) => data as EventData<'step.skipped'>);
  const failures = events
    .filter(({ type }) => type === 'step.failed')
    .map(({ data }) => data as EventData<'step.failed'>);
  const lastIntent = intents.at(-1)?.data as EventData<'step.started'> | undefined;
  const change = outcome
    ? outcomeChange(
        outcome,
        await loadDefinition(attempt, deps),
        failures,
        clock.monotonic() - attempt.assignedAtMs,
        clock,
      )
    : question && questionChange(question, epoch, await loadDefinition(attempt, deps), clock);
  return {
    run,
    guard: {
      // A run that waits for an answer may still receive events about its files. A repeated question is already open.
      from: question ? ['running'] : ['running', 'awaiting_user'],
      epoch,
      session,
      // A safe point without events has no sequence. From an earlier socket it may arrive late, and would replace a newer one.
      ...(events.length === 0 && !change && { ifLastSequence: attempt.lastSequence }),
    },
    ...(change ?? {}),
    usedSteps: intents.length + events.filter(({ type }) => type === 'branch.step_started').length,
    completedSteps: {
      total: completed.length,
      byModel: completed.filter(({ tier }) => tier !== 'replay').length,
      unverified: [...completed, ...skipped].filter(isUnverified).length,
    },
    stepRetries: events.filter(({ type }) => type === 'step.retrying').length,
    currentStep: lastIntent?.step,
    events: [...events, ...(change?.events ?? [])],
    checkpoints: events.flatMap(checkpointOf),
    ...(safePoint && {
      safePoint: { step: safePoint.step, ...(safePoint.state !== undefined && { state: seal(safePoint.state, run) }) },
    }),
  };
}

/** Longest outage of PostgreSQL that the read of a definition survives; the messages of the attempt wait for it. */
const READ_RETRY_MS = 60_000;

async function loadDefinition(
  attempt: HeldAttempt,
  { pool, clock }: Pick<AppendDeps, 'pool' | 'clock'>,
): Promise<WorkflowDefinition> {
  if (attempt.definition) return attempt.definition;
  const definition = await retryWhileUnavailable(() => readRunDefinition(pool, attempt.run), {
    clock,
    deadline: clock.monotonic() + READ_RETRY_MS,
  });
  attempt.definition = workflowDefinitionSchema.parse(definition);
  return attempt.definition;
}
