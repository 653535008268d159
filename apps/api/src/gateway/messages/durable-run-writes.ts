import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { retry } from '@pilothouse/core/time/backoff';
import { isDataRefused, type RunWrite, type RunWriter, type WrittenRun } from '@pilothouse/infra-db';
import type { HeldAttempt } from '../socket/held-attempts.ts';
import type { WorkerSession } from '../socket/worker-session.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';
import { toRunWrite, type AppendDeps } from './append-to-write.ts';

/** Retries of a write while the database is unavailable. */
const WRITE_BACKOFF = { firstMs: 50, maxMs: 1_000 };
const MAX_WRITE_RETRIES = 20;

export interface DurableRunWritesDeps extends AppendDeps {
  writer: Pick<RunWriter, 'write'>;
  log: Log;
  leaseMs: number;
}

/** Retries the writes of workers until they are durable or fenced, and writes each event once. */
export class DurableRunWrites {
  private readonly deps: DurableRunWritesDeps;

  constructor(deps: DurableRunWritesDeps) {
    this.deps = deps;
  }

  /**
   * Writes the events of an `append` that are not in the database yet. Some may be stored: written by this call when the answer was
   * lost, or received on an earlier socket.
   * @param accepts whether the message accepts the assignment, too
   * @returns the row; null when the attempt no longer holds the run
   * @throws PilothouseError UNAVAILABLE when an earlier event is missing, or the run has another question; as `writeUntilDurable`
   */
  async append(
    session: WorkerSession,
    message: FromWorkerOf<'append'>,
    attempt: HeldAttempt,
    accepts: boolean,
  ): Promise<WrittenRun | null> {
    const { run, epoch, events, outcome } = message;
    // The first events renew the lease, too. Otherwise the first action would wait for two commits.
    const accept = accepts && { accept: { leaseMs: this.deps.leaseMs } };
    const lastSequence = events.at(-1)?.sequence ?? 0;
    for (;;) {
      const knownSequence = attempt.lastSequence;
      const write = await toRunWrite(message, attempt, session.id, this.deps);
      const writtenRun = await this.writeUntilDurable(session.socket, { ...write, ...accept });
      if (writtenRun) return writtenRun;
      const guard = { from: ['running', 'awaiting_user'] as const, epoch, session: session.id };
      const row = await this.writeUntilDurable(session.socket, { run, guard, ...accept });
      // A durable outcome leaves no attempt that holds the run. A question is written with the last of its events. A
      // safe point may arrive before its events, or from an earlier socket. It is then dropped: it is sent again with
      // them, or a newer one is stored.
      if (!row || (!outcome && row.attemptEventSeq >= lastSequence)) return row;
      // The worker sends all of it again on its next socket.
      if (row.attemptEventSeq <= knownSequence)
        throw new PilothouseError('UNAVAILABLE', `Event ${lastSequence} cannot follow ${row.attemptEventSeq} now`);
      attempt.lastSequence = row.attemptEventSeq;
    }
  }

  /**
   * Writes, and retries while the database is unavailable and the worker is connected. Repeating a committed write with events changes
   * nothing, because its first event no longer follows the last one.
   * @throws PilothouseError PROTOCOL_INVALID at once for data that PostgreSQL cannot store; the last error when the retries are used up
   */
  async writeUntilDurable(socket: WorkerSocket, write: RunWrite): Promise<WrittenRun | null> {
    return retry(() => this.deps.writer.write(write), {
      backoff: WRITE_BACKOFF,
      signal: socket.closed,
      isRetryable: (error, { failures }) => {
        if (isDataRefused(error))
          throw new PilothouseError('PROTOCOL_INVALID', `Cannot be stored: ${error.message}`, { cause: error });
        if (!socket.isOpen || failures > MAX_WRITE_RETRIES) {
          socket.terminate();
          return false;
        }
        this.deps.log.warn({ run: write.run, failures, error: String(error) }, 'write failed, retrying');
        return true;
      },
    });
  }
}
