import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import {
  readWorkerFlags,
  type DispatchJob,
  type GatewayFleet,
  type Pool,
  type RunWriter,
  type WorkerFlags,
  type WrittenRun,
} from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import { JobFetcher, type DispatchJobId } from '@pilothouse/infra-queue';
import type { FleetSlots } from './local-slots.ts';
import type { RunDispatcher } from './run-dispatcher.ts';

/** A connected worker, with its slots. */
export interface SlotOwner {
  /** Id of the session. */
  readonly id: string;
  readonly workerName: string;
  /** Runs that the worker can be assigned now. */
  readonly availableSlots: number;
  /** `sentAt` of the last lease renewal that was received; undefined before the first. */
  readonly lastRenewSentAt: number | undefined;
  /** The worker drains or is cordoned. */
  readonly isUnschedulable: boolean;
  /** Reserves a slot for a claim. */
  reserve(): void;
  /** Ends a reservation: the claim is assigned, or has failed. */
  release(): void;
  applyFlags(flags: WorkerFlags): void;
}

/** Sends claimed runs to their workers. */
export interface RunAssigner<Worker> {
  /** @param leaseCountsFrom `sentAt` of the last renewal that was received before the claim */
  assign(worker: Worker, claim: WrittenRun, leaseCountsFrom: number | undefined): Promise<void>;
  /** Resolves when no assignment is on its way. */
  drained(): Promise<void>;
}

export interface FleetDispatcherDeps<Worker extends SlotOwner> {
  fleet: GatewayFleet;
  pool: Pool;
  writer: RunWriter;
  dispatcher: RunDispatcher;
  sender: RunAssigner<Worker>;
  clock: Clock;
  log: Log;
  leaseMs: number;
  redisUrl: string;
  redisPrefix: string;
  /** Id of the gateway in the locks of the job queue. */
  gatewayId: string;
}

/** Slots reserved for queued jobs while the queue is not empty. The number exceeds what a replica enqueues for others at once. */
const SLOTS_KEPT_FOR_QUEUE = 32;

/** Runs that are claimed in one commit. */
const MAX_CLAIMS = 256;

const assignedEvent = (worker: string, fleet: string, now: Date) =>
  createEvent('run.assigned', `Assigned to ${worker}`, { worker, fleet }, now);

/** Fills the free slots of one fleet at this replica, from the backlog and from the job queue. */
export class FleetDispatcher<Worker extends SlotOwner> implements FleetSlots {
  private readonly sessions = new Set<Worker>();
  private readonly deps: FleetDispatcherDeps<Worker>;
  private readonly fetcher: JobFetcher;
  /** Claims and dispatched jobs that are not settled. */
  private readonly pending = new Set<Promise<void>>();
  private isClosing = false;

  constructor(deps: FleetDispatcherDeps<Worker>) {
    this.deps = deps;
    const { redisUrl, redisPrefix, fleet, gatewayId, log, dispatcher } = deps;
    this.fetcher = new JobFetcher({
      redisUrl,
      prefix: redisPrefix,
      fleet: fleet.name,
      token: gatewayId,
      log,
      freeSlots: () => this.freeSlots(),
      onJob: (job) => {
        dispatcher.onQueueJob(fleet.id);
        return this.claimJob(job);
      },
      onIdle: () => dispatcher.onSlotFreed(fleet.id),
    });
  }

  add(session: Worker): void {
    this.sessions.add(session);
    this.fetcher.onSlotFree();
  }

  remove(session: Worker): void {
    this.sessions.delete(session);
  }

  /** Has to be called when a slot may have become free. */
  onSlotFree(): void {
    this.fetcher.onSlotFree();
    this.deps.dispatcher.onSlotFreed(this.deps.fleet.id);
  }

  /**
   * Free slots that may be filled from the backlog; null without workers. While jobs are queued, some slots are
   * reserved for them.
   */
  get availableSlots(): number | null {
    if (this.isClosing || this.sessions.size === 0) return null;
    return Math.max(0, this.freeSlots() - (this.fetcher.isIdle ? 0 : SLOTS_KEPT_FOR_QUEUE));
  }

