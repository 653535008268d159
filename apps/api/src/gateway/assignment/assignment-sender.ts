import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { MAX_ASSIGNMENT_CHARS, MESSAGE_CHUNK_CHARS } from '@pilothouse/contract/worker/assignment.schema';
import type { ToWorker } from '@pilothouse/contract/worker/to-worker.messages';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { extendClaim, type ClaimedRun, type Pool, type RunWriter, type WrittenRun } from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import pLimit from 'p-limit';
import { requeueOrFail, writeReturn } from '../../run-lifecycle/requeue.ts';
import type { RunDispatcher } from '../../dispatch/run-dispatcher.ts';
import type { WorkerSession } from '../socket/worker-session.ts';
import { assignmentTooLarge, type AssignmentBuilder } from './assignment-builder.ts';
import { createHeldAttempt, type HeldAttempt } from '../socket/held-attempts.ts';

/** Interval at which the claim of an assignment in chunks is extended. */
const EXTEND_CLAIM_INTERVAL_MS = 500;

/** Long assignments that are built and sent at a time. Each is held in memory, and fills a socket. */
const MAX_PARALLEL_LONG_ASSIGNMENTS = 2;

/**
 * Sends an assignment, in chunks when it is too long for one message.
 * @param text JSON of the message
 * @throws PilothouseError PAYLOAD_TOO_LARGE when it is too long for any worker, ASSIGNMENT_NOT_ACCEPTED when the worker disconnects or does not read
 */
async function sendAssignment(session: WorkerSession, text: string): Promise<void> {
  const { socket, workerName: worker } = session;
  // Created where it is thrown: an error records its stack, which takes longer than to send the assignment.
  const disconnected = () =>
    new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', `Worker ${worker} disconnected before it accepted the run`);
  if (text.length <= MESSAGE_CHUNK_CHARS) {
    if (!socket.sendText(text)) throw disconnected();
    session.onAssigned();
    return;
  }
  if (text.length > MAX_ASSIGNMENT_CHARS) throw assignmentTooLarge(text.length);
  session.onAssigned();
  let isComplete = false;
  for await (const { isLast } of socket.sendChunks(text)) isComplete = isLast;
  if (!isComplete) throw disconnected();
}

/** A claimed run on its way to its worker. */
interface PendingAssignment {
  readonly session: WorkerSession;
  readonly writtenRun: WrittenRun;
  readonly claimed: ClaimedRun;
  readonly attempt: HeldAttempt;
  readonly leaseCountsFrom: number | undefined;
}

export interface AssignmentSenderDeps {
  builder: AssignmentBuilder;
  pool: Pool;
  writer: RunWriter;
  dispatcher: Pick<RunDispatcher, 'onSlotFreed' | 'onBacklog'>;
  clock: Clock;
  log: Log;
  leaseMs: number;
}

/** Sends claimed runs to their workers, extends claims meanwhile, and returns the claims whose assignment fails. */
export class AssignmentSender {
  private readonly deps: AssignmentSenderDeps;
  private readonly limitLong = pLimit(MAX_PARALLEL_LONG_ASSIGNMENTS);
  /** Long assignments that are not sent yet. */
  private readonly pending = new Set<Promise<void>>();

  constructor(deps: AssignmentSenderDeps) {
    this.deps = deps;
  }

  /**
   * Assigns a claimed run to a worker. Resolves when a short assignment is sent; a long one is sent in the background.
   * @param leaseCountsFrom `sentAt` of the last renewal that was received before the claim
   */
  async assign(session: WorkerSession, writtenRun: WrittenRun, leaseCountsFrom: number | undefined): Promise<void> {
    const { claimed } = writtenRun;
    if (!claimed) return;
    const { run, epoch, attemptEventSeq: lastSequence, lostAttempts, rejectedClaims } = writtenRun;
    const attempt = createHeldAttempt({
      ...{ run, epoch, lastSequence, isAccepted: false, lostAttempts, rejectedClaims },
      assignedAtMs: this.deps.clock.monotonic(),
    });
    session.attempts.add(attempt);
    let progressBytes: number;
    try {
      progressBytes = epoch > 1 ? await this.deps.builder.progressBytes(writtenRun) : 0;
    } catch (error) {
      return this.returnClaim(session, writtenRun, error);
    }
    const assignment = { session, writtenRun, claimed, attempt, leaseCountsFrom };
    if (progressBytes <= MESSAGE_CHUNK_CHARS) return this.send(assignment);
    this.sendInBackground(assignment);
  }

