import { Inject } from '@nestjs/common';
import type { FleetQueue } from '@pilothouse/contract';
import { FleetQueueStore, type Pool, fleetsWithBacklog } from '@pilothouse/infra-db';
import type { Caller } from '../http/route-request.ts';
import type { RunDispatcher } from '../run-lifecycle/run-dispatcher.ts';

/** What waits, for whom. */
export class QueueService {
  constructor(@Inject(FleetQueueStore) private readonly queues: FleetQueueStore) {}

  async read({ project }: Caller): Promise<{ items: FleetQueue[] }> {
    return { items: await this.queues.read(project) };
  }
}

/** Lets runs that wait go on at once where a limit or a pause was lifted. Nobody waits for it, and what fails the sweeper makes good. */
export class Admission {
  private readonly pool: Pool;
  private readonly dispatch: Pick<RunDispatcher, 'admit'>;

  constructor(pool: Pool, dispatch: Pick<RunDispatcher, 'admit'>) {
    this.pool = pool;
    this.dispatch = dispatch;
  }

  /** Of one fleet. @param fleet id */
  admitFleet(fleet: string): void {
    void this.dispatch.admit(fleet);
  }

  /** Of every fleet in which runs wait. */
  admitAll(): void {
    void fleetsWithBacklog(this.pool).then(
      (fleets) => fleets.forEach((fleet) => this.admitFleet(fleet)),
      () => undefined,
    );
  }
}
