import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { stepNumber } from '@pilothouse/core/interpreter/step-number';
import { linearStepPath } from '@pilothouse/core/interpreter/step-path';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import type { TaskIsolation } from '@pilothouse/core/time/task-isolation';
import {
  findExpiredRuns,
  findOverdueCancels,
  findTimedOutQuestions,
  type Pool,
  type RunWriter,
} from '@pilothouse/infra-db';
import type { SweeperTaskName } from '../../common/sweeper-task-names.ts';

/** Time for a worker to confirm a cancellation before the run is cancelled without it. */
export const CANCEL_GRACE_MS = 10_000;

export interface OverdueRunsDeps {
  readonly pool: Pool;
  readonly writer: Pick<RunWriter, 'write'>;
  readonly clock: Clock;
  readonly isolation: Pick<TaskIsolation<SweeperTaskName>, 'settleEach'>;
}

/** Ends runs that exceeded a time limit. */
export class OverdueRuns {
  private readonly deps: OverdueRunsDeps;

  constructor(deps: OverdueRunsDeps) {
    this.deps = deps;
  }

  /** Fails runs that waited too long for a worker. */
  async failExpiredRuns(): Promise<void> {
    const { pool, writer, clock, isolation } = this.deps;
    const now = clock.now();
    await isolation.settleEach(
      'expired',
      await findExpiredRuns(pool),
      ({ run }) => run,
      ({ run, waitedSeconds }) => {
        const error = new PilothouseError(
          'RUN_EXPIRED',
          `No worker took the run within ${Math.round(waitedSeconds)} s`,
        );
        const events = [createEvent('run.failed', error.message, { error: error.view(), step: null }, now, 'error')];
        return writer.write({ run, guard: { from: ['queued'], epoch: 0 }, to: 'failed', error: error.view(), events });
      },
    );
  }

  /** Cancels runs whose worker did not answer in time. */
  async endOverdueCancels(): Promise<void> {
    const { pool, writer, clock, isolation } = this.deps;
    const now = clock.now();
    const overdue = await findOverdueCancels(pool, CANCEL_GRACE_MS);
    await isolation.settleEach(
      'cancels',
      overdue,
      ({ run }) => run,
      ({ run, epoch, by }) => {
        const events = [
          createEvent(
            'run.cancelled',
            `Cancelled by ${by}; the worker did not respond`,
            { requestedBy: by },
            now,
            'warn',
          ),
        ];
        return writer.write({ run, guard: { from: ['running', 'awaiting_user'], epoch }, to: 'cancelled', events });
      },
    );
  }

  /** Fails runs whose question was not answered in time. */
  async failTimedOutQuestions(): Promise<void> {
    const { pool, writer, clock, isolation } = this.deps;
    const now = clock.now();
    await isolation.settleEach(
      'questions',
      await findTimedOutQuestions(pool),
      ({ run }) => run,
      ({ run, epoch, waitedSeconds, question, definition }) => {
        const { step } = question;
        const number = stepNumber(definition, question.path ?? linearStepPath(step));
        const error = new PilothouseError(
          'ANSWER_TIMED_OUT',
          `The question about step ${number} was not answered within ${Math.round(waitedSeconds)} s`,
        );
        const events = [createEvent('run.failed', error.message, { error: error.view(), step }, now, 'error')];
        // The run may have another question by now.
        const guard = { from: ['awaiting_user'] as const, epoch, ifQuestion: question };
        return writer.write({ run, guard, to: 'failed', error: error.view(), events });
      },
    );
  }
}
