import { PilothouseError, type FromWorkerOf } from '@pilothouse/contract';
import { type Log, retry } from '@pilothouse/core';
import { isDataRefused, type RunWrite, type RunWriter, type WrittenRun } from '@pilothouse/infra-db';
import { toRunWrite, type AppendDeps } from './append-to-write.ts';
import type { HeldAttempt } from '../assignment/held-attempts.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** Retries of a write while the database is unavailable. */
const WRITE_BACKOFF = { firstMs: 50, maxMs: 1_000 };
const MAX_WRITE_RETRIES = 20;

interface SureWritesParts extends AppendDeps {
  writer: Pick<RunWriter, 'write'>;
  log: Log;
  leaseMs: number;
}

/** Writes what workers say until it is written, and what was written before only once. */
export class DurableRunWrites {
  private readonly parts: SureWritesParts;

  constructor(parts: SureWritesParts) {
    this.parts = parts;
  }

  /**
   * Writes what an attempt says, but for what is written already: by this write, whose answer was lost, or by one on a former socket.
   * @returns the row; null when the attempt does not hold the run any more
   * @throws PilothouseError UNAVAILABLE when it cannot be written now: what comes before it is not there, or the run asks something else;
   * as `surely`
   */
  async append(
    socket: WorkerSocket,
    message: FromWorkerOf<'append'>,
    held: HeldAttempt,
    takes: boolean,
  ): Promise<WrittenRun | null> {
    const { run, epoch, events, outcome } = message;
    const { session } = socket;
    // The first events of an attempt renew its lease, too: a run whose first action waited for a renewal would wait for two commits.
    const accept = takes && { accept: { leaseMs: this.parts.leaseMs } };
    const last = events.at(-1)?.sequence ?? 0;
    for (;;) {
      const known = held.lastEventN;
      const write = await toRunWrite(message, held, session, this.parts);
      const written = await this.writeUntilDurable(socket, { ...write, ...accept });
      if (written) return written;
      const guard = { from: ['running', 'awaiting_user'] as const, epoch, session };
      const row = await this.writeUntilDurable(socket, { run, guard, ...accept });
      // An outcome that is written leaves no attempt that holds the run; a question rides with the last of its events. A safe point that came ahead of
      // them, or from a former socket, is left out: it comes again with them, or a newer one is there.
      if (!row || (!outcome && row.attemptEventSeq >= last)) return row;
      // The worker sends all of it again on its next socket.
      if (row.attemptEventSeq <= known)
        throw new PilothouseError('UNAVAILABLE', `Event ${last} cannot follow ${row.attemptEventSeq} now`);
      held.lastEventN = row.attemptEventSeq;
    }
  }

  /**
   * Writes, and tries again while the database is away and the worker is here. A write with events that was committed although its answer
   * was lost changes nothing the second time: its first event does not follow the last one any more.
   * @throws PilothouseError PROTOCOL_INVALID at once for what PostgreSQL can never store; what it throws when it is away for too long
   */
  async writeUntilDurable(socket: WorkerSocket, write: RunWrite): Promise<WrittenRun | null> {
    return retry(() => this.parts.writer.write(write), {
      backoff: WRITE_BACKOFF,
      signal: socket.closed,
      isRetryable: (error, { failures }) => {
        if (isDataRefused(error))
          throw new PilothouseError('PROTOCOL_INVALID', `It cannot be stored: ${error.message}`, { cause: error });
        if (!socket.open || failures > MAX_WRITE_RETRIES) {
          socket.terminate();
          return false;
        }
        this.parts.log.warn({ run: write.run, failures, error: String(error) }, 'A write failed; trying again');
        return true;
      },
    });
  }
}