  /**
   * Claims runs of the backlog for all available slots, in one commit.
   * @returns number of slots, and how many of them were filled
   */
  async claimNext(): Promise<{ slots: number; filled: number }> {
    const sessions = this.reserveSlots(Math.min(MAX_CLAIMS, this.availableSlots ?? 0));
    if (sessions.length === 0) return { slots: 0, filled: 0 };
    const claim = this.fillSlots(sessions);
    const settledClaim = claim.then(() => {
      this.pending.delete(settledClaim);
      this.fetcher.onSlotFree();
    });
    this.pending.add(settledClaim);
    return { slots: sessions.length, filled: await claim };
  }

  /**
   * Claims the run of a job directly when a slot is free. The job queue would take half of the time to the claim.
   * @returns whether the job was taken
   */
  tryDispatch(job: DispatchJob): boolean {
    if ((this.availableSlots ?? 0) === 0) return false;
    const settledClaim = this.claimJob(job).finally(() => {
      this.pending.delete(settledClaim);
      this.onSlotFree();
    });
    this.pending.add(settledClaim);
    return true;
  }

  /** Fetches no more jobs, and settles the claims in progress. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.fetcher.close();
    await Promise.all(this.pending);
    await this.deps.sender.drained();
  }

  /** Free slots that are not reserved. */
  private freeSlots(): number {
    let free = 0;
    for (const session of this.sessions) free += Math.max(0, session.availableSlots);
    return free;
  }

  /** Reserves up to `max` slots, of the least loaded workers first. @returns the worker of each slot */
  private reserveSlots(max: number): Worker[] {
    const sessions: Worker[] = [];
    for (let next = this.leastLoaded(); next && sessions.length < max; next = this.leastLoaded()) {
      next.reserve();
      sessions.push(next);
    }
    return sessions;
  }

  /** @returns number of slots that were filled */
  private async fillSlots(sessions: readonly Worker[]): Promise<number> {
    const { fleet, writer, sender, log, clock, leaseMs } = this.deps;
    const renewals = sessions.map(({ lastRenewSentAt }) => lastRenewSentAt);
    const now = clock.now();
    try {
      const claims = await writer.claimNext(
        fleet.id,
        sessions.map(({ id: session, workerName: worker }) => ({
          session,
          worker,
          leaseMs,
          event: assignedEvent(worker, fleet.name, now),
        })),
      );
      await failpoint('gateway.claimed', ...claims.map(({ written: writtenRun }) => writtenRun.run));
      await Promise.all(
        claims.map(async ({ slot, written: writtenRun }) => {
          const session = sessions[slot];
          if (session) await sender.assign(session, writtenRun, renewals[slot]);
        }),
      );
      return claims.length;
    } catch (error) {
      // Nothing was claimed, or the sweeper returns the claims that no worker accepts.
      log.warn({ fleet: fleet.name, error: String(error) }, 'claims failed');
      return 0;
    } finally {
      for (const session of sessions) session.release();
    }
  }

  private async claimJob(job: DispatchJobId): Promise<void> {
    const { fleet, pool, writer, dispatcher, sender, log, clock, leaseMs } = this.deps;
    const returnedJob: DispatchJob = { ...job, fleet: fleet.id, priority: 0 };
    const session = this.leastLoaded();
    if (!session) return dispatcher.returnJob(returnedJob);
    session.reserve();
    try {
      await failpoint('gateway.job-fetched', job.run);
      const { id, workerName: worker, lastRenewSentAt } = session;
      const now = clock.now();
      const writtenRun = await writer.write({
        run: job.run,
        guard: { from: ['queued'], dispatch: job.dispatch },
        to: 'running',
        claim: { session: id, worker, leaseMs, at: now.toISOString() },
        events: [assignedEvent(worker, fleet.name, now)],
      });
      if (writtenRun) {
        dispatcher.onSlotFreed(fleet.id);
        await failpoint('gateway.claimed', job.run);
        await sender.assign(session, writtenRun, lastRenewSentAt);
      } else {
        session.applyFlags(await readWorkerFlags(pool, id));
        // Drained or cordoned since its last renewal: another worker may take the run.
        if (session.isUnschedulable) await dispatcher.returnJob(returnedJob);
      }
    } catch (error) {
      // The run is still queued and admitted: the sweeper enqueues it again.
      log.warn({ run: job.run, error: String(error) }, 'claim failed');
    } finally {
      session.release();
    }
  }

  /** The worker with the most free slots, so that runs spread over the workers. */
  private leastLoaded(): Worker | undefined {
    let best: Worker | undefined;
    for (const session of this.sessions) if (session.availableSlots > (best?.availableSlots ?? 0)) best = session;
    return best;
  }
}
