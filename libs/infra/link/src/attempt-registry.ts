import { PilothouseError, type Assignment, type Attempt, type FromWorker, type ToWorkerOf } from '@pilothouse/contract';
import { RunRegistry, type Clock, type Log } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
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
  readonly giveUpMs: number;
  /** Milliseconds without an acknowledgement after which the worker reconnects. */
  readonly unansweredMs: number;
  readonly requests: RpcClient;
  readonly bulkChannel: BulkChannel;
  /** The open connection; undefined: none. */
  connection(): GatewayConnection | undefined;
  /** Sends a message on the open connection; dropped without one. */
  send(message: FromWorker): void;
  reconnect(): void;
}

interface HeldAttempt {
  readonly link: AttemptLink;
  readonly outbox: EventOutbox;
  readonly watchdog: AckWatchdog;
  /** When the first events were sent on this connection: they may renew the lease. */
  firstSent: ClockSample | undefined;
  /** The gateway knows that the run was accepted, or learns it from the events. */
  isAccepted: boolean;
}

/** The attempts that this worker holds, with their events and leases. Survives a lost connection. */
export class AttemptRegistry {
  private readonly options: AttemptRegistryOptions;
  /** By run: a new attempt replaces the old one. */
  private readonly held = new RunRegistry<string, HeldAttempt>();
  private readonly renewer: LeaseRenewer;
  private flushQueue: HeldAttempt[] = [];
  private acceptQueue: HeldAttempt[] = [];

  constructor(options: AttemptRegistryOptions) {
    this.options = options;
    this.renewer = new LeaseRenewer({
      read: () => sampleClock(options.clock),
      held: () => this.attempts(),
      send: (message) => {
        options.send(message);
        this.reconnectIfUnacked();
      },
    });
  }

  attempts(): Attempt[] {
    return this.held.values().map(({ link }) => link.attempt);
  }

  /** The link of an attempt that is held. */
  find(attempt: Attempt): AttemptLink | undefined {
    return this.findHeld(attempt)?.link;
  }

  /** Takes an offered run. From now on this worker ends it. */
  accept(attempt: Attempt, { checkpoints, firstIntentWritten, leaseCountsFrom }: Assignment): AttemptLink {
    const { clock, giveUpMs } = this.options;
    const lease = new AttemptLease({ clock, limitMs: giveUpMs });
    const outbox = new EventOutbox(attempt, firstIntentWritten ? 1 : 0);
    const link = this.createLink(attempt, lease, outbox);
    const held = { link, outbox, watchdog: new AckWatchdog(), firstSent: undefined, isAccepted: false };
    this.held.set(attempt.run, held);
    // An attempt whose lease ended by its own limit cannot write any more.
    lease.endSignal.addEventListener('abort', () => {
      const reason: unknown = lease.endSignal.reason;
      if (reason instanceof PilothouseError && reason.code === 'LEASE_LOST') link.markLost(reason);
    });
    this.scheduleAccepted(held);
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
    const previous = this.held.get(run);
    previous?.link.markLost(new PilothouseError('LEASE_LOST', `Attempt ${epoch} at the run has begun`));
  }

  /** Continues on a new connection with the attempts that the gateway still knows. */
  onWelcome({ attempts }: Welcome): void {
    const known = new Map(attempts.map((attempt) => [attempt.run, attempt]));
    for (const held of this.held.values()) {
      const { run, epoch } = held.link.attempt;
      const attempt = known.get(run);
      held.watchdog.onReconnect();
      held.firstSent = undefined;
      if (attempt?.epoch !== epoch)
        held.link.markLost(new PilothouseError('LEASE_LOST', 'The gateway gave the run to another attempt'));
      else held.outbox.rewind(attempt.sequence);
    }
  }

  startRenewals(renewMs: number): void {
    this.renewer.start(renewMs);
  }

  stopRenewals(): void {
    this.renewer.stop();
  }

  onAppendAck({ sequence, isFinal, leaseRenewed, ...attempt }: ToWorkerOf<'append.ack'>): void {
    const held = this.findHeld(attempt);
    if (!held) return;
    const welcome = this.options.connection()?.welcome;
    if (leaseRenewed && held.firstSent && welcome) held.link.lease.onRenewed(held.firstSent, welcome.leaseMs);
    held.outbox.onAck(sequence, isFinal);
    held.watchdog.onAck(this.options.clock.monotonic(), held.outbox.hasUnacked);
    this.scheduleFlush(held);
  }

  onRenewAck({ sentAt, attempts, cancelled, answers }: ToWorkerOf<'renew.ack'>): void {
    const renewal = this.renewer.onAck(sentAt);
    const welcome = this.options.connection()?.welcome;
    if (renewal && welcome) {
      const epochs = new Map(attempts.map(({ run, epoch }) => [run, epoch]));
      for (const attempt of renewal.attempts) {
        const held = this.findHeld(attempt);
        if (epochs.get(attempt.run) === attempt.epoch) held?.link.lease.onRenewed(renewal.sample, welcome.leaseMs);
        // An attempt loses its lease a moment before its outcome is acknowledged: the acknowledgement decides.
        else if (!held?.outbox.isOutcomeSent) {
          const message = 'The lease was not renewed: another attempt holds the run';
          held?.link.markLost(new PilothouseError('LEASE_LOST', message));
        }
      }
    }
    for (const attempt of cancelled) this.cancel(attempt);
    for (const { run, epoch, answer } of answers) this.find({ run, epoch })?.receiveAnswer(answer);
  }

