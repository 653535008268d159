import { Inject } from '@nestjs/common';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { UpdateFleet, FleetDecision, FleetHistory, FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { FleetHistoryStore, FleetStore, MemberStore, FleetQueueStore } from '@pilothouse/infra-db';
import { DEFAULT_PROJECT_SLUG } from '../common/installation.ts';
import type { Caller } from '../http/route-request.ts';
import { QueueService } from '../queue/queue.service.ts';
import { CLOCK, LOG } from '../common/injection-tokens.ts';

/** Reads and changes the fleets that serve a project. */
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
    if (!fleet) throw new PilothouseError('NOT_FOUND', `Fleet ${name} not found.`);
    return fleet;
  }

  /** Changes the worker limits of a fleet. @throws PilothouseError CONFLICT if configuration manages them */
  async change(caller: Caller, name: string, change: UpdateFleet): Promise<FleetView> {
    const { id } = await this.findManaged(caller, name);
    await this.fleets.change(id, change);
    this.log.info({ fleet: name, by: caller.name, ...change }, 'fleet limits changed');
    return this.read(caller, name);
  }

  /** Reads load samples and scaling decisions of the last hours. */
  async history(caller: Caller, name: string, hours: number): Promise<FleetHistory> {
    const { id } = await this.read(caller, name);
    return this.histories.read(id, hours, this.clock.now());
  }

  /** Stops the assignment of queued runs; active runs continue. */
  async pause(caller: Caller, name: string): Promise<FleetView> {
    const { id } = await this.findManaged(caller, name);
    const runs = await this.queueStore.pause(id);
    this.log.info({ fleet: name, by: caller.name, runs }, 'fleet paused');
    return this.read(caller, name);
  }

  async resume(caller: Caller, name: string): Promise<FleetView> {
    const { id } = await this.findManaged(caller, name);
    await this.queueStore.resume(id);
    this.log.info({ fleet: name, by: caller.name }, 'fleet resumed');
    this.queues.admitFleet(id);
    return this.read(caller, name);
  }

  /** Lists scaling decisions, newest first. */
  async decisions(caller: Caller, name: string, limit: number): Promise<{ items: FleetDecision[] }> {
    const { id } = await this.read(caller, name);
    return { items: await this.fleets.decisions(id, limit) };
  }

  /** Drains a worker: it takes no new run, completes its runs and exits. @throws PilothouseError NOT_FOUND */
  async drain(caller: Caller, name: string, worker: string): Promise<FleetView> {
    const { id } = await this.findManaged(caller, name);
    if (!(await this.fleets.drain(id, worker, caller.name))) throw workerNotFound(name, worker);
    this.log.info({ fleet: name, worker, by: caller.name }, 'worker drain requested');
    return this.read(caller, name);
  }

  /** Cordons a worker, which stays but takes no new run, or uncordons it. @throws PilothouseError NOT_FOUND */
  async cordon(caller: Caller, name: string, worker: string, cordoned: boolean): Promise<FleetView> {
    const { id } = await this.findManaged(caller, name);
    if (!(await this.fleets.cordon(id, worker, cordoned, caller.name))) throw workerNotFound(name, worker);
    this.log.info({ fleet: name, worker, by: caller.name, cordoned }, 'worker cordon changed');
    return this.read(caller, name);
  }

  /**
   * Finds a fleet that the caller may change: one that serves only projects of which the caller is an admin. Admins of the default project
   * may change every fleet.
   * @throws PilothouseError NOT_FOUND, FORBIDDEN
   */
  private async findManaged(caller: Caller, name: string): Promise<FleetView> {
    const { project, user } = caller;
    const fleet = await this.read(caller, name);
    if (project.slug === DEFAULT_PROJECT_SLUG) return fleet;
    const memberships = user ? await this.members.projectsOf(user.id) : [];
    if (memberships.some(({ slug, role }) => slug === DEFAULT_PROJECT_SLUG && role === 'admin')) return fleet;
    const administered = memberships.flatMap(({ project: id, role }) => (role === 'admin' ? [id] : []));
    const otherProjects = await this.fleets.otherProjects(fleet.id, [project.id, ...administered]);
    if (otherProjects.length === 0) return fleet;
    throw new PilothouseError(
      'FORBIDDEN',
      `Fleet ${name} also serves ${otherProjects.length} other projects. Ask an admin of the project ${DEFAULT_PROJECT_SLUG} to change it.`,
    );
  }
}

const workerNotFound = (fleet: string, worker: string) =>
  new PilothouseError('NOT_FOUND', `Worker ${worker} not found in fleet ${fleet}.`);
