import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Attempt, EventData, RunEvent } from '@pilothouse/contract';
import {
  systemClock,
  type BlobStore,
  type Log,
  type SignedTransfers,
  systemTimers,
  settlesWithin,
} from '@pilothouse/core';
import {
  RunLeaseRenewer,
  ActionCacheStore,
  ProfileStore,
  WorkerSessionStore,
  type GatewayFleet,
  type Pool,
} from '@pilothouse/infra-db';
import type { Vault } from '@pilothouse/infra-vault';
import { closeWithin } from '../common/shutdown.ts';
import type { LiveFrameRelay, ScreencastRequest } from '../live/live-frame-relay.ts';
import type { AgentThinkingRelay } from '../runs/events/agent-thinking-relay.ts';
import type { ControlInputBatch, ControlRelay } from '../control/control-relay.ts';
import type { ModelCallService } from '../models/model-call.service.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { WorkerMessageHandler } from './messages/worker-message-handler.ts';
import { FleetDispatcher } from './assignment/fleet-dispatcher.ts';
import { HistoryRequests, MemoryRequests } from './requests/history-requests.ts';
import { ModelRequests } from './requests/model-requests.ts';
import { ProfileRequests } from './requests/profile-requests.ts';
import type { SurfaceStateSealer } from '../sealing/sealed-data.ts';
import { SiteRequests } from './requests/site-requests.ts';
import { TransferRequests } from './requests/transfer-requests.ts';
import type { WorkerMetrics } from './messages/worker-metrics.ts';
import { WorkerSocket } from './socket/worker-socket.ts';

export interface WorkerGatewayDeps {
  pool: Pool;
  lifecycle: RunLifecycleServices;
  store: BlobStore;
  /** Signed URLs that workers can reach. */
  transfers: SignedTransfers;
  unseal(sealed: Buffer, run: string): Record<string, string>;
  /** Seals and opens the state of a run's surface. */
  stateSealer: SurfaceStateSealer;
  /** Seals and opens profiles. */
  vault: Pick<Vault, 'seal' | 'open'>;
  /** Milliseconds a question may hold its slot. */
  questionHoldMs: number;
  newId(): string;
  redisUrl: string;
  redisPrefix: string;
  leaseMs: number;
  renewMs: number;
  /** Whether a run that finds a free slot here goes straight to it, past the queue. */
  directDispatch: boolean;
  /** Asks models for runs. */
  models: Pick<ModelCallService, 'call'>;
  /** What surfaces show, and who looks; without it nobody does. */
  liveFrames?: Pick<LiveFrameRelay, 'publishFrame' | 'onViewersChanged'>;
  /** What people at the wheel do; without it nobody drives. */
  controlRelay?: Pick<ControlRelay, 'onInput' | 'publishResult'>;
  /** What agents are thinking; without it nobody is told. */
  agentThinking?: Pick<AgentThinkingRelay, 'publish'>;
  /** The workers as metrics; without it nobody measures. */
  workerMetrics?: WorkerMetrics;
  /** Told of each batch of renewals. */
  onRenewed?(size: number, milliseconds: number): void;
  log: Log;
}

/** A worker that does not say hello is cut after so long. */
const HELLO_MS = 5_000;

/** Milliseconds for what is at hand when a gateway stops, before its workers are sent elsewhere; well within a lease. */
const AT_HAND_MS = 1_000;

/** Milliseconds for what is left then. */
const SETTLE_MS = 2_000;

/** The part of the API that workers connect to. */
export class WorkerGateway {
  /** Names this gateway in BullMQ's locks. */
  private readonly id: string;
  private readonly options: WorkerGatewayDeps;
  private readonly conversation: WorkerMessageHandler;
  private readonly models: ModelRequests;
  private readonly sockets = new Set<WorkerSocket>();
  private readonly desks = new Map<string, FleetDispatcher>();
  private readonly unsubscribe: (() => void)[];
  private stopping = false;

  constructor(options: WorkerGatewayDeps) {
    this.options = options;
    this.id = options.newId();
    const {
      pool,
      lifecycle: way,
      store,
      transfers,
      unseal,
      stateSealer: states,
      vault,
      newId,
      log,
      leaseMs,
      renewMs,
    } = options;
    const { writer, dispatcher: dispatch, liveEvents: live } = way;
    const clock = systemClock;
    this.models = new ModelRequests(options.models);
    this.conversation = new WorkerMessageHandler({
      pool,
      writer,
      leases: new RunLeaseRenewer(pool, leaseMs, options.onRenewed),
      sessions: new WorkerSessionStore(pool),
      dispatch,
      requests: new TransferRequests({ pool, writer, store, transfers, unseal, newId, clock }),
      sites: new SiteRequests(pool),
      profiles: new ProfileRequests({ profiles: new ProfileStore(pool), vault, log }),
      models: this.models,
      elements: new HistoryRequests(pool),
      memory: new MemoryRequests(new ActionCacheStore(pool)),
      liveFrames: options.liveFrames,
      controlRelay: options.controlRelay,
      agentThinking: options.agentThinking,
      newId,
      clock,
      log,
      seal: (state, run) => states.seal(state, run),
      leaseMs,
      renewMs,
      metrics: options.workerMetrics,
      onHello: (socket) => this.desk(socket.fleet).add(socket),
      onBulkChannel: (socket) => this.closeOlderBulkChannels(socket),
      onFree: (socket) => this.desks.get(socket.fleet.id)?.onSlotFree(),
    });
    if (options.directDispatch)
      dispatch.attachLocalSlots({
        free: (fleet) => this.desks.get(fleet)?.availableSlots ?? null,
        claim: async (fleet) => (await this.desks.get(fleet)?.claimNext()) ?? { slots: 0, filled: 0 },
        offer: (hint) => this.desks.get(hint.fleet)?.tryDispatch(hint) ?? false,
      });
    this.unsubscribe = [live.subscribe((events) => this.forwardUserEvents(events))];
    if (options.liveFrames)
      this.unsubscribe.push(
        options.liveFrames.onViewersChanged((run, watching) => this.requestScreencast(run, watching)),
      );
    if (options.controlRelay)
      this.unsubscribe.push(
        options.controlRelay.onInput((attempt, driven) => this.forwardControlInput(attempt, driven)),
      );
  }

