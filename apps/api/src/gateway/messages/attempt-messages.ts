import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { LeasedAttempt, RunLeaseRenewer, RunWrite, WrittenRun } from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import { requeueOrFail, writeReturn, type ReturnedAttempt } from '../../run-lifecycle/requeue.ts';
import type { RunDispatcher } from '../../dispatch/run-dispatcher.ts';
import { afterPendingWrite, type HeldAttempt } from '../socket/held-attempts.ts';
import type { WorkerSession } from '../socket/worker-session.ts';
import { DelayQueue } from './delay-queue.ts';
import { DurableRunWrites, type DurableRunWritesDeps } from './durable-run-writes.ts';

/** Time in which the first events of an attempt may accept it, before the acceptance is written separately. */
const ACCEPT_WRITE_DELAY_MS = 100;

/** An assignment that the worker does not list in its renewals is abandoned after this time. */
const UNCONFIRMED_ASSIGNMENT_MS = 5_000;

export interface AttemptMessagesDeps extends DurableRunWritesDeps {
  leases: Pick<RunLeaseRenewer, 'renew'>;
  dispatcher: Pick<RunDispatcher, 'onSlotFreed' | 'onBacklog'>;
  /** A slot of the worker may have become free. */
  onSlotFree(session: WorkerSession): void;
}

/** Handles the messages of workers about their attempts: acceptance, events, return, lease renewal. */
export class AttemptMessages {
  private readonly deps: AttemptMessagesDeps;
  private readonly writes: DurableRunWrites;
  /** Accepted attempts without an event. */
  private readonly unwrittenAcceptances = new DelayQueue<{ session: WorkerSession; attempt: HeldAttempt }>(
    ACCEPT_WRITE_DELAY_MS,
    ({ session, attempt }) => {
      // A write that fails for good ends the socket.
      void this.writeAcceptance(session, attempt).catch(() => undefined);
    },
  );

  constructor(deps: AttemptMessagesDeps) {
    this.deps = deps;
    this.writes = new DurableRunWrites(deps);
  }

  accept(session: WorkerSession, message: Attempt): void {
    const attempt = session.attempts.get(message);
    if (!attempt) return this.sendLost(session, message);
    attempt.isAccepted = true;
    // The first events accept as well. A short step sends them at once, which saves a commit.
    if (!attempt.isAcceptanceWritten) this.unwrittenAcceptances.add({ session, attempt });
  }

  async append(session: WorkerSession, message: FromWorkerOf<'append'>): Promise<void> {
    const { run, epoch, outcome } = message;
    const attempt = session.attempts.get(message);
    if (!attempt) return this.sendLost(session, message);
    attempt.isAccepted = true;
    failpoint('gateway.append-received', run);
    const accepts = !attempt.isAcceptanceWritten;
    attempt.isAcceptanceWritten = true;
    const writtenRun = await afterPendingWrite(attempt, () => this.writes.append(session, message, attempt, accepts));
    if (!writtenRun) return this.sendLost(session, message);
    await failpoint('gateway.append-durable', run);
    if (message.safePoint) await failpoint('gateway.safe-point-stored', run);
    if (outcome) await failpoint('gateway.run-ended', run);
    if (outcome) this.freeSlot(session, message);
    session.socket.send({
      type: 'append.ack',
      run,
      epoch,
      sequence: writtenRun.attemptEventSeq,
      isFinal: outcome !== undefined,
      leaseRenewed: accepts,
    });
    if (outcome) this.deps.dispatcher.onSlotFreed(writtenRun.fleet);
  }

  async handBack(session: WorkerSession, { run, epoch, error }: FromWorkerOf<'handback'>): Promise<void> {
    const attempt = session.attempts.get({ run, epoch });
    if (!attempt) return;
    // The run is queued with the events that are durable.
    await attempt.pendingWrite?.catch(() => undefined);
    await this.returnAttempt(session, attempt, error);
    this.freeSlot(session, { run, epoch });
  }

