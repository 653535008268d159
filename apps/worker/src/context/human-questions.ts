import { PilothouseError, type RunAnswer, type RunQuestion } from '@pilothouse/contract';
import { linkAbort, raceAbort, systemTimers, type Timer } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import type { EventBuffer } from '../attempt/event-buffer.ts';
import type { WorkTimer } from '../attempt/work-time.ts';

export interface AskingParts {
  readonly link: Pick<AttemptLink, 'waitForAnswer' | 'attempt'>;
  readonly events: EventBuffer;
  /** Stands still while a person thinks. */
  readonly time: WorkTimer;
  /** Whether somebody drives: they need the slot. */
  isDriven(): boolean;
  /** Aborts when no step may go on. */
  readonly signal: AbortSignal;
  /** Aborts when the worker wants to go: a run that waits for a person goes at once. */
  readonly leaving: AbortSignal;
  stop(reason: unknown): void;
}

/**
 * Waits for a person, in the status that says so; after a while the slot is given back, and the answer comes with the next attempt.
 * @param holdMs milliseconds for which the question may hold the slot
 */
export async function askHuman(
  question: RunQuestion,
  holdMs: number,
  { link, events, time, isDriven, signal, leaving, stop }: AskingParts,
): Promise<RunAnswer> {
  const facts = { step: question.step };
  if (question.controlToken === undefined) {
    events.add('run.log', `Asking a person about step ${question.step + 1}`, { facts }, 'warn');
  } else if (!events.hasEvents) {
    // A question rides with an event; mostly that is what came of the step before, but there may be none.
    events.add('run.log', `${question.reason}: the run stops before step ${question.step + 1}`, { facts });
  }
  time.pause();
  await raceAbort(events.flush({ question }), signal);
  await hit('worker.question-durable', link.attempt.run);
  const slot = new PilothouseError('RUN_HANDED_BACK', 'The run waits for a person; it gave its slot back');
  let tired: Timer | undefined;
  const hold = () => {
    tired = systemTimers.setTimeout(() => (isDriven() ? hold() : stop(slot)), holdMs);
  };
  hold();
  const untie = linkAbort(leaving, stop);
  try {
    return await link.waitForAnswer(question, signal);
  } finally {
    systemTimers.clearTimeout(tired);
    untie();
    time.resume();
  }
}