  /** Workers connected to this replica. */
  get size(): number {
    return [...this.sockets].filter(({ isBulkChannel }) => !isBulkChannel).length;
  }

  /** A socket whose handshake was accepted. */
  connect(ws: WebSocket, stream: Duplex, fleet: GatewayFleet): void {
    if (this.stopping) return ws.close(1012, 'This gateway stops; connect again');
    const socket = new WorkerSocket(ws, stream, fleet, this.options.log);
    this.sockets.add(socket);
    const silent = systemTimers.setTimeout(() => socket.session || socket.close(4408, 'No hello'), HELLO_MS);
    socket.listen(
      (message) => this.conversation.handle(socket, message),
      () => {
        systemTimers.clearTimeout(silent);
        this.sockets.delete(socket);
        this.desks.get(fleet.id)?.remove(socket);
        if (socket.session && !socket.isBulkChannel && !this.stopping) {
          this.options.log.info({ worker: socket.workerName, holds: socket.held.size }, 'A worker disconnected');
        }
      },
    );
  }

  /**
   * Takes no more jobs, settles claims, sees events written, sends the workers elsewhere, closes. The workers do not wait for a database that
   * hangs, lest their leases end here: what was not acknowledged by then comes again at another replica, and what was claimed and cannot be
   * assigned any more goes back, by this gateway or by the sweeper.
   */
  async close(): Promise<void> {
    this.stopping = true;
    for (const unsubscribe of this.unsubscribe) unsubscribe();
    const settled = Promise.all([...this.desks.values()].map((desk) => desk.close())).then(() =>
      this.options.lifecycle.writer.drained(),
    );
    await settlesWithin(settled, AT_HAND_MS);
    for (const socket of this.sockets) {
      socket.send({ type: 'gateway.closing' });
      socket.close(1012, 'This gateway stops; connect again');
    }
    await closeWithin('the gateway', settled, SETTLE_MS, this.options.log);
    this.models.close();
  }

  /** A worker has one second socket here: what those before it kept is let go. */
  private closeOlderBulkChannels(opened: WorkerSocket): void {
    for (const other of this.sockets)
      if (other !== opened && other.isBulkChannel && other.session === opened.session)
        other.close(4409, 'There is another second socket of the worker');
  }

  private desk(fleet: GatewayFleet): FleetDispatcher {
    let desk = this.desks.get(fleet.id);
    if (!desk) {
      const {
        pool,
        lifecycle: way,
        log,
        leaseMs,
        redisUrl,
        redisPrefix,
        stateSealer: states,
        questionHoldMs: askHoldMs,
      } = this.options;
      const { writer, dispatcher: dispatch } = way;
      const clock = systemClock;
      desk = new FleetDispatcher({
        fleet,
        pool,
        writer,
        dispatch,
        clock,
        log,
        leaseMs,
        redisUrl,
        prefix: redisPrefix,
        gateway: this.id,
        states,
        askHoldMs,
      });
      this.desks.set(fleet.id, desk);
    }
    return desk;
  }

  /** Somebody looks at a run, which may be held here. */
  private requestScreencast(run: string, watching: ScreencastRequest): void {
    for (const socket of this.sockets) {
      const held = socket.held.of(run);
      if (held) socket.send({ type: 'screencast.request', run, epoch: held.epoch, ...watching });
    }
  }

  /** Somebody drives an attempt, which may be held here. */
  private forwardControlInput({ run, epoch }: Attempt, driven: ControlInputBatch): void {
    for (const socket of this.sockets)
      if (socket.held.of(run)?.epoch === epoch) socket.send({ type: 'control.input', run, epoch, ...driven });
  }

  /** What people do to a run reaches its worker with the live events, sooner than with the next renewal. */
  private forwardUserEvents(events: readonly RunEvent[]): void {
    for (const { type, run, data } of events) {
      if (!peopleEvents.has(type)) continue;
      for (const socket of this.sockets) {
        const held = socket.held.of(run);
        if (!held) continue;
        const { epoch } = held;
        if (type !== 'run.answered') socket.send({ type: 'cancel', run, epoch });
        else {
          socket.send({ type: 'question.answered', run, epoch, answer: data as unknown as EventData<'run.answered'> });
        }
      }
    }
  }
}

const peopleEvents: ReadonlySet<string> = new Set(['run.cancelling', 'run.cancelled', 'run.answered']);
