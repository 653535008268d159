import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { WORKER_PROTOCOL } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { ownerOfSession, type Pool, type WorkerSessionStore } from '@pilothouse/infra-db';
import { createHeldAttempt } from './socket/held-attempts.ts';
import type { AttemptMessages } from './messages/attempt-messages.ts';
import { REPORT_INTERVAL_MS, type WorkerMetrics } from './messages/worker-metrics.ts';
import { BulkChannel, WorkerSession } from './socket/worker-session.ts';
import type { WorkerSocket } from './socket/worker-socket.ts';
import type { WorkerAdmission } from './worker-admission.ts';

/** Events of one attempt that a worker may send before the first of them is acknowledged. */
const MAX_UNACKED_EVENTS = 1_000;

export interface SessionOpenerDeps {
  pool: Pool;
  sessions: WorkerSessionStore;
  attempts: Pick<AttemptMessages, 'returnUnknown' | 'accept'>;
  admission: Pick<WorkerAdmission, 'admit' | 'onJoined'>;
  workerMetrics: Pick<WorkerMetrics, 'onConnected'>;
  newId(): string;
  clock: Pick<Clock, 'monotonic'>;
  log: Log;
  leaseMs: number;
  renewMs: number;
  /** A screen parser is configured. */
  hasScreenParser: boolean;
  /** The session is open: runs may be assigned to it. */
  onOpened(session: WorkerSession): void;
  onBulkChannelOpened(channel: BulkChannel): void;
}

/** Opens the session of a worker at its `hello`, and its bulk channel at `bulk.hello`. */
export class SessionOpener {
  private readonly deps: SessionOpenerDeps;

  constructor(deps: SessionOpenerDeps) {
    this.deps = deps;
  }

  /** Opens a session, and resumes the attempts that both the worker and the database hold. @returns null when the worker is rejected */
  async open(socket: WorkerSocket, hello: FromWorkerOf<'hello'>): Promise<WorkerSession | null> {
    const { sessions, attempts, admission, newId, clock, workerMetrics } = this.deps;
    const { fleet } = socket;
    if (!acceptsProtocol(socket, hello.protocol)) return null;
    if (hello.worker.surface !== fleet.surface) {
      const message = `Fleet ${fleet.name} accepts ${fleet.surface} workers, not ${hello.worker.surface}`;
      reject(socket, new PilothouseError('FORBIDDEN', message), 4403);
      return null;
    }
    const isTokenExchanged = await orRefused(socket, admission.admit(socket, hello));
    if (isTokenExchanged === null) return null;
    const ids = { workerId: newId(), session: newId() };
    const opened = await orRefused(socket, sessions.open({ fleet, hello, ids }));
    if (opened === null) return null;
    const { session: id, isNew, attempts: heldAttempts } = opened;
    const { name: workerName, slots, egressEnforcement } = hello.worker;
    const session = new WorkerSession(socket, {
      ...{ id, workerName, slots: Math.min(slots, fleet.slots), egressEnforcement },
    });
    socket.identify(workerName);
    if (isNew) admission.onJoined(socket, hello);
    const reported = new Set(hello.attempts.map(({ run, epoch }) => `${run}/${epoch}`));
    const isReported = ({ run, epoch }: (typeof heldAttempts)[number]) => reported.has(`${run}/${epoch}`);
    const resumed = heldAttempts.filter(isReported);
    for (const { n, accepted, ...attempt } of resumed)
      session.attempts.add(
        createHeldAttempt({ ...attempt, lastSequence: n, isAccepted: accepted, assignedAtMs: clock.monotonic() }),
      );
    const unknown = heldAttempts.filter((attempt) => !isReported(attempt));
    await Promise.all(unknown.map((attempt) => attempts.returnUnknown(session, attempt)));
    this.sendWelcome(session, resumed, isTokenExchanged);
    workerMetrics.onConnected(session);
    this.deps.onOpened(session);
    // The worker holds them. The gateway that received the acceptance may have died before it wrote it.
    for (const attempt of resumed) if (!attempt.accepted) attempts.accept(session, attempt);
    return session;
  }

  /** Opens a bulk channel. Its `admission` checks the fleet of the session; the store checks with each request whether the session holds the run. */
  openBulkChannel(socket: WorkerSocket, { protocol, session }: FromWorkerOf<'bulk.hello'>): BulkChannel | null {
    if (!acceptsProtocol(socket, protocol)) return null;
    return new BulkChannel(socket, session, this.admitBulkChannel(socket, session));
  }

  /** Resolves when the bulk channel is admitted. @throws the reason of its rejection */
  async completeBulkChannel(channel: BulkChannel): Promise<void> {
    await channel.admission;
    this.deps.onBulkChannelOpened(channel);
  }

  private sendWelcome(
    { id: session, socket, workerName: worker, slots }: WorkerSession,
    resumed: readonly { run: string; epoch: number; n: number }[],
    isTokenExchanged: boolean,
  ): void {
    const { log, leaseMs, renewMs } = this.deps;
    const { name: fleet } = socket.fleet;
    socket.send({
      type: 'welcome',
      protocol: WORKER_PROTOCOL,
      session,
      fleet,
      ...(isTokenExchanged && { isTokenExchanged }),
      slots,
      leaseMs,
      renewMs,
      maxUnackedEvents: MAX_UNACKED_EVENTS,
      metricsMs: REPORT_INTERVAL_MS,
      wantsThinking: true,
      ...(this.deps.hasScreenParser && { hasScreenParser: true }),
      attempts: resumed.map(({ run, epoch, n }) => ({ run, epoch, sequence: n })),
    });
    log.info({ worker, fleet, slots, resumed: resumed.length }, 'worker connected');
  }

  private async admitBulkChannel(socket: WorkerSocket, session: string): Promise<void> {
    const { fleet, credential } = socket;
    try {
      const owner = await ownerOfSession(this.deps.pool, session);
      const isOwner = owner?.fleet === fleet.id && (credential.worker ?? owner.worker) === owner.worker;
      // A join token is for `hello`.
      if (credential.kind !== 'join' && (owner === null || isOwner)) return;
    } catch (error) {
      socket.close(1013, 'The session cannot be read; reconnect');
      throw error;
    }
    this.deps.log.warn({ fleet: fleet.name, session }, 'bulk socket rejected: session of another worker');
    const message = `The session belongs to another fleet or worker: use the token of its worker`;
    const rejection = new PilothouseError('FORBIDDEN', message);
    reject(socket, rejection, 4403, 'The session belongs to another worker');
    throw rejection;
  }
}

/** Rejects a worker with another version of the protocol. */
function acceptsProtocol(socket: WorkerSocket, protocol: number): boolean {
  if (protocol === WORKER_PROTOCOL) return true;
  const message = `The gateway uses protocol ${WORKER_PROTOCOL}, the worker ${protocol}`;
  reject(socket, new PilothouseError('PROTOCOL_VERSION', message), 4400);
  return false;
}

/** Sends an error and closes the socket; a socket that closes sends no further message. */
function reject(socket: WorkerSocket, error: PilothouseError, code: number, reason = error.message): void {
  socket.send({ type: 'rejected', error: error.view() });
  socket.close(code, reason);
}

/** Rejects the socket of a worker that is refused. @returns null: it was refused */
async function orRefused<Value>(socket: WorkerSocket, work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PilothouseError) || error.code !== 'JOIN_REFUSED') throw error;
    reject(socket, error, 4403);
    return null;
  }
}
