import {
  assignedEgressSchema,
  assignedPolitenessSchema,
  knownDefinitionSchema,
  makeEvent,
  PilothouseError,
  budgetSchema,
  recordSchema,
  type Assignment,
} from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import {
  agentEventsOf,
  checkpointsOf,
  marksOf,
  safePointOf,
  type GatewayFleet,
  type Hint,
  type Pool,
  type RunWriter,
  type RunWritten,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import { HintFetcher, type RunHint } from '@pilothouse/infra-queue';
import type { Dispatch } from '../way/dispatch.ts';
import type { StateSeal } from './state.seal.ts';
import type { WorkerSocket } from './worker.socket.ts';

export interface DeskOptions {
  fleet: GatewayFleet;
  pool: Pool;
  writer: RunWriter;
  dispatch: Dispatch;
  clock: Clock;
  log: Log;
  leaseMs: number;
  redisUrl: string;
  prefix: string;
  gateway: string;
  states: StateSeal;
  /** Milliseconds a question may hold its slot. */
  askHoldMs: number;
}

/** Most runs that are claimed in one commit. */
const MOST_CLAIMS = 128;

const assignedEvent = (worker: string, fleet: string, now: Date) =>
  makeEvent('run.assigned', `Assigned to ${worker}`, { worker, fleet }, now);

/** Where the workers of one fleet wait for runs at this gateway. */
export class FleetDesk {
  readonly sockets = new Set<WorkerSocket>();
  private readonly options: DeskOptions;
  private readonly fetcher: HintFetcher;
  /** Hints that came past the queue, until they are settled. */
  private readonly taken = new Set<Promise<void>>();
  private isClosing = false;

  constructor(options: DeskOptions) {
    this.options = options;
    const { redisUrl, prefix, fleet, gateway, log } = options;
    this.fetcher = new HintFetcher({
      redisUrl,
      prefix,
      fleet: fleet.name,
      token: gateway,
      log,
      free: () => this.free(),
      onHint: (hint) => {
        options.dispatch.suspect(fleet.id);
        return this.onHint(hint);
      },
      onIdle: () => options.dispatch.freed(fleet.id),
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
    this.fetcher.poke();
  }

  remove(socket: WorkerSocket): void {
    this.sockets.delete(socket);
  }

  /** To be called when a slot may have become free. */
  poke(): void {
    this.fetcher.poke();
    this.options.dispatch.freed(this.options.fleet.id);
  }

  /** Free slots that may be filled past the queue: none while somebody waits in it, as far as is known here. Null without workers. */
  get seats(): number | null {
    if (this.isClosing || this.sockets.size === 0) return null;
    return this.fetcher.isIdle ? Math.max(0, this.free()) : 0;
  }

  /**
   * Claims runs of the backlog for the slots that are free, in one commit.
   * @returns how many slots there were, and how many were filled
   */
  async claim(): Promise<{ slots: number; filled: number }> {
    const sockets = (this.seats ?? 0) === 0 ? [] : this.takeSlots();
    if (sockets.length === 0) return { slots: 0, filled: 0 };
    const claiming = this.fillSlots(sockets);
    const settled = claiming.then(() => {
      this.taken.delete(settled);
      this.fetcher.poke();
    });
    this.taken.add(settled);
    return { slots: sockets.length, filled: await claiming };
  }

  /**
   * Takes a hint past the queue, when a slot is free for it: the way through Redis and back took half of the time to the claim.
   * @returns whether it was taken
   */
  offer(hint: Hint): boolean {
    if ((this.seats ?? 0) === 0) return false;
    const taken = this.onHint(hint).finally(() => {
      this.taken.delete(taken);
      this.poke();
    });
    this.taken.add(taken);
    return true;
  }

  /** Takes no more hints and settles those under way. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.fetcher.close();
    await Promise.all(this.taken);
  }

  /** Takes free slots, the emptiest workers' first. @returns their workers */
  private takeSlots(): WorkerSocket[] {
    const sockets: WorkerSocket[] = [];
    for (let next = this.pick(); next && sockets.length < MOST_CLAIMS; next = this.pick()) {
      next.promised += 1;
      sockets.push(next);
    }
    return sockets;
  }

  /** @returns how many of the slots were filled */
  private async fillSlots(sockets: readonly WorkerSocket[]): Promise<number> {
    const { fleet, writer, log, clock, leaseMs } = this.options;
    const heard = sockets.map(({ heardAt }) => heardAt);
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
      await hit('gateway.claimed');
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
      for (const socket of sockets) socket.promised -= 1;
    }
  }

  private async onHint(hint: RunHint): Promise<void> {
    const { fleet, pool, writer, dispatch, log, clock, leaseMs } = this.options;
    const back: Hint = { ...hint, fleet: fleet.id, priority: 0 };
    const socket = this.pick();
    if (!socket) return dispatch.putBack(back);
    socket.promised += 1;
    try {
      await hit('gateway.hinted');
      const { heardAt } = socket;
      const now = clock.now();
      const written = await writer.write({
        run: hint.run,
        guard: { from: ['queued'], dispatch: hint.dispatch },
        to: 'running',
        claim: { session: socket.session, worker: socket.workerName, leaseMs, at: now.toISOString() },
        events: [assignedEvent(socket.workerName, fleet.name, now)],
      });
      if (written) {
        dispatch.freed(fleet.id);
        await hit('gateway.claimed');
        await this.assign(socket, written, heardAt);
      } else {
        socket.mark(await marksOf(pool, socket.session));
        // Marked since its last renewal; another may take the run.
        if (socket.takesNothing) await dispatch.putBack(back);
      }
    } catch (error) {
      // The run is still queued and admitted: the sweeper hints again.
      log.warn({ run: hint.run, error: String(error) }, 'A claim failed');
    } finally {
      socket.promised -= 1;
    }
  }

  /** The worker with the most free slots, so that runs spread. */
  private pick(): WorkerSocket | undefined {
    let best: WorkerSocket | undefined;
    for (const socket of this.sockets) if (socket.available > (best?.available ?? 0)) best = socket;
    return best;
  }

  /** @param heardAt of the last renewal that had come when the claim was made */
  private async assign(socket: WorkerSocket, written: RunWritten, heardAt: number | undefined): Promise<void> {
    const { run, epoch, claimed, eventN } = written;
    if (!claimed) return;
    const { log } = this.options;
    try {
      const definition = knownDefinitionSchema.parse(claimed.definition);
      const assignment: Assignment = {
        run,
        epoch,
        definition,
        inputs: claimed.inputs as Assignment['inputs'],
        secrets: claimed.secrets,
        budget: {
          ...budgetSchema.parse(claimed.budget),
          usedSteps: claimed.usedSteps,
          usedSeconds: claimed.usedSeconds,
        },
        record: recordSchema.parse(claimed.record),
        egress: assignedEgressSchema.parse({ project: claimed.project.egress, run: claimed.egress }),
        politeness: assignedPolitenessSchema.parse({ project: claimed.project.politeness }),
        ...(epoch > 1 ? await this.leftBehind(run) : { checkpoints: [], saved: null, agent: [] }),
        answer: claimed.answer,
        askHoldMs: this.options.askHoldMs,
        intended: claimed.opening !== null,
        heardAt,
      };
      socket.held.add({
        run,
        epoch,
        n: eventN,
        accepted: false,
        taken: false,
        lost: written.lost,
        assignedAt: performance.now(),
        definition,
      });
      socket.assigned();
      if (socket.send({ type: 'assign', assignment })) return await hit('gateway.assigned');
    } catch (error) {
      log.error({ run, error: String(error) }, 'A run could not be assigned');
    }
    await this.giveBack(socket, run, epoch);
  }

  /** What former attempts at a run left behind. */
  private async leftBehind(run: string): Promise<Pick<Assignment, 'checkpoints' | 'saved' | 'agent'>> {
    const { pool, states, log } = this.options;
    const [checkpoints, agent, point] = await Promise.all([
      checkpointsOf(pool, run),
      agentEventsOf(pool, run),
      safePointOf(pool, run),
    ]);
    if (!point) return { checkpoints, agent, saved: null };
    try {
      return { checkpoints, agent, saved: { step: point.step, state: states.open(point.state, run) } };
    } catch (error) {
      // Sealed under another master key: the run goes on without it, as if it had come to no safe point.
      log.warn({ run, error: String(error) }, 'The safe point of a run cannot be opened');
      return { checkpoints, agent, saved: null };
    }
  }

  /** The worker went away between claim and assignment: the run does not wait for the sweeper. */
  private async giveBack(socket: WorkerSocket, run: string, epoch: number): Promise<void> {
    const { writer, dispatch, clock } = this.options;
    socket.held.delete({ run, epoch });
    const error = new PilothouseError('NOT_ACCEPTED', `Worker ${socket.workerName} went away before it took the run`);
    const events = [
      makeEvent('run.requeued', error.message, { error: error.view(), worker: socket.workerName }, clock.now(), 'warn'),
    ];
    const written = await writer.write({
      run,
      guard: { from: ['running'], epoch, ifUnaccepted: true },
      to: 'queued',
      events,
    });
    if (written) dispatch.backlogged(written.fleet);
  }
}
