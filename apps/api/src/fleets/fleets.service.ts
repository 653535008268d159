import { Inject } from '@nestjs/common';
import {
  PilothouseError,
  type UpdateFleet,
  type FleetDecision,
  type FleetHistory,
  type FleetView,
} from '@pilothouse/contract';
import type { Clock, Log } from '@pilothouse/core';
import { FleetHistoryStore, FleetStore, MemberStore, FleetQueueStore } from '@pilothouse/infra-db';
import { DEFAULT_PROJECT_SLUG } from '../common/installation.ts';
import type { Caller } from '../http/route-request.ts';
import { QueueService } from '../queue/queue.service.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';

/** Fleets that serve a project. */
export class FleetsService {
  constructor(
    @Inject(FleetStore) private readonly fleets: FleetStore,
    @Inject(MemberStore) private readonly members: Pick<MemberStore, 'projectsOf'>,
    @Inject(FleetHistoryStore) private readonly histories: Pick<FleetHistoryStore, 'read'>,
    @Inject(FleetQueueStore) private readonly queueStore: FleetQueueStore,
    @Inject(QueueService) private readonly queues: Pick<QueueService, 'admitFleet'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async list({ project }: Caller): Promise<{ items: FleetView[] }> {
    return { items: await this.fleets.list(project.slug) };
  }

  async read({ project }: Caller, name: string): Promise<FleetView> {
    const [fleet] = await this.fleets.list(project.slug, name);
    if (!fleet) throw new PilothouseError('NOT_FOUND', `There is no fleet ${name} for this project`);
    return fleet;
  }

  /** How many workers the fleet has, from now on. @throws PilothouseError CONFLICT where that is not said here */
  async change(caller: Caller, name: string, change: UpdateFleet): Promise<FleetView> {
    const { id } = await this.managed(caller, name);
    await this.fleets.change(id, change);
    this.log.info({ fleet: name, by: caller.name, ...change }, 'The limits of a fleet are changed');
    return this.read(caller, name);
  }

  /** How the fleet stood, and why workers came and went. */
  async history(caller: Caller, name: string, hours: number): Promise<FleetHistory> {
    const { id } = await this.read(caller, name);
    return this.histories.read(id, hours, this.clock.now());
  }

  /** No queued run of the fleet is given out from now on; those at work go on. */
  async pause(caller: Caller, name: string): Promise<FleetView> {
    const { id } = await this.managed(caller, name);
    const runs = await this.queueStore.pause(id);
    this.log.info({ fleet: name, by: caller.name, runs }, 'A fleet is paused; its admitted runs went back');
    return this.read(caller, name);
  }

  async resume(caller: Caller, name: string): Promise<FleetView> {
    const { id } = await this.managed(caller, name);
    await this.queueStore.resume(id);
    this.log.info({ fleet: name, by: caller.name }, 'A fleet is at work again');
    this.queues.admitFleet(id);
    return this.read(caller, name);
  }

  /** Why workers came and went, the newest first. */
  async decisions(caller: Caller, name: string, limit: number): Promise<{ items: FleetDecision[] }> {
    const { id } = await this.read(caller, name);
    return { items: await this.fleets.decisions(id, limit) };
  }

  /** The worker takes no run any more, finishes what it has, and exits. @throws PilothouseError NOT_FOUND */
  async drain(caller: Caller, name: string, worker: string): Promise<FleetView> {
    const { id } = await this.managed(caller, name);
    if (!(await this.fleets.drain(id, worker, caller.name))) throw noWorker(name, worker);
    this.log.info({ fleet: name, worker, by: caller.name }, 'A worker is told to drain');
    return this.read(caller, name);
  }

  /** The worker is given no run any more and stays, or is given runs again. @throws PilothouseError NOT_FOUND */
  async cordon(caller: Caller, name: string, worker: string, cordoned: boolean): Promise<FleetView> {
    const { id } = await this.managed(caller, name);
    if (!(await this.fleets.cordon(id, worker, cordoned, caller.name))) throw noWorker(name, worker);
    this.log.info({ fleet: name, worker, by: caller.name, cordoned }, 'A worker is cordoned, or no longer');
    return this.read(caller, name);
  }

  /**
   * A fleet that the caller may change: one that serves no project but those that the caller is admin of. Admins of the first project
   * manage the installation.
   * @throws PilothouseError NOT_FOUND, FORBIDDEN
   */
  private async managed(caller: Caller, name: string): Promise<FleetView> {
    const { project, user } = caller;
    const fleet = await this.read(caller, name);
    if (project.slug === DEFAULT_PROJECT_SLUG) return fleet;
    const memberships = user ? await this.members.projectsOf(user.id) : [];
    if (memberships.some(({ slug, role }) => slug === DEFAULT_PROJECT_SLUG && role === 'admin')) return fleet;
    const own = memberships.flatMap(({ project: id, role }) => (role === 'admin' ? [id] : []));
    const others = await this.fleets.othersServed(fleet.id, [project.id, ...own]);
    if (others.length === 0) return fleet;
    throw new PilothouseError(
      'FORBIDDEN',
      `The fleet ${name} serves ${others.length} other projects too: ask an admin of the project ${DEFAULT_PROJECT_SLUG} to change it`,
    );
  }
}

const noWorker = (fleet: string, worker: string) =>
  new PilothouseError('NOT_FOUND', `The fleet ${fleet} has no worker ${worker}`);
