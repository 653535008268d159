import {
  assignmentEgressSchema,
  assignmentPolitenessSchema,
  storedDefinitionSchema,
  createEvent,
  MAX_ASSIGNMENT_CHARS,
  MESSAGE_CHUNK_CHARS,
  PilothouseError,
  budgetSchema,
  captureSchema,
  type Assignment,
  type ToWorker,
} from '@pilothouse/contract';
import { type Clock, type Log, systemTimers } from '@pilothouse/core';
import {
  readAgentEvents,
  readCheckpoints,
  readWorkerFlags,
  extendClaim,
  checkpointBytes,
  readSafePoint,
  type ClaimedRun,
  type GatewayFleet,
  type DispatchJob,
  type Pool,
  type RunWriter,
  type WrittenRun,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import { JobFetcher, type DispatchJobId } from '@pilothouse/infra-queue';
import pLimit from 'p-limit';
import type { RunDispatcher } from '../../run-lifecycle/run-dispatcher.ts';
import { writeReturn, requeueOrFail } from '../../run-lifecycle/requeue.ts';
import type { HeldAttempt } from './held-attempts.ts';
import { sendAssignment, assignmentTooLarge } from './assignment-sender.ts';
import type { SurfaceStateSealer } from '../../sealing/sealed-data.ts';
import type { WorkerSocket } from '../socket/worker-socket.ts';

export interface FleetDispatcherDeps {
  fleet: GatewayFleet;
  pool: Pool;
  writer: RunWriter;
  dispatch: RunDispatcher;
  clock: Clock;
  log: Log;
  leaseMs: number;
  redisUrl: string;
  prefix: string;
  gateway: string;
  states: SurfaceStateSealer;
  /** Milliseconds a question may hold its slot. */
  askHoldMs: number;
}

/** Slots that are left to those who wait in the queue while it is being emptied: more than a replica puts into it for others at a time. */
const LEFT_TO_QUEUE = 32;

/** Milliseconds after which the claim of an assignment that is still on its way is prolonged. */
const PROLONG_MS = 500;

/** Long assignments that are put together and delivered at a time: each is held in memory, and fills a socket. */
const LONG_AT_ONCE = 2;

/** Most runs that are claimed in one commit. */
const MOST_CLAIMS = 256;

const assignedEvent = (worker: string, fleet: string, now: Date) =>
  createEvent('run.assigned', `Assigned to ${worker}`, { worker, fleet }, now);

/** A run on its way to its worker. */
interface Handing {
  readonly written: WrittenRun;
  readonly claimed: ClaimedRun;
  readonly held: HeldAttempt;
  readonly leaseCountsFrom: number | undefined;
}

/** Where the workers of one fleet wait for runs at this gateway. */
export class FleetDispatcher {
  readonly sockets = new Set<WorkerSocket>();
  private readonly options: FleetDispatcherDeps;
  private readonly fetcher: JobFetcher;
  /** Hints that came past the queue, until they are settled, and assignments on their way. */
  private readonly pending = new Set<Promise<void>>();
  private readonly long = pLimit(LONG_AT_ONCE);
  private isClosing = false;

  constructor(options: FleetDispatcherDeps) {
    this.options = options;
    const { redisUrl, prefix, fleet, gateway, log } = options;
    this.fetcher = new JobFetcher({
      redisUrl,
      prefix,
      fleet: fleet.name,
      token: gateway,
      log,
      free: () => this.free(),
      onJob: (hint) => {
        options.dispatch.onQueueJob(fleet.id);
        return this.onHint(hint);
      },
      onIdle: () => options.dispatch.onSlotFreed(fleet.id),
    });
  }

  /** Free slots that no claim is on its way to. */
  free(): number {
    let free = 0;
    for (const socket of this.sockets) free += Math.max(0, socket.available);
    return free;
  }

  add(socket: WorkerSocket): void {
    this.sockets.add(socket);
    this.fetcher.onSlotFree();
  }

  remove(socket: WorkerSocket): void {
    this.sockets.delete(socket);
  }

  /** To be called when a slot may have become free. */
  onSlotFree(): void {
    this.fetcher.onSlotFree();
    this.options.dispatch.onSlotFreed(this.options.fleet.id);
  }

  /**
   * Free slots that may be filled past the queue: while somebody waits in it, as far as is known here, only those that are left when they have
   * theirs. Null without workers.
   */
  get availableSlots(): number | null {
    if (this.isClosing || this.sockets.size === 0) return null;
    return Math.max(0, this.free() - (this.fetcher.isIdle ? 0 : LEFT_TO_QUEUE));
  }

  /**
   * Claims runs of the backlog for the slots that are free, in one commit.
   * @returns how many slots there were, and how many were filled
   */
  async claimNext(): Promise<{ slots: number; filled: number }> {
    const sockets = this.takeSlots(Math.min(MOST_CLAIMS, this.availableSlots ?? 0));
    if (sockets.length === 0) return { slots: 0, filled: 0 };
    const claiming = this.fillSlots(sockets);
    const settled = claiming.then(() => {
      this.pending.delete(settled);
      this.fetcher.onSlotFree();
    });
    this.pending.add(settled);
    return { slots: sockets.length, filled: await claiming };
  }

  /**
   * Takes a hint past the queue, when a slot is free for it: the way through Redis and back took half of the time to the claim.
   * @returns whether it was taken
   */
  tryDispatch(hint: DispatchJob): boolean {
    if ((this.availableSlots ?? 0) === 0) return false;
    const taken = this.onHint(hint).finally(() => {
      this.pending.delete(taken);
      this.onSlotFree();
    });
    this.pending.add(taken);
    return true;
  }

  /** Takes no more hints and settles those under way. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.fetcher.close();
    await Promise.all(this.pending);
  }

  /** Takes free slots, so many at most, the emptiest workers' first. @returns their workers */
  private takeSlots(most: number): WorkerSocket[] {
    const sockets: WorkerSocket[] = [];
    for (let next = this.leastLoaded(); next && sockets.length < most; next = this.leastLoaded()) {
      next.reservedSlots += 1;
      sockets.push(next);
    }
    return sockets;
  }

  /** @returns how many of the slots were filled */
  private async fillSlots(sockets: readonly WorkerSocket[]): Promise<number> {
    const { fleet, writer, log, clock, leaseMs } = this.options;
    const heard = sockets.map(({ lastRenewSentAt }) => lastRenewSentAt);
    const now = clock.now();
    try {
      const claims = await writer.claimNext(
        fleet.id,
        sockets.map(({ session, workerName: worker }) => ({
          session,
          worker,
          leaseMs,
          event: assignedEvent(worker, fleet.name, now),
        })),
      );
      await hit('gateway.claimed', ...claims.map(({ written }) => written.run));
      await Promise.all(
        claims.map(async ({ seat, written }) => {
          const socket = sockets[seat];
          if (socket) await this.assign(socket, written, heard[seat]);
        }),
      );
      return claims.length;
    } catch (error) {
      // Nothing was claimed, or the sweeper takes back what no worker accepts.
      log.warn({ fleet: fleet.name, error: String(error) }, 'Claims failed');
      return 0;
    } finally {
      for (const socket of sockets) socket.reservedSlots -= 1;
    }
  }

  private async onHint(hint: DispatchJobId): Promise<void> {
    const { fleet, pool, writer, dispatch, log, clock, leaseMs } = this.options;
    const back: DispatchJob = { ...hint, fleet: fleet.id, priority: 0 };
    const socket = this.leastLoaded();
    if (!socket) return dispatch.returnJob(back);
    socket.reservedSlots += 1;
    try {
      await hit('gateway.job-fetched', hint.run);
      const { lastRenewSentAt } = socket;
      const now = clock.now();
      const written = await writer.write({
        run: hint.run,
        guard: { from: ['queued'], dispatch: hint.dispatch },
        to: 'running',
        claim: { session: socket.session, worker: socket.workerName, leaseMs, at: now.toISOString() },
        events: [assignedEvent(socket.workerName, fleet.name, now)],
      });
      if (written) {
        dispatch.onSlotFreed(fleet.id);
        await hit('gateway.claimed', hint.run);
        await this.assign(socket, written, lastRenewSentAt);
      } else {
        socket.applyFlags(await readWorkerFlags(pool, socket.session));
        // Marked since its last renewal; another may take the run.
        if (socket.isUnschedulable) await dispatch.returnJob(back);
      }
    } catch (error) {
      // The run is still queued and admitted: the sweeper hints again.
      log.warn({ run: hint.run, error: String(error) }, 'A claim failed');
    } finally {
      socket.reservedSlots -= 1;
    }
  }

  /** The worker with the most free slots, so that runs spread. */
  private leastLoaded(): WorkerSocket | undefined {
    let best: WorkerSocket | undefined;
    for (const socket of this.sockets) if (socket.available > (best?.available ?? 0)) best = socket;
    return best;
  }

  /**
   * Gives a worker the run that was claimed for it. One that is long is still on its way when this resolves.
   * @param lastRenewSentAt of the last renewal that had come when the claim was made
   */
  private async assign(socket: WorkerSocket, written: WrittenRun, leaseCountsFrom: number | undefined): Promise<void> {
    const { claimed } = written;
    if (!claimed) return;
    const { run, epoch, attemptEventSeq: lastEventN, lostAttempts, rejectedClaims } = written;
    const assignedAt = performance.now();
    const fresh = { accepted: false, acceptanceWritten: false, assignedAt, definition: null, pendingWrite: null };
    const held = { run, epoch, lastEventN, lostAttempts, rejectedClaims, ...fresh };
    socket.held.add(held);
    let bytes: number;
    try {
      bytes = epoch > 1 ? await this.leftBytes(run) : 0;
    } catch (error) {
      return this.returnClaim(socket, written, error);
    }
    const hand = () => this.send(socket, { written, claimed, held, leaseCountsFrom });
    if (bytes <= MESSAGE_CHUNK_CHARS) return hand();
    // Nobody else's claim waits for it.
    const keep = () => this.keepClaim(socket, held);
    const onItsWay = systemTimers.setInterval(() => void keep(), PROLONG_MS);
    const settled = this.long(async () => {
      await hand();
      await keep();
    })
      .catch((error: unknown) => this.options.log.warn({ run, error: String(error) }, 'A claim was not given back'))
      .finally(() => {
        systemTimers.clearInterval(onItsWay);
        this.pending.delete(settled);
      });
    this.pending.add(settled);
  }

  /** Sees to it that a claim is not taken back while its assignment is on its way. */
  private async keepClaim(socket: WorkerSocket, held: HeldAttempt): Promise<void> {
    const { pool, leaseMs } = this.options;
    const { run, epoch } = held;
    if (!socket.open) return;
    held.assignedAt = performance.now();
    // Where the database is away the sweeper decides whether it came too late.
    await extendClaim(pool, { run, epoch, session: socket.session, leaseMs }).catch(() => undefined);
  }

  private async send(socket: WorkerSocket, { written, claimed, held, leaseCountsFrom }: Handing): Promise<void> {
    try {
      const assignment = await this.assignmentOf(written, claimed, leaseCountsFrom);
      held.definition = assignment.definition;
      await sendAssignment(socket, JSON.stringify({ type: 'assign', assignment } satisfies ToWorker));
    } catch (error) {
      return this.returnClaim(socket, written, error);
    }
    await hit('gateway.assigned', written.run);
  }

  private async assignmentOf(
    { run, epoch }: WrittenRun,
    claimed: ClaimedRun,
    leaseCountsFrom: number | undefined,
  ): Promise<Assignment> {
    return {
      run,
      epoch,
      definition: storedDefinitionSchema.parse(claimed.definition),
      inputs: claimed.inputs as Assignment['inputs'],
      secrets: claimed.secrets,
      budget: {
        ...budgetSchema.parse(claimed.budget),
        usedSteps: claimed.usedSteps,
        usedSeconds: claimed.usedSeconds,
      },
      capture: captureSchema.parse(claimed.capture),
      egress: assignmentEgressSchema.parse({ project: claimed.project.egress, run: claimed.egress }),
      politeness: assignmentPolitenessSchema.parse({ project: claimed.project.politeness }),
      ...(epoch > 1 ? await this.loadProgress(run) : { checkpoints: [], safePoint: null, agentEvents: [] }),
      answer: claimed.answer,
      questionHoldMs: this.options.askHoldMs,
      firstIntentWritten: claimed.firstIntent !== null,
      leaseCountsFrom,
    };
  }

  /** Bytes of what former attempts at a run have read: looked at before it is, the gateway would have to hold it all. @throws PilothouseError PAYLOAD_TOO_LARGE */
  private async leftBytes(run: string): Promise<number> {
    const bytes = await checkpointBytes(this.options.pool, run);
    if (bytes > MAX_ASSIGNMENT_CHARS) throw assignmentTooLarge(bytes);
    return bytes;
  }

  /** What former attempts at a run left behind. */
  private async loadProgress(run: string): Promise<Pick<Assignment, 'checkpoints' | 'safePoint' | 'agentEvents'>> {
    const { pool, states, log } = this.options;
    const [checkpoints, agentEvents, point] = await Promise.all([
      readCheckpoints(pool, run),
      readAgentEvents(pool, run),
      readSafePoint(pool, run),
    ]);
    if (!point) return { checkpoints, agentEvents, safePoint: null };
    try {
      return { checkpoints, agentEvents, safePoint: { step: point.step, state: states.open(point.state, run) } };
    } catch (error) {
      // Sealed under another master key: the run goes on without it, as if it had come to no safe point.
      log.warn({ run, error: String(error) }, 'The safe point of a run cannot be opened');
      return { checkpoints, agentEvents, safePoint: null };
    }
  }

  /** A claim whose worker did not get its assignment: the run does not wait for the sweeper. One that no worker can be given fails. */
  private async returnClaim(socket: WorkerSocket, claim: WrittenRun, thrown: unknown): Promise<void> {
    const { writer, dispatch, clock, log } = this.options;
    const { run, epoch } = claim;
    const { workerName: worker } = socket;
    socket.held.delete({ run, epoch });
    const guard = { epoch, ifUnaccepted: true };
    const at = clock.now();
    const known = thrown instanceof PilothouseError ? thrown : undefined;
    if (known?.code === 'PAYLOAD_TOO_LARGE') {
      const error = known.view();
      const events = [createEvent('run.failed', error.message, { error, step: null }, at, 'error')];
      const failed = await writer.write({ run, guard: { ...guard, from: ['running'] }, to: 'failed', error, events });
      if (failed) dispatch.onSlotFreed(failed.fleet);
      return;
    }
    if (known?.code !== 'ASSIGNMENT_NOT_ACCEPTED')
      log.error({ run, error: String(thrown) }, 'A run could not be assigned');
    const what =
      known?.code === 'ASSIGNMENT_NOT_ACCEPTED' ? known.message : 'The gateway could not put the assignment together';
    const error = new PilothouseError('ASSIGNMENT_NOT_ACCEPTED', what).view();
    const back = requeueOrFail(claim, 'refused', { error, worker, at });
    const written = await writeReturn((what) => writer.write(what), { run, guard, back, at });
    if (written) dispatch.onBacklog(written.fleet);
  }
}
