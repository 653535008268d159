import { PilothouseError, type ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { WORKER_PROTOCOL } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorker, FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { Assignment, ToWorker, ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import type { MetricDeltas } from '@pilothouse/contract/worker/worker-metrics.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import { BulkChannel, type BulkChannelOptions } from './bulk-channel.ts';
import type { AttemptLink } from './attempt-link.ts';
import { AttemptRegistry, type Welcome } from './attempt-registry.ts';
import { RpcClient } from './rpc-client.ts';
import type { GatewaySocket } from './gateway-socket.ts';
import type { WorkerCredential } from './worker-credential.ts';

/** Identity of the worker in each `hello`. */
export type WorkerIdentity = FromWorkerOf<'hello'>['worker'];

/** A run that the gateway offers. */
export interface AssignmentOffer {
  readonly assignment: Assignment;
  /** Accepts the run. From now on this worker ends it. */
  accept(): AttemptLink;
  /** Returns the run to the queue. */
  refuse(error: ErrorView): void;
}

export interface GatewaySessionOptions {
  readonly clock: Clock;
  readonly log: Log;
  hello(): WorkerIdentity;
  /** Accepts or refuses the offer before it returns. */
  onOffer(offer: AssignmentOffer): void;
  /** Called, possibly more than once, when the worker takes no new runs and ends after the current ones. */
  onDrain(): void;
  onWelcome(welcome: Welcome): void;
  /** Milliseconds without a renewal after which an attempt is lost. */
  readonly renewalTimeoutMs: number;
  /** Milliseconds without an acknowledgement after which the worker reconnects. */
  readonly ackTimeoutMs: number;
  readonly credential: Pick<WorkerCredential, 'sessionKeyHash' | 'onExchanged'>;
  /** Options of the bulk channel. */
  readonly bulkChannel: Pick<BulkChannelOptions, 'open' | 'signal' | 'random' | 'idleMs'>;
}

/** The protocol session of a worker. It outlives its connections: the next one continues where the last one broke. */
export class GatewaySession {
  private readonly options: GatewaySessionOptions;
  private readonly attempts: AttemptRegistry;
  private readonly requests: RpcClient;
  private readonly bulkChannel: BulkChannel;
  private socket: GatewaySocket | undefined;
  /** Welcome of the open connection. */
  private welcome: Welcome | undefined;
  private session: string | undefined;
  private freeSlots: number | undefined;
  /** Assignments of the open connection. */
  private assignmentsReceived = 0;
  private isReadyScheduled = false;
  private refusal: PilothouseError | undefined;
  private shouldReconnect = false;

  constructor(options: GatewaySessionOptions) {
    this.options = options;
    const { clock, log, bulkChannel, renewalTimeoutMs, ackTimeoutMs } = options;
    let lastId = 0;
    const nextId = () => ++lastId;
    this.requests = new RpcClient(clock, (message) => this.send(message), nextId);
    this.bulkChannel = new BulkChannel({ ...bulkChannel, clock, log, session: () => this.session, nextId });
    this.attempts = new AttemptRegistry({
      ...{ clock, log, renewalTimeoutMs, ackTimeoutMs, requests: this.requests, bulkChannel: this.bulkChannel },
      connection: () => this.socket && this.welcome && { socket: this.socket, welcome: this.welcome },
      send: (message) => this.send(message),
      reconnect: () => this.socket?.terminate(),
    });
  }

  /**
   * Uses one connection until it ends.
   * @param welcomeMs milliseconds until the welcome
   * @returns whether the gateway welcomed the worker, and whether it asked to reconnect
   * @throws PilothouseError the refusal of the gateway
   */
  async serve(
    socket: GatewaySocket,
    welcomeMs: number,
  ): Promise<{ wasWelcomed: boolean; shouldReconnectNow: boolean }> {
    this.socket = socket;
    this.refusal = undefined;
    this.shouldReconnect = false;
    let wasWelcomed = false;
    const timer = systemTimers.setTimeout(() => {
      if (!this.welcome) socket.terminate();
    }, welcomeMs);
    socket.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      worker: this.options.hello(),
      sessionKeyHash: this.options.credential.sessionKeyHash,
      ...(this.session && { session: this.session }),
      attempts: this.attempts.attempts(),
    });
    try {
      await socket.closed;
      wasWelcomed = this.welcome !== undefined;
    } finally {
      systemTimers.clearTimeout(timer);
      this.attempts.stopRenewals();
      this.socket = undefined;
      this.welcome = undefined;
    }
    if (this.refusal) throw this.refusal;
    return { wasWelcomed, shouldReconnectNow: this.shouldReconnect };
  }

  /** Announces the number of free slots, once per turn of the event loop: each run takes and frees a slot. */
  ready(freeSlots: number): void {
    if (this.freeSlots === freeSlots) return;
    this.freeSlots = freeSlots;
    this.scheduleReady();
  }

  private scheduleReady(): void {
    if (this.isReadyScheduled) return;
    this.isReadyScheduled = true;
    setImmediate(() => {
      this.isReadyScheduled = false;
      const { freeSlots, assignmentsReceived } = this;
      if (freeSlots !== undefined) this.send({ type: 'ready', freeSlots, assignmentsReceived });
    });
  }

  /** Sends metrics. @returns false: not sent; the worker adds them to the next ones */
  metrics(deltas: MetricDeltas): boolean {
    if (this.welcome?.metricsMs === undefined || !this.socket?.isWritable) return false;
    this.send({ type: 'metrics', ...deltas });
    return true;
  }

  bye(reason: string): void {
    this.send({ type: 'bye', reason: reason.slice(0, 200) });
  }

  /** Marks every attempt as lost. */
  loseAll(reason: PilothouseError): void {
    this.attempts.loseAll(reason);
  }

  /** Sends the events of all attempts, as far as the window and the socket allow. */
  flush(): void {
    this.attempts.flush();
  }

  /** Handles a message of the gateway. */
  receive(message: ToWorker): void {
    if (message.type === 'welcome') return this.onWelcome(message);
    if (message.type === 'rejected') return this.onRejected(message);
    if (!this.welcome) {
      this.options.log.warn({ type: message.type }, 'message before the welcome ignored');
      return;
    }
    const { attempts } = this;
    switch (message.type) {
      case 'assign':
        this.assignmentsReceived += 1;
        return this.onAssign(message.assignment);
      case 'append.ack':
        return attempts.onAppendAck(message);
      case 'renew.ack':
        attempts.onRenewAck(message);
        if (message.drain) this.options.onDrain();
        return;
      case 'attempt.lost':
        return attempts.find(message)?.markLost(errorOf(message.error));
      case 'cancel':
        return attempts.cancel(message);
      case 'question.answered':
        return attempts.find(message)?.receiveAnswer(message.answer);
      case 'screencast.request':
        return attempts.find(message)?.receiveScreencastRequest(message);
      case 'control.input':
        return attempts.find(message)?.receiveControlInput(message);
      case 'model.partial':
        return this.requests.onPartial(message);
      case 'chunk':
        // The socket joins chunks; a chunk within another is invalid.
        return;
      case 'drain':
        return this.options.onDrain();
      case 'gateway.closing':
        this.shouldReconnect = true;
        return this.socket?.terminate();
      default:
        if (!this.requests.onResponse(message))
          this.options.log.debug({ type: message.type }, 'response without a pending request ignored');
    }
  }

  private onWelcome(welcome: Welcome): void {
    const { renewMs } = welcome;
    this.welcome = welcome;
    if (welcome.isTokenExchanged) this.options.credential.onExchanged();
    this.assignmentsReceived = 0;
    this.session = welcome.session;
    this.bulkChannel.onWelcome();
    this.attempts.onWelcome(welcome);
    this.socket?.keepAlive(renewMs, 2 * renewMs + 500);
    this.options.onWelcome(welcome);
    this.attempts.startRenewals(renewMs);
    // Each gateway needs it, also when it has not changed.
    this.scheduleReady();
    this.requests.resend();
    this.flush();
  }

  private onRejected({ id, run, epoch, error }: ToWorkerOf<'rejected'>): void {
    const { log } = this.options;
    if (id !== undefined) {
      // The refusal of an abandoned request does not affect the attempt.
      if (!this.requests.onRejected(id, error)) log.debug({ code: error.code }, 'late refusal ignored');
      return;
    }
    if (!this.welcome) {
      this.refusal = errorOf(error);
      this.socket?.terminate();
      return;
    }
    log.error({ code: error.code, error: error.message }, 'message rejected by the gateway');
    if (run !== undefined && epoch !== undefined) this.attempts.onRejected({ run, epoch }, error);
  }

  private onAssign(assignment: Assignment): void {
    const attempt = { run: assignment.run, epoch: assignment.epoch };
    if (this.attempts.find(attempt)) return;
    this.attempts.replace(attempt);
    this.options.onOffer({
      assignment,
      accept: () => this.attempts.accept(attempt, assignment),
      refuse: (error) => this.send({ type: 'handback', ...attempt, error }),
    });
  }

  private send(message: FromWorker): void {
    if (this.welcome) this.socket?.send(message);
  }
}

const errorOf = ({ code, message, details }: ErrorView) => new PilothouseError(code, message, { details });
