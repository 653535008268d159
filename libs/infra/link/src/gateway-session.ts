import {
  PilothouseError,
  WORKER_PROTOCOL,
  type Assignment,
  type Attempt,
  type ErrorView,
  type FromWorker,
  type FromWorkerOf,
  type MetricDeltas,
  type ToWorker,
  type ToWorkerOf,
} from '@pilothouse/contract';
import { RunRegistry, type Clock, type Log, systemTimers } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import { BulkChannel, type BulkChannelOptions } from './bulk-channel.ts';
import { AttemptLink } from './attempt-link.ts';
import { AttemptLease, type ClockSample, sampleClock } from './attempt-lease.ts';
import { EventOutbox } from './event-outbox.ts';
import { LeaseRenewer } from './lease-renewer.ts';
import { RpcClient } from './rpc-client.ts';
import type { GatewaySocket } from './gateway-socket.ts';
import { AckWatchdog } from './ack-watchdog.ts';

/** What the worker says of itself in each `hello`. */
export type WorkerIdentity = FromWorkerOf<'hello'>['worker'];
export type Welcome = ToWorkerOf<'welcome'>;

/** A run that the gateway wants carried out. */
export interface AssignmentOffer {
  readonly assignment: Assignment;
  /** Takes the run: from now on it is this worker's to end. */
  accept(): AttemptLink;
  /** Gives it back. */
  refuse(error: ErrorView): void;
}

export interface GatewaySessionOptions {
  readonly clock: Clock;
  readonly log: Log;
  hello(): WorkerIdentity;
  /** Either accepts or refuses, before it returns. */
  onOffer(offer: AssignmentOffer): void;
  /** Take nothing new, finish, go. May be told more than once. */
  onDrain(): void;
  onWelcome(welcome: Welcome): void;
  /** Milliseconds without a renewal after which an attempt is given up. */
  readonly giveUpMs: number;
  /** Milliseconds after which an unanswered append means that the connection is no good. */
  readonly unansweredMs: number;
  /** How a second socket is opened, and when it is closed. */
  readonly bulkChannel: Pick<BulkChannelOptions, 'open' | 'signal' | 'random' | 'idleMs'>;
}

interface Held {
  readonly link: AttemptLink;
  readonly outbox: EventOutbox;
  readonly unanswered: AckWatchdog;
  /** When the first events were sent on this connection: the lease may be renewed with them. */
  firstSent: ClockSample | undefined;
  /** The gateway was told that the run was taken, or is told by what the attempt says. */
  isAccepted: boolean;
}

/** What a worker and its gateway talk about. It outlives the connection: the next one takes up where the last one broke. */
export class GatewaySession {
  private readonly options: GatewaySessionOptions;
  /** By run: a new attempt at one takes the place of the old. */
  private readonly held = new RunRegistry<string, Held>();
  private readonly requests: RpcClient;
  private readonly bulkChannel: BulkChannel;
  private readonly renewals: LeaseRenewer;
  private socket: GatewaySocket | undefined;
  /** Of the connection that is open now. */
  private welcome: Welcome | undefined;
  private session: string | undefined;
  private free: number | undefined;
  /** Assignments that came on the connection that is open now. */
  private assigned = 0;
  private isSayingReady = false;
  private refusal: PilothouseError | undefined;
  private moved = false;
  /** Attempts with something to send in a moment. */
  private speaking: Held[] = [];
  /** Attempts that are accepted in a moment. */
  private accepting: Held[] = [];

  constructor(options: GatewaySessionOptions) {
    this.options = options;
    let lastId = 0;
    const nextId = () => ++lastId;
    this.requests = new RpcClient(options.clock, (message) => this.send(message), nextId);
    const { clock, log, bulkChannel } = options;
    this.bulkChannel = new BulkChannel({ ...bulkChannel, clock, log, session: () => this.session, nextId });
    this.renewals = new LeaseRenewer({
      read: () => sampleClock(options.clock),
      held: () => this.attempts(),
      send: (message) => {
        this.send(message);
        this.breakWhenUnanswered();
      },
    });
  }

