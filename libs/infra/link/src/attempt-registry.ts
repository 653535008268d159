import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorker } from '@pilothouse/contract/worker/from-worker.messages';
import type { Assignment, ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { RunRegistry } from '@pilothouse/core/run/run-registry';
import { failpoint } from '@pilothouse/infra-fault';
import { AckWatchdog } from './ack-watchdog.ts';
import { AttemptLease, sampleClock, type ClockSample } from './attempt-lease.ts';
import { AttemptLink } from './attempt-link.ts';
import type { BulkChannel } from './bulk-channel.ts';
import { EventOutbox } from './event-outbox.ts';
import type { GatewaySocket } from './gateway-socket.ts';
import { LeaseRenewer } from './lease-renewer.ts';
import type { RpcClient } from './rpc-client.ts';

export type Welcome = ToWorkerOf<'welcome'>;

/** A connection after its welcome. */
export interface GatewayConnection {
  readonly socket: GatewaySocket;
  readonly welcome: Welcome;
}

export interface AttemptRegistryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds without a renewal after which an attempt is lost. */
  readonly renewalTimeoutMs: number;
  /** Milliseconds without an acknowledgement after which the worker reconnects. */
  readonly ackTimeoutMs: number;
  readonly requests: RpcClient;
  readonly bulkChannel: BulkChannel;
  /** The open connection; undefined: none. */
  connection(): GatewayConnection | undefined;
  /** Sends a message on the open connection; dropped without one. */
  send(message: FromWorker): void;
  reconnect(): void;
}

interface AttemptEntry {
  readonly link: AttemptLink;
  readonly outbox: EventOutbox;
  readonly watchdog: AckWatchdog;
  /** When the first events were sent on this connection: they may renew the lease. */
  firstSentAt: ClockSample | undefined;
  /** The gateway knows that the run was accepted, or learns it from the events. */
  isAccepted: boolean;
}

/** The attempts that this worker holds, with their events and leases. Survives a lost connection. */
export class AttemptRegistry {
  private readonly options: AttemptRegistryOptions;
  /** By run: a new attempt replaces the old one. */
  private readonly attemptsByRun = new RunRegistry<string, AttemptEntry>();
  private readonly renewer: LeaseRenewer;
  private flushQueue: AttemptEntry[] = [];
  private acceptQueue: AttemptEntry[] = [];

  constructor(options: AttemptRegistryOptions) {
    this.options = options;
    this.renewer = new LeaseRenewer({
      sampleClock: () => sampleClock(options.clock),
      entry: () => this.attempts(),
      send: (message) => {
        options.send(message);
        this.reconnectIfUnacked();
      },
    });
  }

  attempts(): Attempt[] {
    return this.attemptsByRun.values().map(({ link }) => link.attempt);
  }

  /** The link of an attempt that is held. */
  find(attempt: Attempt): AttemptLink | undefined {
    return this.findEntry(attempt)?.link;
  }

  /** Accepts an offered run. From now on this worker ends it. */
  accept(attempt: Attempt, { checkpoints, firstIntentWritten, leaseCountsFrom }: Assignment): AttemptLink {
    const { clock, renewalTimeoutMs } = this.options;
    const lease = new AttemptLease({ clock, limitMs: renewalTimeoutMs });
    const outbox = new EventOutbox(attempt, firstIntentWritten ? 1 : 0);
    const link = this.createLink(attempt, lease, outbox);
    const entry = { link, outbox, watchdog: new AckWatchdog(), firstSentAt: undefined, isAccepted: false };
    this.attemptsByRun.set(attempt.run, entry);
    // An attempt whose lease ended by its own limit cannot write any more.
    lease.endSignal.addEventListener('abort', () => {
      const reason: unknown = lease.endSignal.reason;
      if (reason instanceof PilothouseError && reason.code === 'LEASE_LOST') link.markLost(reason);
    });
    this.scheduleAccepted(entry);
    // The lease counts from the renewal before the claim. Without one, the first events renew it; an attempt that acts before its first
    // events requests a renewal.
    const welcome = this.options.connection()?.welcome;
    const sample = leaseCountsFrom === undefined ? undefined : this.renewer.sampleOf(leaseCountsFrom);
    if (sample && welcome) lease.onRenewed(sample, welcome.leaseMs);
    else if (firstIntentWritten || checkpoints.length > 0) this.renewer.renewNow();
    return link;
  }