  /** Resolves when no assignment is on its way. */
  async drained(): Promise<void> {
    await Promise.all(this.pending);
  }

  /** Sends a long assignment without delaying other claims. */
  private sendInBackground(assignment: PendingAssignment): void {
    const { session, attempt } = assignment;
    const extend = () => this.extendClaim(session, attempt);
    const timer = systemTimers.setInterval(() => void extend(), EXTEND_CLAIM_INTERVAL_MS);
    const sending = this.limitLong(async () => {
      await this.send(assignment);
      await extend();
    })
      .catch((error: unknown) => this.deps.log.warn({ run: attempt.run, error: String(error) }, 'claim not returned'))
      .finally(() => {
        systemTimers.clearInterval(timer);
        this.pending.delete(sending);
      });
    this.pending.add(sending);
  }

  /** Prevents the sweeper from returning a claim whose assignment is being sent. */
  private async extendClaim({ id, socket }: WorkerSession, attempt: HeldAttempt): Promise<void> {
    const { pool, clock, leaseMs } = this.deps;
    const { run, epoch } = attempt;
    if (!socket.isOpen) return;
    attempt.assignedAtMs = clock.monotonic();
    // While the database is unavailable, the sweeper decides whether the claim has expired.
    await extendClaim(pool, { run, epoch, session: id, leaseMs }).catch(() => undefined);
  }

  private async send({ session, writtenRun, claimed, attempt, leaseCountsFrom }: PendingAssignment): Promise<void> {
    try {
      const assignment = await this.deps.builder.build(writtenRun, claimed, leaseCountsFrom);
      attempt.definition = assignment.definition;
      await sendAssignment(session, JSON.stringify({ type: 'assign', assignment } satisfies ToWorker));
    } catch (error) {
      return this.returnClaim(session, writtenRun, error);
    }
    await failpoint('gateway.assigned', writtenRun.run);
  }

  /** Queues a run whose worker did not receive the assignment. A run that no worker can receive fails. */
  private async returnClaim(session: WorkerSession, claim: WrittenRun, cause: unknown): Promise<void> {
    const { writer, dispatcher, clock, log } = this.deps;
    const { run, epoch } = claim;
    session.attempts.delete({ run, epoch });
    const guard = { epoch, ifUnaccepted: true };
    const failedAt = clock.now();
    const knownError = cause instanceof PilothouseError ? cause : undefined;
    if (knownError?.code === 'PAYLOAD_TOO_LARGE') {
      const error = knownError.view();
      const events = [createEvent('run.failed', error.message, { error, step: null }, failedAt, 'error')];
      const failedRun = await writer.write({
        run,
        guard: { ...guard, from: ['running'] },
        to: 'failed',
        error,
        events,
      });
      if (failedRun) dispatcher.onSlotFreed(failedRun.fleet);
      return;
    }
    const isNotAccepted = knownError?.code === 'ASSIGNMENT_NOT_ACCEPTED';
    if (!isNotAccepted) log.error({ run, error: String(cause) }, 'run not assigned');
    const reason = isNotAccepted ? knownError.message : 'The gateway could not build the assignment';
    const error = new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', reason).view();
    const back = requeueOrFail(claim, 'rejected', { error, worker: session.workerName, time: failedAt });
    const returnedRun = await writeReturn((write) => writer.write(write), { run, guard, change: back, time: failedAt });
    if (returnedRun) dispatcher.onBacklog(returnedRun.fleet);
  }
}