  /**
   * Talks over one connection until it ends.
   * @param welcomeMs milliseconds within which the gateway has to welcome
   * @returns whether it did, and whether it asked to connect anew
   * @throws PilothouseError what the gateway refused the worker with
   */
  async serve(socket: GatewaySocket, welcomeMs: number): Promise<{ welcomed: boolean; moved: boolean }> {
    this.socket = socket;
    this.refusal = undefined;
    this.moved = false;
    let welcomed = false;
    const late = systemTimers.setTimeout(() => {
      if (!this.welcome) socket.terminate();
    }, welcomeMs);
    socket.send({
      type: 'hello',
      protocol: WORKER_PROTOCOL,
      worker: this.options.hello(),
      ...(this.session && { session: this.session }),
      attempts: this.attempts(),
    });
    try {
      await socket.closed;
      welcomed = this.welcome !== undefined;
    } finally {
      systemTimers.clearTimeout(late);
      this.renewals.stop();
      this.socket = undefined;
      this.welcome = undefined;
    }
    if (this.refusal) throw this.refusal;
    return { welcomed, moved: this.moved };
  }

  /** Says how many slots are free. What changes within one turn of the event loop is said once: each run takes a slot and gives it back. */
  ready(free: number): void {
    if (this.free === free) return;
    this.free = free;
    this.sayReady();
  }

  private sayReady(): void {
    if (this.isSayingReady) return;
    this.isSayingReady = true;
    setImmediate(() => {
      this.isSayingReady = false;
      if (this.free !== undefined)
        this.send({ type: 'ready', freeSlots: this.free, assignmentsReceived: this.assigned });
    });
  }

  /** Not kept for the next connection: what is not sent now the worker adds to what comes next. */
  metrics(deltas: MetricDeltas): boolean {
    if (this.welcome?.metricsMs === undefined || !this.socket?.isWritable) return false;
    this.send({ type: 'metrics', ...deltas });
    return true;
  }

  bye(reason: string): void {
    this.send({ type: 'bye', reason: reason.slice(0, 200) });
  }

  /** Gives every attempt up. */
  loseAll(reason: PilothouseError): void {
    for (const { link } of this.held.values()) link.markLost(reason);
  }

  /** Sends what waits in all outboxes, as far as the window and the socket take it. */
  flush(): void {
    for (const held of this.held.values()) this.speak(held);
  }

  /** Sends what waits in one outbox. What is handed in within one tick goes out together. */
  private speak(held: Held): void {
    this.speaking.push(held);
    if (this.speaking.length > 1) return;
    queueMicrotask(() => {
      const { speaking, socket, welcome } = this;
      this.speaking = [];
      if (!socket || !welcome) return;
      for (const held of speaking) this.empty(held, socket, welcome.maxUnackedEvents);
    });
  }

  private empty(held: Held, socket: GatewaySocket, window: number): void {
    // Lost meanwhile, it has nothing more to say.
    if (this.find(held.link.attempt) !== held) return;
    while (socket.isWritable) {
      const message = held.outbox.nextBatch(window);
      if (!message) break;
      const now = sampleClock(this.options.clock);
      held.unanswered.onSent(now.monotonic);
      held.firstSent ??= now;
      held.isAccepted = true;
      socket.send(message);
      hit(message.outcome ? 'link.outcome-sent' : 'link.append-sent', message.run);
    }
  }