  async renew(session: WorkerSession, { sentAt, attempts }: FromWorkerOf<'renew'>): Promise<void> {
    session.onRenew(sentAt);
    const renewed = await this.deps.leases.renew({ session: session.id, busy: attempts.length, attempts });
    if (!renewed) return session.socket.close(4001, 'Unknown session; send hello again');
    const { cordoned: _, controls, ...answer } = renewed;
    const isUncordoned = session.applyFlags(renewed);
    session.socket.send({ type: 'renew.ack', sentAt, ...answer });
    // The message that control was taken goes through Redis, which may lose it.
    for (const control of controls) session.socket.send({ type: 'control.input', ...control, sequence: 0, inputs: [] });
    if (isUncordoned) this.deps.onSlotFree(session);
    const renewedRuns = new Set(attempts.map(({ run }) => run));
    for (const attempt of session.attempts.values()) {
      const ageMs = this.deps.clock.monotonic() - attempt.assignedAtMs;
      if (!renewedRuns.has(attempt.run) && ageMs > UNCONFIRMED_ASSIGNMENT_MS) this.freeSlot(session, attempt);
    }
  }

  /** Returns an attempt that the worker does not know: its assignment was not received, or the worker restarted. */
  async returnUnknown(session: WorkerSession, attempt: LeasedAttempt): Promise<void> {
    const { writer, clock } = this.deps;
    const { workerName: worker } = session;
    const error = new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', `Worker ${worker} does not have the run`).view();
    const returnedAt = clock.now();
    const back = requeueOrFail(attempt, attempt.accepted ? 'lost' : 'rejected', { error, worker, time: returnedAt });
    await this.returnOrRelease((write) => writer.write(write), session, { ...attempt, change: back, time: returnedAt });
  }

  /** Writes the acceptance of an attempt, unless its first events have done so. */
  private async writeAcceptance(session: WorkerSession, attempt: HeldAttempt): Promise<void> {
    if (attempt.isAcceptanceWritten) return;
    attempt.isAcceptanceWritten = true;
    const { run, epoch } = attempt;
    const guard = { from: ['running'] as const, epoch, session: session.id };
    const writtenRun = await afterPendingWrite(attempt, () =>
      this.writes.writeUntilDurable(session.socket, { run, guard, accept: {} }),
    );
    if (!writtenRun) this.sendLost(session, attempt);
  }

  private async returnAttempt(session: WorkerSession, attempt: HeldAttempt, error: ErrorView): Promise<void> {
    const returnedAt = this.deps.clock.now();
    // A run is not to blame for a worker that drains, but may be for a lost surface.
    const cause = error.code !== 'RUN_HANDED_BACK' && attempt.isAccepted ? 'lost' : 'none';
    const back = requeueOrFail(attempt, cause, { error, worker: session.workerName, time: returnedAt });
    const write = (change: RunWrite) => this.writes.writeUntilDurable(session.socket, change);
    const status = await this.returnOrRelease(write, session, { ...attempt, change: back, time: returnedAt });
    if (status === 'queued') await failpoint('gateway.handed-back', attempt.run);
    if (status === 'awaiting_user') await failpoint('gateway.slot-released', attempt.run);
  }

  /** Returns an attempt. A run that waits for an answer keeps waiting without its slot. @returns status of the run; null when nothing changed */
  private async returnOrRelease(
    write: (change: RunWrite) => Promise<WrittenRun | null>,
    { id, workerName }: WorkerSession,
    { run, epoch, change: back, time }: Attempt & Pick<ReturnedAttempt, 'change' | 'time'>,
  ): Promise<WrittenRun['status'] | null> {
    const guard = { epoch, session: id };
    const returnedRun = await writeReturn(write, { run, guard, change: back, time });
    if (returnedRun) {
      this.deps.dispatcher.onBacklog(returnedRun.fleet);
      return returnedRun.status;
    }
    const waiting = await write({
      run,
      guard: { ...guard, from: ['awaiting_user'] },
      release: true,
      events: [slotReleasedEvent(workerName, time)],
    });
    return waiting && waiting.status;
  }

  private sendLost(session: WorkerSession, { run, epoch }: Attempt): void {
    this.freeSlot(session, { run, epoch });
    const error = new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
    session.socket.send({ type: 'attempt.lost', run, epoch, error: error.view() });
  }

  private freeSlot(session: WorkerSession, attempt: Attempt): void {
    session.attempts.delete(attempt);
    this.deps.onSlotFree(session);
  }
}

const slotReleasedEvent = (worker: string, releasedAt: Date) =>
  createEvent('run.slot_released', `${worker} released the slot; the question stays open`, { worker }, releasedAt);
