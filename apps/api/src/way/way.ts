import type { AnswerRun, RunEvent } from '@pilothouse/contract';
import type { NewRun } from '@pilothouse/infra-db';
import type { ControlSessions } from './wheel.way.ts';

/** The way of a run, as REST sees it. Nest token: the class itself. */
export abstract class Way {
  /** Takes a run in: resolves when it is durable and on its way. */
  abstract submit(run: NewRun): Promise<void>;

  /**
   * Asks a run to stop. A queued run is cancelled at once; a running one when its worker has heard it.
   * @param by who asks, for the event
   * @returns `cancelled` at once, `cancelling` soon, `ended` when it had ended before, null when there is no such run
   */
  abstract cancel(run: string, by: string): Promise<'cancelled' | 'cancelling' | 'ended' | null>;

  /**
   * Answers the question of a run that waits for a person. It goes on where it waits, or through the queue when it has no slot.
   * @param answer the answer; where it names a question (default: what the run asks now), another one is not answered by it
   * @param by who answers, for the event
   * @returns false when there is no run that waits for this answer
   * @throws PilothouseError VALIDATION_FAILED when the question does not allow the choice
   */
  abstract resume(run: string, answer: AnswerRun, by: string): Promise<boolean>;

  /**
   * Queues a run that waits for a person without a slot: the next attempt restores its surface, and asks again.
   * @param by who reopens it, for the event
   * @returns false when there is no run that waits so
   */
  abstract reopen(run: string, by: string): Promise<boolean>;

  /** Who drives runs by hand. */
  abstract readonly wheel: ControlSessions;

  /**
   * Ends a run that waits for a person as completed.
   * @param question key of the question that is dismissed (default: whatever the run asks)
   * @returns false when there is no run that waits so
   */
  abstract dismiss(run: string, by: string, question?: string): Promise<boolean>;

  /**
   * Events of a run after `seq`, past and future, without gap or repetition; ends after the terminal event or with the signal.
   * A reader that is too slow reads from PostgreSQL again; nothing is dropped.
   */
  abstract watch(run: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent>;
}