  cancel(attempt: Attempt): void {
    this.find(attempt)?.lease.end(new PilothouseError('RUN_CANCELLED', 'The run was cancelled'));
  }

  /** Handles a refused message of an attempt. */
  onRefused(attempt: Attempt, { retry, message }: ToWorkerOf<'refused'>['error']): void {
    const held = this.findHeld(attempt);
    if (!held) return;
    // The gateway would refuse the following messages too: all are sent again on another connection.
    if (retry === 'same-request') return held.watchdog.onRefused(this.options.clock.monotonic());
    // The attempt can write nothing more, so it may not continue.
    held.link.markLost(new PilothouseError('LEASE_LOST', `The gateway refuses what the attempt writes: ${message}`));
  }

  /** Marks every attempt as lost. */
  loseAll(reason: PilothouseError): void {
    for (const { link } of this.held.values()) link.markLost(reason);
  }

  /** Sends the events of all outboxes, as far as the window and the socket allow. */
  flush(): void {
    for (const held of this.held.values()) this.scheduleFlush(held);
  }

  private createLink(attempt: Attempt, lease: AttemptLease, outbox: EventOutbox): AttemptLink {
    const { send, requests, bulkChannel, connection } = this.options;
    return new AttemptLink(
      attempt,
      lease,
      outbox,
      { requests, bulkRequests: bulkChannel.requests },
      {
        pump: () => {
          const held = this.findHeld(attempt);
          if (held) this.scheduleFlush(held);
        },
        handback: (_, error) => {
          const held = this.findHeld(attempt);
          if (held) this.sendAccepted(held);
          send({ type: 'handback', ...attempt, error });
        },
        sendSafePoint: (_, safePoint) => send({ type: 'append', ...attempt, events: [], safePoint }),
        release: () => {
          if (this.findHeld(attempt)) this.held.delete(attempt.run);
        },
        sendFrame: (_, jpeg) => bulkChannel.sendFrame(attempt, jpeg),
        sendInspection: (_, inspection) => send({ type: 'control.inspection', ...attempt, ...inspection }),
        sendThinking: (_, thinking) => {
          const open = connection();
          if (open?.welcome.wantsThinking && open.socket.isWritable)
            send({ type: 'agent.thinking', ...attempt, ...thinking });
        },
      },
    );
  }

  /** Sends one outbox. Events that are appended within one tick are sent together. */
  private scheduleFlush(held: HeldAttempt): void {
    this.flushQueue.push(held);
    if (this.flushQueue.length > 1) return;
    queueMicrotask(() => {
      const { flushQueue } = this;
      this.flushQueue = [];
      const connection = this.options.connection();
      if (!connection) return;
      for (const queued of flushQueue) this.flushAttempt(queued, connection);
    });
  }

  private flushAttempt(held: HeldAttempt, { socket, welcome }: GatewayConnection): void {
    // A lost attempt sends nothing.
    if (this.findHeld(held.link.attempt) !== held) return;
    while (socket.isWritable) {
      const message = held.outbox.nextBatch(welcome.maxUnackedEvents);
      if (!message) break;
      const sample = sampleClock(this.options.clock);
      held.watchdog.onSent(sample.monotonic);
      held.firstSent ??= sample;
      held.isAccepted = true;
      socket.send(message);
      hit(message.outcome ? 'link.outcome-sent' : 'link.append-sent', message.run);
    }
  }

  /** Sends `accepted`, unless the attempt sends events within this turn of the event loop. */
  private scheduleAccepted(held: HeldAttempt): void {
    this.acceptQueue.push(held);
    if (this.acceptQueue.length > 1) return;
    setImmediate(() => {
      const { acceptQueue } = this;
      this.acceptQueue = [];
      for (const queued of acceptQueue) this.sendAccepted(queued);
    });
  }

  private sendAccepted(held: HeldAttempt): void {
    const { attempt } = held.link;
    if (held.isAccepted || this.findHeld(attempt) !== held) return;
    held.isAccepted = true;
    this.options.send({ type: 'accepted', ...attempt });
  }

  private reconnectIfUnacked(): void {
    const { clock, unansweredMs, giveUpMs, log, reconnect } = this.options;
    const now = clock.monotonic();
    for (const { link, watchdog } of this.held.values()) {
      if (!watchdog.isExpired(now, giveUpMs)) continue;
      link.markLost(new PilothouseError('LEASE_LOST', 'The gateway did not acknowledge the events of the attempt'));
    }
    const unacked = this.held.values().filter(({ watchdog }) => watchdog.shouldReconnect(now, unansweredMs));
    if (unacked.length === 0) return;
    const runs = unacked.map(({ link }) => link.attempt.run);
    log.warn({ runs }, 'the gateway does not acknowledge events: connecting anew');
    reconnect();
  }

  private findHeld({ run, epoch }: Attempt): HeldAttempt | undefined {
    const held = this.held.get(run);
    return held?.link.attempt.epoch === epoch ? held : undefined;
  }
}
