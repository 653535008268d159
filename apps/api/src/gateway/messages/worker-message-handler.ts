import {
  createEvent,
  PilothouseError,
  WORKER_PROTOCOL,
  type Attempt,
  type ErrorView,
  type FromWorker,
  type FromWorkerOf,
} from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import {
  fleetOfSession,
  setWorkerState,
  type LeasedAttempt,
  type RunLeaseRenewer,
  type Pool,
  type RunWrite,
  type RunWriter,
  type WorkerSessionStore,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import type { RunDispatcher } from '../../run-lifecycle/run-dispatcher.ts';
import { writeReturn, requeueOrFail } from '../../run-lifecycle/requeue.ts';
import { afterPendingWrite, type HeldAttempt } from '../assignment/held-attempts.ts';
import type { HistoryRequests, MemoryRequests } from '../requests/history-requests.ts';
import { DelayQueue } from './delay-queue.ts';
import type { ModelRequests } from '../requests/model-requests.ts';
import type { ProfileRequests } from '../requests/profile-requests.ts';
import type { SiteRequests } from '../requests/site-requests.ts';
import { DurableRunWrites } from './durable-run-writes.ts';
import type { TransferRequests } from '../requests/transfer-requests.ts';
import type { LiveFrameRelay } from '../../live/live-frame-relay.ts';
import type { AgentThinkingRelay } from '../../runs/events/agent-thinking-relay.ts';
import type { ControlRelay } from '../../control/control-relay.ts';
import { REPORT_EVERY_MS, type WorkerMetrics } from './worker-metrics.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

/** Events of one attempt that a worker may have unacknowledged. */
const WINDOW = 1_000;

/** Milliseconds in which an attempt may say something, before its acceptance is written by itself. */
const SPEAKS_MS = 100;

/** An assignment that the worker never mentions is given up after so many milliseconds. */
const FORGOTTEN_MS = 5_000;

export interface WorkerMessageHandlerDeps {
  pool: Pool;
  writer: RunWriter;
  leases: RunLeaseRenewer;
  sessions: WorkerSessionStore;
  dispatch: RunDispatcher;
  requests: TransferRequests;
  sites: SiteRequests;
  profiles: ProfileRequests;
  models: Pick<ModelRequests, 'call'>;
  elements: Pick<HistoryRequests, 'locators'>;
  memory: Pick<MemoryRequests, 'readAction' | 'storeActions'>;
  /** Takes what surfaces show; without it nobody looks. */
  liveFrames?: Pick<LiveFrameRelay, 'publishFrame'> | undefined;
  /** Takes what pages show to whoever drives; without it nobody does. */
  controlRelay?: Pick<ControlRelay, 'publishResult'> | undefined;
  /** Takes what agents are thinking; without it nobody is told. */
  agentThinking?: Pick<AgentThinkingRelay, 'publish'> | undefined;
  newId(): string;
  clock: Clock;
  log: Log;
  /** Seals a state of a surface; it opens only for this run. */
  seal(state: string, run: string): Buffer;
  leaseMs: number;
  renewMs: number;
  /** Takes what workers measured; without one they are not asked. */
  metrics?: Pick<WorkerMetrics, 'onConnected' | 'addReport'>;
  /** The worker said hello: it may be given runs. */
  onHello(socket: WorkerSocket): void;
  /** A second socket of a worker is there: one of its session before it is over. */
  onBulkChannel(socket: WorkerSocket): void;
  /** A slot of the worker may have become free. */
  onFree(socket: WorkerSocket): void;
}

type Handlers = {
  [Type in FromWorker['type']]: (socket: WorkerSocket, message: FromWorkerOf<Type>) => Promise<void> | void;
};

/** What the gateway answers to each message of a worker. */
export class WorkerMessageHandler {
  private readonly options: WorkerMessageHandlerDeps;
  private readonly writes: DurableRunWrites;
  /** Attempts that were accepted and have said nothing yet. */
  private readonly unconfirmed = new DelayQueue<{ socket: WorkerSocket; held: HeldAttempt }>(
    SPEAKS_MS,
    ({ socket, held }) => {
      // A write that never comes through cuts the socket.
      void this.writeAcceptance(socket, held).catch(() => undefined);
    },
  );

  constructor(options: WorkerMessageHandlerDeps) {
    this.options = options;
    this.writes = new DurableRunWrites(options);
  }

  async handle(socket: WorkerSocket, message: FromWorker): Promise<void> {
    const isFirst = message.type === 'hello' || message.type === 'bulk.hello';
    if (!socket.session && !isFirst)
      throw new PilothouseError('PROTOCOL_INVALID', 'The first message on a socket is hello');
    if (socket.session && message.type === 'bulk.hello')
      throw new PilothouseError('PROTOCOL_INVALID', 'bulk.hello is the first message on a socket, or none');
    const isBulkMessage = message.type === 'model.request' || message.type === 'screencast.frame';
    if (socket.isBulkChannel && !isBulkMessage)
      throw new PilothouseError(
        'PROTOCOL_INVALID',
        'On a second socket models are asked and surfaces shown, nothing else',
      );
    if (socket.isBulkChannel) await socket.admission;
    const handler = this.handlers[message.type] as (socket: WorkerSocket, message: FromWorker) => Promise<void> | void;
    await handler(socket, message);
  }

  private readonly handlers: Handlers = {
    hello: (socket, message) => this.hello(socket, message),
    ready: (socket, { freeSlots, assignmentsReceived }) => {
      socket.ready(freeSlots, assignmentsReceived);
      this.options.onFree(socket);
    },
    accepted: (socket, message) => this.accepted(socket, message),
    handback: (socket, message) => this.handback(socket, message),
    append: (socket, message) => this.append(socket, message),
    renew: (socket, message) => this.renew(socket, message),
    'upload.request': async (socket, message) =>
      void socket.send(await this.options.requests.grantUpload(socket, message)),
    'upload.done': async (socket, message) =>
      void socket.send(await this.options.requests.confirmUpload(socket, message)),
    'file.request': async (socket, message) =>
      void socket.send(await this.options.requests.grantDownload(socket, message)),
    'secret.request': async (socket, message) =>
      void socket.send(await this.options.requests.readSecret(socket, message)),
    'site_limit.request': async (socket, message) =>
      void socket.send(await this.options.sites.acquire(socket, message)),
    'profile.request': async (socket, message) => void socket.send(await this.options.profiles.load(socket, message)),
    'profile.save': async (socket, message) => void socket.send(await this.options.profiles.save(socket, message)),
    'model.request': async (socket, message) => void socket.send(await this.options.models.call(socket, message)),
    'screencast.frame': (socket, message) => this.options.liveFrames?.publishFrame(socket.session, message),
    'bulk.hello': (socket, message) => this.openBulkChannel(socket, message),
    'action_cache.get': async (socket, message) =>
      void socket.send(await this.options.memory.readAction(socket, message)),
    'action_cache.put': async (socket, message) =>
      void socket.send(await this.options.memory.storeActions(socket, message)),
    'locators.request': async (socket, message) =>
      void socket.send(await this.options.elements.locators(socket, message)),
    'control.inspection': async (socket, { run, epoch, id, result }) => {
      // Of a run that it holds no more nobody waits for an answer.
      if (socket.held.of(run)?.epoch === epoch) await this.options.controlRelay?.publishResult(id, result);
    },
    'agent.thinking': async (socket, { run, epoch, ...thinking }) => {
      if (socket.held.of(run)?.epoch === epoch) await this.options.agentThinking?.publish(run, thinking);
    },
    metrics: (socket, message) => this.options.metrics?.addReport(socket, message),
    bye: async (socket, { reason }) => {
      socket.draining = true;
      this.options.log.info({ worker: socket.workerName, reason }, 'A worker said goodbye');
      await setWorkerState(this.options.pool, socket.session, 'gone');
    },
  };

  private async hello(socket: WorkerSocket, hello: FromWorkerOf<'hello'>): Promise<void> {
    const { sessions, newId, log, leaseMs, renewMs } = this.options;
    if (!speaksWith(socket, hello.protocol)) return;
    const { fleet } = socket;
    if (hello.worker.surface !== fleet.surface) {
      const error = new PilothouseError(
        'FORBIDDEN',
        `Fleet ${fleet.name} takes ${fleet.surface} workers, not ${hello.worker.surface}`,
      );
      socket.send({ type: 'refused', error: error.view() });
      return socket.close(4403, error.message);
    }
    const { session, held } = await sessions.open({ fleet, hello, ids: { workerId: newId(), session: newId() } });
    socket.session = session;
    socket.workerName = hello.worker.name;
    socket.acceptsChunks = hello.acceptsChunks ?? false;
    socket.slots = Math.min(hello.worker.slots, fleet.slots);
    const said = new Set(hello.attempts.map(({ run, epoch }) => `${run}/${epoch}`));
    const keep = held.filter(({ run, epoch }) => said.has(`${run}/${epoch}`));
    const missing = held.filter((attempt) => !keep.includes(attempt));
    for (const { run, epoch, n, accepted, lostAttempts, rejectedClaims } of keep) {
      socket.held.add({
        run,
        epoch,
        lastEventN: n,
        accepted,
        acceptanceWritten: accepted,
        lostAttempts,
        rejectedClaims,
        assignedAt: performance.now(),
        definition: null,
        pendingWrite: null,
      });
    }
    // Claims that never reached the worker, or that it forgot when it started anew.
    await Promise.all(missing.map((attempt) => this.requeue(socket, attempt)));
    socket.send({
      type: 'welcome',
      protocol: WORKER_PROTOCOL,
      session,
      fleet: fleet.name,
      slots: socket.slots,
      leaseMs,
      renewMs,
      maxUnackedEvents: WINDOW,
      ...(this.options.metrics && { metricsMs: REPORT_EVERY_MS }),
      wantsThinking: true,
      attempts: keep.map(({ run, epoch, n }) => ({ run, epoch, sequence: n })),
    });
    log.info(
      { worker: socket.workerName, fleet: fleet.name, slots: socket.slots, kept: keep.length },
      'A worker is here',
    );
    this.options.metrics?.onConnected(socket);
    this.options.onHello(socket);
    // It holds them, and the gateway that was told so may have died before it wrote it.
    for (const attempt of keep) if (!attempt.accepted) this.accepted(socket, attempt);
  }

  /** Whether the session holds a run the store says with each request; here, that it is of the fleet whose token opened the socket. */
  private async openBulkChannel(
    socket: WorkerSocket,
    { protocol, session }: FromWorkerOf<'bulk.hello'>,
  ): Promise<void> {
    if (!speaksWith(socket, protocol)) return;
    socket.session = session;
    socket.isBulkChannel = true;
    socket.admission = this.admit(socket);
    await socket.admission;
    this.options.onBulkChannel(socket);
  }

  private async admit(socket: WorkerSocket): Promise<void> {
    const { fleet, session } = socket;
    try {
      const of = await fleetOfSession(this.options.pool, session);
      if (of === null || of === fleet.id) return;
    } catch (error) {
      socket.close(1013, 'The session cannot be looked up; connect again');
      throw error;
    }
    this.options.log.warn({ fleet: fleet.name, session }, 'A second socket named a session of another fleet');
    const refusal = new PilothouseError(
      'FORBIDDEN',
      `The session is not of the fleet ${fleet.name}: use the token of its own fleet`,
    );
    // A socket that closes sends no further message.
    socket.send({ type: 'refused', error: refusal.view() });
    socket.close(4403, 'The session is of another fleet');
    throw refusal;
  }

  private accepted(socket: WorkerSocket, attempt: Attempt): void {
    const held = socket.held.get(attempt);
    if (!held) return this.sendLost(socket, attempt);
    held.accepted = true;
    // The first events accept as well, and of a short step they come at once: one commit less for a run.
    if (!held.acceptanceWritten) this.unconfirmed.add({ socket, held });
  }

  /** Writes that the worker took the run, unless something that it said did. */
  private async writeAcceptance(socket: WorkerSocket, held: HeldAttempt): Promise<void> {
    if (held.acceptanceWritten) return;
    held.acceptanceWritten = true;
    const { run, epoch } = held;
    const guard = { from: ['running'] as const, epoch, session: socket.session };
    const written = await afterPendingWrite(held, () =>
      this.writes.writeUntilDurable(socket, { run, guard, accept: {} }),
    );
    if (!written) this.sendLost(socket, held);
  }

  private async handback(socket: WorkerSocket, { run, epoch, error }: FromWorkerOf<'handback'>): Promise<void> {
    const held = socket.held.get({ run, epoch });
    if (!held) return;
    // It goes back with what is written, and without what could not be.
    await held.pendingWrite?.catch(() => undefined);
    await this.returnAttempt(socket, held, error);
    this.freeSlot(socket, { run, epoch });
  }

  private async returnAttempt(socket: WorkerSocket, held: HeldAttempt, error: ErrorView): Promise<void> {
    const { run, epoch } = held;
    const { session, workerName: worker } = socket;
    const now = this.options.clock.now();
    // A worker that drains is no fault of the run; a surface that went away may be.
    const fault = error.code !== 'RUN_HANDED_BACK' && held.accepted ? 'lost' : 'none';
    const back = requeueOrFail(held, fault, { error, worker, at: now });
    const write = (what: RunWrite) => this.writes.writeUntilDurable(socket, what);
    const written = await writeReturn(write, { run, guard: { epoch, session }, back, at: now });
    if (written) {
      if (written.status === 'queued') await hit('gateway.handed-back', run);
      this.options.dispatch.onBacklog(written.fleet);
    } else {
      // A run that waits for a person goes on waiting without its slot.
      const waits = { from: ['awaiting_user'] as const, epoch, session };
      if (
        await this.writes.writeUntilDurable(socket, {
          run,
          guard: waits,
          release: true,
          events: [slotReleased(worker, now)],
        })
      )
        await hit('gateway.slot-released', run);
    }
  }

  private async append(socket: WorkerSocket, message: FromWorkerOf<'append'>): Promise<void> {
    const { run, epoch, outcome } = message;
    const held = socket.held.get(message);
    if (!held) return this.sendLost(socket, message);
    held.accepted = true;
    hit('gateway.append-received', run);
    const takes = !held.acceptanceWritten;
    held.acceptanceWritten = true;
    const written = await afterPendingWrite(held, () => this.writes.append(socket, message, held, takes));
    if (!written) return this.sendLost(socket, message);
    await hit('gateway.append-durable', run);
    if (message.safePoint) await hit('gateway.safe-point-stored', run);
    if (outcome) await hit('gateway.run-ended', run);
    if (outcome) this.freeSlot(socket, message);
    socket.send({
      type: 'append.ack',
      run,
      epoch,
      sequence: written.attemptEventSeq,
      isFinal: outcome !== undefined,
      leaseRenewed: takes,
    });
    if (outcome) this.options.dispatch.onSlotFreed(written.fleet);
  }

  private async renew(socket: WorkerSocket, { sentAt, attempts }: FromWorkerOf<'renew'>): Promise<void> {
    socket.lastRenewSentAt = sentAt;
    const renewed = await this.options.leases.renew({ session: socket.session, busy: attempts.length, attempts });
    if (!renewed) return socket.close(4001, 'The session is unknown; say hello again');
    const { cordoned, ...answer } = renewed;
    const wasCordoned = socket.cordoned;
    socket.applyFlags(renewed);
    socket.send({ type: 'renew.ack', sentAt, ...answer });
    if (wasCordoned && !cordoned) this.options.onFree(socket);
    const said = new Set(attempts.map(({ run }) => run));
    for (const forgotten of socket.held.values()) {
      if (!said.has(forgotten.run) && performance.now() - forgotten.assignedAt > FORGOTTEN_MS)
        this.freeSlot(socket, forgotten);
    }
  }

  private sendLost(socket: WorkerSocket, { run, epoch }: Attempt): void {
    this.freeSlot(socket, { run, epoch });
    const error = new PilothouseError('LEASE_LOST', 'Another attempt holds the run, or it has ended');
    socket.send({ type: 'attempt.lost', run, epoch, error: error.view() });
  }

  private freeSlot(socket: WorkerSocket, attempt: Attempt): void {
    socket.held.delete(attempt);
    this.options.onFree(socket);
  }

  private async requeue(socket: WorkerSocket, attempt: LeasedAttempt): Promise<void> {
    const { writer, dispatch, clock } = this.options;
    const { session, workerName: worker } = socket;
    const { run, epoch, accepted } = attempt;
    const error = new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', `Worker ${worker} does not know of the run`).view();
    const at = clock.now();
    const back = requeueOrFail(attempt, accepted ? 'lost' : 'refused', { error, worker, at });
    const written = await writeReturn((what) => writer.write(what), { run, guard: { epoch, session }, back, at });
    if (written) dispatch.onBacklog(written.fleet);
    else {
      const guard = { from: ['awaiting_user'] as const, epoch, session };
      await writer.write({ run, guard, release: true, events: [slotReleased(worker, at)] });
    }
  }
}

const slotReleased = (worker: string, at: Date) =>
  createEvent('run.slot_released', `${worker} released the slot; the question stays`, { worker }, at);

/** Refuses a worker of another version of the protocol, and closes its socket. */
function speaksWith(socket: WorkerSocket, protocol: number): boolean {
  if (protocol === WORKER_PROTOCOL) return true;
  const error = new PilothouseError(
    'PROTOCOL_VERSION',
    `This gateway speaks protocol ${WORKER_PROTOCOL}, the worker ${protocol}`,
  );
  socket.send({ type: 'refused', error: error.view() });
  socket.close(4400, error.message);
  return false;
}