  /** Takes a message of the gateway. */
  receive(message: ToWorker): void {
    if (message.type === 'welcome') return this.welcomed(message);
    if (message.type === 'refused') return this.refused(message);
    if (!this.welcome) {
      this.options.log.warn({ type: message.type }, 'the gateway spoke before its welcome; ignored');
      return;
    }
    switch (message.type) {
      case 'assign':
        this.assigned += 1;
        return this.offered(message.assignment);
      case 'append.ack':
        return this.appended(message);
      case 'renew.ack':
        return this.renewed(message);
      case 'attempt.lost':
        return this.find(message)?.link.markLost(errorOf(message.error));
      case 'cancel':
        return this.cancel(message);
      case 'question.answered':
        return this.find(message)?.link.receiveAnswer(message.answer);
      case 'screencast.request':
        return this.find(message)?.link.watch(message);
      case 'control.input':
        return this.find(message)?.link.drive(message);
      case 'model.partial':
        return this.requests.onPartial(message);
      case 'chunk':
        // The socket puts them together; one within another is nothing.
        return;
      case 'drain':
        return this.options.onDrain();
      case 'gateway.closing':
        this.moved = true;
        return this.socket?.terminate();
      default:
        if (!this.requests.onResponse(message)) {
          this.options.log.debug({ type: message.type }, 'an answer came that nobody waits for');
        }
    }
  }

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome;
    this.assigned = 0;
    this.session = welcome.session;
    this.bulkChannel.welcomed();
    const kept = new Map(welcome.attempts.map((attempt) => [attempt.run, attempt]));
    for (const held of this.held.values()) {
      const { run, epoch } = held.link.attempt;
      const keep = kept.get(run);
      held.unanswered.onReconnect();
      held.firstSent = undefined;
      if (keep?.epoch !== epoch)
        held.link.markLost(new PilothouseError('LEASE_LOST', 'The gateway gave the run to another attempt'));
      else held.outbox.rewind(keep.sequence);
    }
    this.socket?.keepAlive(welcome.renewMs, 2 * welcome.renewMs + 500);
    this.options.onWelcome(welcome);
    this.renewals.start(welcome.renewMs);
    // Each gateway has to hear it, also when nothing has changed.
    this.sayReady();
    this.requests.resend();
    this.flush();
  }

  private refused({ id, run, epoch, error }: ToWorkerOf<'refused'>): void {
    if (id !== undefined) {
      // A request that was given up meanwhile: its refusal says nothing about the attempt.
      if (!this.requests.refused(id, error)) this.options.log.debug({ code: error.code }, 'a refusal came late');
      return;
    }
    if (!this.welcome) {
      this.refusal = errorOf(error);
      this.socket?.terminate();
      return;
    }
    this.options.log.error({ code: error.code, error: error.message }, 'the gateway refused a message');
    const held = run !== undefined && epoch !== undefined && this.find({ run, epoch });
    if (!held) return;
    // What follows would be refused, too: all of it is sent again on another connection.
    if (error.retry === 'same-request') return held.unanswered.onRefused(this.options.clock.monotonic());
    // What the attempt says will never be taken: it can write nothing more, so it may not go on.
    held.link.markLost(
      new PilothouseError('LEASE_LOST', `The gateway refuses what the attempt writes: ${error.message}`),
    );
  }

  private offered(assignment: Assignment): void {
    const attempt = { run: assignment.run, epoch: assignment.epoch };
    if (this.find(attempt)) return;
    const before = this.held.get(attempt.run);
    before?.link.markLost(new PilothouseError('LEASE_LOST', `Attempt ${attempt.epoch} at the run has begun`));
    this.options.onOffer({
      assignment,
      accept: () => this.accept(attempt, assignment),
      refuse: (error) => this.send({ type: 'handback', ...attempt, error }),
    });
  }

  private accept(attempt: Attempt, { checkpoints, firstIntentWritten, leaseCountsFrom }: Assignment): AttemptLink {
    const lease = new AttemptLease({ clock: this.options.clock, limitMs: this.options.giveUpMs });
    const outbox = new EventOutbox(attempt, firstIntentWritten ? 1 : 0);
    const link = new AttemptLink(
      attempt,
      lease,
      outbox,
      { requests: this.requests, bulkRequests: this.bulkChannel.requests },
      {
        pump: () => this.speak(held),
        handback: (attempt, error) => {
          this.sayAccepted(held);
          this.send({ type: 'handback', ...attempt, error });
        },
        sendSafePoint: (attempt, saved) => this.send({ type: 'append', ...attempt, events: [], safePoint: saved }),
        release: (attempt) => {
          if (this.find(attempt)) this.held.delete(attempt.run);
        },
        sendFrame: (attempt, jpeg) => this.bulkChannel.sendFrame(attempt, jpeg),
        sendInspection: (attempt, sight) => this.send({ type: 'control.inspection', ...attempt, ...sight }),
        sendThinking: (attempt, thinking) => {
          if (this.welcome?.wantsThinking && this.socket?.isWritable)
            this.send({ type: 'agent.thinking', ...attempt, ...thinking });
        },
      },
    );
    const held: Held = {
      link,
      outbox,
      unanswered: new AckWatchdog(),
      firstSent: undefined,
      isAccepted: false,
    };
    this.held.set(attempt.run, held);
    // Given up by the lease's own limit, the attempt can write nothing more either.
    lease.endSignal.addEventListener('abort', () => {
      const reason: unknown = lease.endSignal.reason;
      if (reason instanceof PilothouseError && reason.code === 'LEASE_LOST') link.markLost(reason);
    });
    this.acceptSoon(held);
    // The lease counts from what was sent before the claim was made. Where nothing is known of that the first events renew it, and an attempt
    // that acts before it has anything to say asks.
    const heard = leaseCountsFrom === undefined ? undefined : this.renewals.sampleOf(leaseCountsFrom);
    if (heard && this.welcome) lease.onRenewed(heard, this.welcome.leaseMs);
    else if (firstIntentWritten || checkpoints.length > 0) this.renewals.renewNow();
    return link;
  }

  /** Says that a run was taken, unless what its attempt says within this turn of the event loop says so, too. */
  private acceptSoon(held: Held): void {
    this.accepting.push(held);
    if (this.accepting.length > 1) return;
    setImmediate(() => {
      const { accepting } = this;
      this.accepting = [];
      for (const held of accepting) this.sayAccepted(held);
    });
  }

  private sayAccepted(held: Held): void {
    const { attempt } = held.link;
    if (held.isAccepted || this.find(attempt) !== held) return;
    held.isAccepted = true;
    this.send({ type: 'accepted', ...attempt });
  }

  private appended({ sequence: n, isFinal, leaseRenewed, ...attempt }: ToWorkerOf<'append.ack'>): void {
    const held = this.find(attempt);
    if (!held) return;
    if (leaseRenewed && held.firstSent && this.welcome) held.link.lease.onRenewed(held.firstSent, this.welcome.leaseMs);
    held.outbox.onAck(n, isFinal);
    held.unanswered.onAck(this.options.clock.monotonic(), held.outbox.hasUnacked);
    this.speak(held);
  }

  private renewed({ sentAt, attempts, cancelled, answers, drain }: ToWorkerOf<'renew.ack'>): void {
    const renewal = this.renewals.onAck(sentAt);
    if (renewal && this.welcome) {
      const holds = new Map(attempts.map(({ run, epoch }) => [run, epoch]));
      for (const asked of renewal.asked) {
        const found = this.find(asked);
        if (holds.get(asked.run) === asked.epoch) found?.link.lease.onRenewed(renewal.sent, this.welcome.leaseMs);
        // An attempt that ends has no lease any more a moment before it hears of it: the answer to its outcome decides.
        else if (!found?.outbox.isOutcomeSent) {
          found?.link.markLost(
            new PilothouseError('LEASE_LOST', 'The lease was not renewed: another attempt holds the run'),
          );
        }
      }
    }
    for (const attempt of cancelled) this.cancel(attempt);
    for (const { run, epoch, answer } of answers) this.find({ run, epoch })?.link.receiveAnswer(answer);
    if (drain) this.options.onDrain();
  }

  private cancel(attempt: Attempt): void {
    this.find(attempt)?.link.lease.end(new PilothouseError('RUN_CANCELLED', 'The run was cancelled'));
  }

  private breakWhenUnanswered(): void {
    const { clock, unansweredMs, giveUpMs, log } = this.options;
    const now = clock.monotonic();
    for (const { link, unanswered } of this.held.values()) {
      if (!unanswered.isExpired(now, giveUpMs)) continue;
      link.markLost(new PilothouseError('LEASE_LOST', 'The gateway did not acknowledge the events of the attempt'));
    }
    const silent = this.held.values().filter(({ unanswered }) => unanswered.shouldReconnect(now, unansweredMs));
    if (silent.length === 0) return;
    log.warn(
      { runs: silent.map(({ link }) => link.attempt.run) },
      'the gateway does not acknowledge events: connecting anew',
    );
    this.socket?.terminate();
  }

  private attempts(): Attempt[] {
    return this.held.values().map(({ link }) => link.attempt);
  }

  private find({ run, epoch }: Attempt): Held | undefined {
    const held = this.held.get(run);
    return held?.link.attempt.epoch === epoch ? held : undefined;
  }

  private send(message: FromWorker): void {
    if (this.welcome) this.socket?.send(message);
  }
}

const errorOf = ({ code, message, details }: ErrorView) => new PilothouseError(code, message, { details });
