import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { EventData, RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { BlobStore, SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import { systemClock, type Log } from '@pilothouse/core/ports/runtime.port';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import { systemTimers } from '@pilothouse/core/time/timers';
import {
  ActionCacheStore,
  ProfileStore,
  ProjectSecretStore,
  RunLeaseRenewer,
  shortenLeases,
  WorkerSessionStore,
  type GatewayFleet,
  type Pool,
  type WorkerCredentialRecord,
} from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { closeWithin } from '../common/shutdown.ts';
import type { ControlInputBatch, ControlRelay } from '../control/control-relay.ts';
import { FleetDispatcher } from '../dispatch/fleet-dispatcher.ts';
import type { LiveFrameRelay, ScreencastRequest } from '../live/live-frame-relay.ts';
import type { ModelCallService } from '../models/model-call.service.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import type { AgentThinkingRelay } from '../runs/events/agent-thinking-relay.ts';
import type { ScreenParseService } from '../screen-parsing/screen-parse.service.ts';
import { ProjectSecretReader } from '../sealing/project-secrets.ts';
import type { SurfaceStateSealer } from '../sealing/sealed-data.ts';
import { AssignmentBuilder } from './assignment/assignment-builder.ts';
import { AssignmentSender } from './assignment/assignment-sender.ts';
import { AttemptMessages } from './messages/attempt-messages.ts';
import { WorkerMessageHandler } from './messages/worker-message-handler.ts';
import type { WorkerMetrics } from './messages/worker-metrics.ts';
import { HistoryRequests } from './requests/history-requests.ts';
import { ModelRequests } from './requests/model-requests.ts';
import { ProfileRequests } from './requests/profile-requests.ts';
import { SiteRequests } from './requests/site-requests.ts';
import { TransferRequests } from './requests/transfer-requests.ts';
import { SessionOpener } from './session-opener.ts';
import type { WorkerAdmission } from './worker-admission.ts';
import { WorkerConnection } from './worker-connection.ts';
import type { BulkChannel, WorkerSession } from './socket/worker-session.ts';
import { WorkerSocket } from './socket/worker-socket.ts';

export interface WorkerGatewayDeps {
  pool: Pool;
  lifecycle: RunLifecycleServices;
  store: BlobStore;
  /** Signed URLs that workers can reach. */
  transfers: SignedTransfers;
  /** Opens the sealed secret inputs of a run. */
  unseal(sealed: Buffer, run: string): Record<string, string>;
  stateSealer: SurfaceStateSealer;
  /** Seals and opens profiles. */
  vault: Pick<Vault, 'seal' | 'open'>;
  /** Milliseconds for which a waiting question may keep its slot. */
  questionHoldMs: number;
  newId(): string;
  redisUrl: string;
  redisPrefix: string;
  leaseMs: number;
  renewMs: number;
  /** Fills free slots of this replica without the job queue. */
  directDispatch: boolean;
  models: Pick<ModelCallService, 'call'>;
  /** Null: no screen parser is configured. */
  screenParseService: ScreenParseService | null;
  liveFrames: Pick<LiveFrameRelay, 'publishFrame' | 'onScreencastRequest'>;
  controlRelay: Pick<ControlRelay, 'onInput' | 'publishResult'>;
  agentThinking: Pick<AgentThinkingRelay, 'publish'>;
  workerMetrics: WorkerMetrics;
  admission: Pick<WorkerAdmission, 'admit' | 'onJoined'>;
  /** Called after each batch of lease renewals. */
  onRenewed?(size: number, milliseconds: number): void;
  log: Log;
}

/** A socket without a `hello` is closed after this time. */
const HELLO_TIMEOUT_MS = 5_000;

/** Time for claims and writes in progress at shutdown, before workers are sent to other replicas; well below a lease. */
const SETTLE_BEFORE_CLOSE_MS = 1_000;

/** Further time for them afterwards. */
const SETTLE_AFTER_CLOSE_MS = 2_000;

const CLOSING_REASON = 'The gateway is shutting down; reconnect';

/** The connected workers of this replica. */
export class WorkerGateway {
  /** Id of this gateway in the locks of the job queue. */
  private readonly id: string;
  private readonly deps: WorkerGatewayDeps;
  private readonly opener: SessionOpener;
  private readonly handler: WorkerMessageHandler;
  private readonly modelRequests: ModelRequests;
  private readonly connections = new Set<WorkerConnection>();
  private readonly sessions = new Set<WorkerSession>();
  private readonly dispatchers = new Map<string, FleetDispatcher<WorkerSession>>();
  private readonly unsubscribe: (() => void)[];
  private isClosing = false;

  constructor(deps: WorkerGatewayDeps) {
    this.deps = deps;
    this.id = deps.newId();
    const { pool, lifecycle, liveFrames, controlRelay, workerMetrics, admission, newId } = deps;
    const { log, leaseMs, renewMs } = deps;
    const attempts = this.createAttemptMessages();
    this.modelRequests = new ModelRequests(deps.models);
    this.handler = this.createHandler(attempts);
    this.opener = new SessionOpener({
      pool,
      sessions: new WorkerSessionStore(pool),
      attempts,
      admission,
      workerMetrics,
      newId,
      clock: systemClock,
      log,
      leaseMs,
      renewMs,
      hasScreenParser: deps.screenParseService !== null,
      onOpened: (session) => this.addSession(session),
      onBulkChannelOpened: (channel) => this.closeOlderBulkChannels(channel),
    });
    this.unsubscribe = [
      lifecycle.liveEvents.subscribe((events) => this.forwardUserEvents(events)),
      liveFrames.onScreencastRequest((run, request) => this.requestScreencast(run, request)),
      controlRelay.onInput((attempt, input) => this.forwardControlInput(attempt, input)),
    ];
  }

  /** Adds a socket whose handshake was accepted. */
  connect(ws: WebSocket, stream: Socket, credential: WorkerCredentialRecord): void {
    if (this.isClosing) return ws.close(1012, CLOSING_REASON);
    const { log } = this.deps;
    const socket = new WorkerSocket(ws, stream, credential, log);
    const connection = new WorkerConnection(socket, this.opener, this.handler);
    this.connections.add(connection);
    const helloTimer = systemTimers.setTimeout(() => {
      if (!connection.isIdentified) socket.close(4408, 'No hello');
    }, HELLO_TIMEOUT_MS);
    socket.listen(
      (message) => connection.handle(message),
      () => {
        systemTimers.clearTimeout(helloTimer);
        this.connections.delete(connection);
        if (connection.session) this.removeSession(connection.session);
      },
    );
  }

  /**
   * Claims no more runs, settles claims and writes in progress, and sends the workers to other replicas. The workers do not wait for a
   * database that hangs, because their leases would expire here. They send unacknowledged messages again to another replica; a claim
   * that cannot be assigned is returned by this gateway or by the sweeper.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    const { lifecycle, log } = this.deps;
    for (const [fleet, dispatcher] of this.dispatchers) lifecycle.localSlots.remove(fleet, dispatcher);
    const dispatchersClosed = Promise.all([...this.dispatchers.values()].map((dispatcher) => dispatcher.close()));
    const writesDrained = dispatchersClosed.then(() => lifecycle.writer.drained());
    await settlesWithin(writesDrained, SETTLE_BEFORE_CLOSE_MS);
    for (const { socket } of this.connections) {
      socket.send({ type: 'gateway.closing' });
      socket.close(1012, CLOSING_REASON);
    }
    await closeWithin('the gateway', writesDrained, SETTLE_AFTER_CLOSE_MS, log);
    this.modelRequests.close();
    this.deps.screenParseService?.close();
  }

  private createAttemptMessages(): AttemptMessages {
    const { pool, lifecycle, stateSealer, log, leaseMs, onRenewed } = this.deps;
    const { writer, dispatcher } = lifecycle;
    return new AttemptMessages({
      pool,
      writer,
      dispatcher,
      leases: new RunLeaseRenewer(pool, leaseMs, onRenewed),
      clock: systemClock,
      log,
      leaseMs,
      seal: (state, run) => stateSealer.seal(state, run),
      onSlotFree: (session) => this.onSlotFree(session),
    });
  }

  private createHandler(attempts: AttemptMessages): WorkerMessageHandler {
    const { pool, lifecycle, store, transfers, unseal, vault, newId, log } = this.deps;
    const { liveFrames, controlRelay, agentThinking, workerMetrics, screenParseService } = this.deps;
    const { writer } = lifecycle;
    return new WorkerMessageHandler({
      pool,
      attempts,
      transferRequests: new TransferRequests({
        pool,
        writer,
        store,
        transfers,
        unseal,
        projectSecrets: new ProjectSecretReader(new ProjectSecretStore(pool), vault),
        newId,
        clock: systemClock,
      }),
      siteRequests: new SiteRequests(pool),
      profileRequests: new ProfileRequests({ profiles: new ProfileStore(pool), vault, log }),
      modelRequests: this.modelRequests,
      screenParseService,
      historyRequests: new HistoryRequests(pool, new ActionCacheStore(pool)),
      liveFrames,
      controlRelay,
      agentThinking,
      workerMetrics,
      log,
      onSlotFree: (session) => this.onSlotFree(session),
    });
  }

  private createDispatcher(fleet: GatewayFleet): FleetDispatcher<WorkerSession> {
    const { pool, lifecycle, log, leaseMs, redisUrl, redisPrefix, stateSealer, questionHoldMs } = this.deps;
    const { directDispatch } = this.deps;
    const { writer, dispatcher } = lifecycle;
    const clock = systemClock;
    const builder = new AssignmentBuilder({ pool, log, stateSealer, questionHoldMs });
    const sender = new AssignmentSender({ builder, pool, writer, dispatcher, clock, log, leaseMs });
    const connection = { redisUrl, redisPrefix, gatewayId: this.id };
    const fleetDispatcher = new FleetDispatcher({
      fleet,
      pool,
      writer,
      dispatcher,
      sender,
      clock,
      log,
      leaseMs,
      ...connection,
    });
    this.dispatchers.set(fleet.id, fleetDispatcher);
    if (directDispatch) lifecycle.localSlots.add(fleet.id, fleetDispatcher);
    return fleetDispatcher;
  }

  private addSession(session: WorkerSession): void {
    const { fleet, socket } = session;
    // It may have closed during its `hello`.
    if (!socket.isOpen) return;
    this.sessions.add(session);
    const dispatcher = this.dispatchers.get(fleet.id) ?? this.createDispatcher(fleet);
    dispatcher.add(session);
  }

  private removeSession(session: WorkerSession): void {
    const { id, fleet, workerName: worker, attempts } = session;
    const { pool, leaseMs, log } = this.deps;
    this.sessions.delete(session);
    this.dispatchers.get(fleet.id)?.remove(session);
    if (this.isClosing) return;
    log.info({ worker, holds: attempts.size }, 'worker disconnected');
    if (attempts.size > 0)
      void shortenLeases(pool, id, leaseMs).catch((error: unknown) =>
        log.warn({ worker, error: String(error) }, 'leases not shortened, they end later'),
      );
  }

  private onSlotFree({ fleet }: WorkerSession): void {
    this.dispatchers.get(fleet.id)?.onSlotFree();
  }

  /** A worker has one bulk channel per session at this gateway. */
  private closeOlderBulkChannels(channel: BulkChannel): void {
    for (const { bulkChannel } of this.connections)
      if (bulkChannel && bulkChannel !== channel && bulkChannel.id === channel.id)
        bulkChannel.socket.close(4409, 'The worker opened another bulk socket');
  }

  /** The viewers of a run have changed; a worker of this replica may hold it. */
  private requestScreencast(run: string, request: ScreencastRequest): void {
    for (const { socket, attempts } of this.sessions) {
      const attempt = attempts.findByRun(run);
      if (attempt) socket.send({ type: 'screencast.request', run, epoch: attempt.epoch, ...request });
    }
  }

  /** Forwards manual input to the worker that holds the attempt, if it is connected here. */
  private forwardControlInput({ run, epoch }: Attempt, input: ControlInputBatch): void {
    for (const { socket, attempts } of this.sessions)
      if (attempts.get({ run, epoch })) socket.send({ type: 'control.input', run, epoch, ...input });
  }

  /** Forwards cancellations and answers to workers; the next lease renewal would be later. */
  private forwardUserEvents(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (!userEvents.has(event.type)) continue;
      for (const { socket, attempts } of this.sessions) {
        const attempt = attempts.findByRun(event.run);
        if (!attempt) continue;
        const { run, epoch } = attempt;
        if (event.type !== 'run.answered') socket.send({ type: 'cancel', run, epoch });
        else {
          const answer = event.data as unknown as EventData<'run.answered'>;
          socket.send({ type: 'question.answered', run, epoch, answer });
        }
      }
    }
  }
}

/** Events that users cause, and that a worker has to know. */
const userEvents: ReadonlySet<string> = new Set(['run.cancelling', 'run.cancelled', 'run.answered']);
