import { toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { type RunEvent, createEvent } from '@pilothouse/contract/events/event-log.schema';
import { canAnswerWithText } from '@pilothouse/contract/run/answer-with-text';
import { type AnswerRun, type RunAnswer, questionKey } from '@pilothouse/contract/run/run-question.schema';
import { isTerminal } from '@pilothouse/contract/run/run-status';
import {
  type NewRun,
  type OpenQuestion,
  type Pool,
  type RunInserter,
  type RunWriter,
  readCancelState,
  readOpenQuestion,
} from '@pilothouse/infra-db';
import { ControlSessions } from './control-sessions.ts';
import { linearStepPath } from '@pilothouse/core/interpreter/step-path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { describeLocator } from '@pilothouse/core/workflow/step-titles';
import { failpoint } from '@pilothouse/infra-fault';
import type { LiveEventStream } from '@pilothouse/infra-stream';
import type { RunDispatcher } from '../dispatch/run-dispatcher.ts';
import type { RunEventWatcher } from './run-event-watcher.ts';

export interface RunLifecycleDeps {
  pool: Pool;
  inserter: RunInserter;
  writer: RunWriter;
  dispatcher: RunDispatcher;
  liveEvents: LiveEventStream;
  watcher: RunEventWatcher;
  clock: Clock;
}

/** Submits, cancels, answers and watches runs, over PostgreSQL and Redis. */
export class RunLifecycle {
  /** Manual control of runs. */
  readonly control: ControlSessions;
  private readonly options: RunLifecycleDeps;

  constructor(options: RunLifecycleDeps) {
    this.options = options;
    this.control = new ControlSessions({
      ...options,
      continueIfWaiting: async (run, actor) => {
        const waiting = await this.openQuestion(run);
        if (waiting?.question.controlToken !== undefined)
          await this.writeAnswer(run, waiting, { choice: 'continue' }, actor);
      },
    });
  }

  /** Stores a run. Resolves when it is durable; the run is dispatched in the background. */
  async submit(run: NewRun): Promise<void> {
    const { inserter, dispatcher, liveEvents } = this.options;
    await failpoint('run.before-insert', run.id);
    const { admitted, dispatch: number, event } = await inserter.submit(run);
    await failpoint('run.inserted', run.id);
    if (admitted)
      void dispatcher.dispatch([{ run: run.id, fleet: run.fleet, dispatch: number, priority: run.priority }]);
    else dispatcher.onBacklog(run.fleet);
    liveEvents.publish([event]);
  }

  /**
   * Cancels a queued run at once; a running one is cancelled by its worker.
   * @param actor for the event
   * @returns `cancelled` at once, `cancelling` soon, `ended` when the run had ended before, null when the run does not exist
   * @throws PilothouseError UNAVAILABLE when the status of the run changed before each of ten writes
   */
  async cancel(run: string, actor: string): Promise<'cancelled' | 'cancelling' | 'ended' | null> {
    const { pool, writer, clock, dispatcher } = this.options;
    // The status may change before the write; each round reads a newer one.
    for (let round = 0; round < 10; round += 1) {
      const row = await readCancelState(pool, run);
      if (!row) return null;
      if (isTerminal(row.status)) return row.status === 'cancelled' ? 'cancelled' : 'ended';
      const now = clock.now();
      if (row.status === 'running') {
        if (row.cancelling) return 'cancelling';
        const events = [createEvent('run.cancelling', `${actor} asked to cancel`, { requestedBy: actor }, now)];
        if (await writer.write({ run, guard: { from: ['running'] }, cancelledBy: actor, events })) {
          await failpoint('run.cancelled', run);
          return 'cancelling';
        }
      } else {
        const events = [createEvent('run.cancelled', `Cancelled by ${actor}`, { requestedBy: actor }, now)];
        const writtenRun = await writer.write({
          run,
          guard: { from: [row.status] },
          to: 'cancelled',
          cancelledBy: actor,
          events,
        });
        if (writtenRun) {
          await failpoint('run.cancelled', run);
          dispatcher.onSlotFreed(writtenRun.fleet);
          return 'cancelled';
        }
      }
    }
    throw new PilothouseError('UNAVAILABLE', `Run ${run} changed too often to be cancelled. Send the request again.`, {
      details: { retryAfterSeconds: 1 },
    });
  }

  /**
   * Answers the open question of a run. The run continues in its slot, or is queued when it has none.
   * @param answer with a question key, it answers only that question
   * @param actor for the event
   * @returns false when the run does not wait for this answer
   * @throws PilothouseError VALIDATION_FAILED when the question does not allow the choice
   */
  async answer(run: string, { question, ...answer }: AnswerRun, actor: string): Promise<boolean> {
    const waiting = await this.openQuestion(run, question);
    return waiting !== null && this.writeAnswer(run, waiting, answer, actor);
  }

  /** @param waiting the open question; another one is not answered */
  private async writeAnswer(
    run: string,
    waiting: OpenQuestion,
    { choice, text, target }: Omit<AnswerRun, 'question'>,
    actor: string,
  ): Promise<boolean> {
    const { writer, clock, dispatcher } = this.options;
    const {
      step,
      path = linearStepPath(step),
      questionNumber,
      acceptsTarget,
      controlToken,
      choices,
    } = waiting.question;
    if (!choices.some((option) => option.choice === choice)) {
      const allowedChoices = choices.map(({ choice }) => choice).join(', ');
      throw new PilothouseError('VALIDATION_FAILED', `Choices of this question: ${allowedChoices}`, {
        fields: [{ pointer: '/choice', detail: `Use one of ${allowedChoices}` }],
      });
    }
    if (target !== undefined && !(acceptsTarget && choice === 'retry')) {
      throw new PilothouseError('VALIDATION_FAILED', '`target` is not accepted for this question', {
        fields: [
          { pointer: '/target', detail: 'Omit it, or use choice `retry` where the question has `acceptsTarget`.' },
        ],
      });
    }
    if (text !== undefined && !canAnswerWithText(waiting.question)) {
      throw new PilothouseError('VALIDATION_FAILED', '`text` is not accepted for this question', {
        fields: [{ pointer: '/text', detail: 'Omit it. Only questions of an agent accept text.' }],
      });
    }
    const answer: RunAnswer = {
      step,
      path,
      ...(questionNumber !== undefined && { questionNumber }),
      ...(acceptsTarget && { acceptsTarget }),
      ...(controlToken !== undefined && { controlToken }),
      choice,
      ...(text !== undefined && { text }),
      ...(target !== undefined && { target }),
      answeredBy: actor,
    };
    const message = controlToken === undefined ? answerMessage(answer) : 'Control was released: the run continues';
    const events = [createEvent('run.answered', message, answer, clock.now())];
    const controlSession = await this.control.holder(run);
    // The run may lose its slot in the meantime; then the second guard fits.
    for (const [ifHasSlot, status] of [
      [true, 'running'],
      [false, 'queued'],
    ] as const) {
      // The run may have another question by now.
      const questionGuard = { ifHasSlot, ifQuestion: waiting.question, ifCancelled: false };
      const guard = { from: ['awaiting_user'] as const, epoch: waiting.epoch, ...questionGuard };
      const writtenRun = await writer.write({ run, guard, to: status, answer, events });
      if (!writtenRun) continue;
      if (controlSession) await this.control.releaseForResume(run, controlSession.token);
      await failpoint('run.answered', run);
      if (status === 'queued') dispatcher.onBacklog(writtenRun.fleet);
      return true;
    }
    return false;
  }

  /**
   * Queues a run that waits for an answer without a slot: the next attempt restores its surface, and asks again.
   * @param actor for the event
   * @returns false when the run does not wait without a slot
   */
  async reopen(run: string, actor: string): Promise<boolean> {
    const { writer, clock, dispatcher } = this.options;
    const waiting = await this.openQuestion(run);
    if (!waiting) return false;
    const { epoch, question } = waiting;
    const { step, path = linearStepPath(step), questionNumber, acceptsTarget, controlToken } = question;
    if (controlToken !== undefined) return this.writeAnswer(run, waiting, { choice: 'continue' }, actor);
    // The element is looked for again. Without this answer a step whose `onInterrupted` is `fail` would end the run.
    const answer: RunAnswer | undefined = acceptsTarget && {
      step,
      path,
      questionNumber,
      acceptsTarget,
      choice: 'retry',
      answeredBy: actor,
    };
    const error = new PilothouseError('RUN_HANDED_BACK', `${actor} reopens the browser; the run asks again`).view();
    const writtenRun = await writer.write({
      run,
      guard: { from: ['awaiting_user'], epoch, ifHasSlot: false, ifQuestion: question, ifCancelled: false },
      to: 'queued',
      ...(answer && { answer }),
      events: [createEvent('run.requeued', error.message, { error, worker: null }, clock.now())],
    });
    if (!writtenRun) return false;
    dispatcher.onBacklog(writtenRun.fleet);
    return true;
  }

  /**
   * Ends a run that waits for an answer as completed.
   * @param actor for the event
   * @param question key of the question that has to be open (default: any)
   * @returns false when the run does not wait for an answer
   */
  async complete(run: string, actor: string, question?: string): Promise<boolean> {
    const { writer, clock, dispatcher } = this.options;
    const waiting = await this.openQuestion(run, question);
    if (!waiting) return false;
    const data = { output: null, durationMs: Math.max(0, Math.round(waiting.ms)), dismissedBy: actor };
    const events = [createEvent('run.completed', `Dismissed by ${actor}`, data, clock.now())];
    const guard = {
      from: ['awaiting_user'] as const,
      epoch: waiting.epoch,
      ...(question !== undefined && { ifQuestion: waiting.question }),
    };
    const writtenRun = await writer.write({ run, guard, to: 'completed', events });
    if (!writtenRun) return false;
    await failpoint('run.dismissed', run);
    dispatcher.onSlotFreed(writtenRun.fleet);
    return true;
  }

  /** @param key of the question that it has to wait with (default: any) */
  private async openQuestion(run: string, key?: string): Promise<OpenQuestion | null> {
    const row = await readOpenQuestion(this.options.pool, run);
    return row && (key === undefined || questionKey(row.question, row.epoch) === key) ? row : null;
  }

  /**
   * Events of a run after `lastSeq`, past and future, without gap or repetition. Ends after the terminal event, or when the signal aborts.
   * A slow reader continues from PostgreSQL; no event is dropped.
   */
  watch(run: string, lastSeq: number, signal: AbortSignal): AsyncIterable<RunEvent> {
    return this.options.watcher.watch(run, lastSeq, signal);
  }
}

const answerMessage = ({ answeredBy, choice, text, target = [] }: RunAnswer): string =>
  [
    `${answeredBy} answered`,
    choice,
    ...(text === undefined ? [] : [text]),
    ...toLocatorChain(target).map(describeLocator),
  ].join(': ');