  /** Marks the attempt of a run as lost that another attempt replaces. */
  replace({ run, epoch }: Attempt): void {
    const previous = this.attemptsByRun.get(run);
    previous?.link.markLost(new PilothouseError('LEASE_LOST', `Attempt ${epoch} of the run has started`));
  }

  /** Continues on a new connection with the attempts that the gateway still knows. */
  onWelcome({ attempts }: Welcome): void {
    const knownAttempts = new Map(attempts.map((attempt) => [attempt.run, attempt]));
    for (const entry of this.attemptsByRun.values()) {
      const { run, epoch } = entry.link.attempt;
      const attempt = knownAttempts.get(run);
      entry.watchdog.onReconnect();
      entry.firstSentAt = undefined;
      if (attempt?.epoch !== epoch)
        entry.link.markLost(new PilothouseError('LEASE_LOST', 'The gateway assigned the run to another attempt'));
      else entry.outbox.rewind(attempt.sequence);
    }
  }

  startRenewals(renewMs: number): void {
    this.renewer.start(renewMs);
  }

  stopRenewals(): void {
    this.renewer.stop();
  }

  onAppendAck({ sequence, isFinal, leaseRenewed, ...attempt }: ToWorkerOf<'append.ack'>): void {
    const entry = this.findEntry(attempt);
    if (!entry) return;
    const welcome = this.options.connection()?.welcome;
    if (leaseRenewed && entry.firstSentAt && welcome) entry.link.lease.onRenewed(entry.firstSentAt, welcome.leaseMs);
    entry.outbox.onAck(sequence, isFinal);
    entry.watchdog.onAck(this.options.clock.monotonic(), entry.outbox.hasUnacked);
    this.scheduleFlush(entry);
  }

  onRenewAck({ sentAt, attempts, cancelled, answers }: ToWorkerOf<'renew.ack'>): void {
    const renewal = this.renewer.onAck(sentAt);
    const welcome = this.options.connection()?.welcome;
    if (renewal && welcome) {
      const epochs = new Map(attempts.map(({ run, epoch }) => [run, epoch]));
      for (const attempt of renewal.attempts) {
        const entry = this.findEntry(attempt);
        if (epochs.get(attempt.run) === attempt.epoch) entry?.link.lease.onRenewed(renewal.sample, welcome.leaseMs);
        // An attempt loses its lease a moment before its outcome is acknowledged: the acknowledgement decides.
        else if (!entry?.outbox.isOutcomeSent) {
          const message = 'The lease was not renewed: another attempt holds the run';
          entry?.link.markLost(new PilothouseError('LEASE_LOST', message));
        }
      }
    }
    for (const attempt of cancelled) this.cancel(attempt);
    for (const { run, epoch, answer } of answers) this.find({ run, epoch })?.receiveAnswer(answer);
  }

  cancel(attempt: Attempt): void {
    this.find(attempt)?.lease.end(new PilothouseError('RUN_CANCELLED', 'The run was cancelled'));
  }

  /** Handles a rejected message of an attempt. */
  onRejected(attempt: Attempt, { retry, message }: ToWorkerOf<'rejected'>['error']): void {
    const entry = this.findEntry(attempt);
    if (!entry) return;
    // The gateway would refuse the following messages too: all are sent again on another connection.
    if (retry === 'same-request') return entry.watchdog.onRefused(this.options.clock.monotonic());
    // The attempt can write nothing more, so it may not continue.
    entry.link.markLost(new PilothouseError('LEASE_LOST', `The gateway refused a message of the attempt: ${message}`));
  }

  /** Marks every attempt as lost. */
  loseAll(reason: PilothouseError): void {
    for (const { link } of this.attemptsByRun.values()) link.markLost(reason);
  }

  /** Sends the events of all outboxes, as far as the window and the socket allow. */
  flush(): void {
    for (const entry of this.attemptsByRun.values()) this.scheduleFlush(entry);
  }

  private createLink(attempt: Attempt, lease: AttemptLease, outbox: EventOutbox): AttemptLink {
    const { send, requests, bulkChannel, connection } = this.options;
    return new AttemptLink(
      attempt,
      lease,
      outbox,
      { requests, bulkRequests: bulkChannel.requests },
      {
        flush: () => {
          const entry = this.findEntry(attempt);
          if (entry) this.scheduleFlush(entry);
        },
        handback: (_, error) => {
          const entry = this.findEntry(attempt);
          if (entry) this.sendAccepted(entry);
          send({ type: 'handback', ...attempt, error });
        },
        sendSafePoint: (_, safePoint) => send({ type: 'append', ...attempt, events: [], safePoint }),
        release: () => {
          if (this.findEntry(attempt)) this.attemptsByRun.delete(attempt.run);
        },
        sendFrame: (_, jpeg) => bulkChannel.sendFrame(attempt, jpeg),
        sendInspection: (_, inspection) => send({ type: 'control.inspection', ...attempt, ...inspection }),
        hasScreenParser: () => connection()?.welcome.hasScreenParser === true,
        sendThinking: (_, thinking) => {
          const current = connection();
          if (current?.welcome.wantsThinking && current.socket.isWritable)
            send({ type: 'agent.thinking', ...attempt, ...thinking });
        },
      },
    );
  }

  /** Sends one outbox. Events that are appended within one tick are sent together. */
  private scheduleFlush(entry: AttemptEntry): void {
    this.flushQueue.push(entry);
    if (this.flushQueue.length > 1) return;
    queueMicrotask(() => {
      const { flushQueue } = this;
      this.flushQueue = [];
      const connection = this.options.connection();
      if (!connection) return;
      for (const entry of flushQueue) this.flushAttempt(entry, connection);
    });
  }

  private flushAttempt(entry: AttemptEntry, { socket, welcome }: GatewayConnection): void {
    // A lost attempt sends nothing.
    if (this.findEntry(entry.link.attempt) !== entry) return;
    while (socket.isWritable) {
      const message = entry.outbox.nextBatch(welcome.maxUnackedEvents);
      if (!message) break;
      const sample = sampleClock(this.options.clock);
      entry.watchdog.onSent(sample.monotonic);
      entry.firstSentAt ??= sample;
      entry.isAccepted = true;
      socket.send(message);
      failpoint(message.outcome ? 'link.outcome-sent' : 'link.append-sent', message.run);
    }
  }

  /** Sends `accepted`, unless the attempt sends events within this turn of the event loop. */
  private scheduleAccepted(entry: AttemptEntry): void {
    this.acceptQueue.push(entry);
    if (this.acceptQueue.length > 1) return;
    setImmediate(() => {
      const { acceptQueue } = this;
      this.acceptQueue = [];
      for (const entry of acceptQueue) this.sendAccepted(entry);
    });
  }

  private sendAccepted(entry: AttemptEntry): void {
    const { attempt } = entry.link;
    if (entry.isAccepted || this.findEntry(attempt) !== entry) return;
    entry.isAccepted = true;
    this.options.send({ type: 'accepted', ...attempt });
  }

  private reconnectIfUnacked(): void {
    const { clock, ackTimeoutMs, renewalTimeoutMs, log, reconnect } = this.options;
    const now = clock.monotonic();
    for (const { link, watchdog } of this.attemptsByRun.values()) {
      if (!watchdog.isExpired(now, renewalTimeoutMs)) continue;
      link.markLost(new PilothouseError('LEASE_LOST', 'The gateway did not acknowledge the events of the attempt'));
    }
    const unackedEntries = this.attemptsByRun
      .values()
      .filter(({ watchdog }) => watchdog.shouldReconnect(now, ackTimeoutMs));
    if (unackedEntries.length === 0) return;
    const runs = unackedEntries.map(({ link }) => link.attempt.run);
    log.warn({ runs }, 'events not acknowledged by the gateway, reconnecting');
    reconnect();
  }

  private findEntry({ run, epoch }: Attempt): AttemptEntry | undefined {
    const entry = this.attemptsByRun.get(run);
    return entry?.link.attempt.epoch === epoch ? entry : undefined;
  }
}
