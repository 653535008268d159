import { Inject } from '@nestjs/common';
import type { FleetQueue } from '@pilothouse/contract/api/fleets.routes';
import { FleetQueueStore, fleetsWithBacklog, type Pool } from '@pilothouse/infra-db';
import { POOL } from '../common/injection-tokens.ts';
import type { Caller } from '../http/route-request.ts';
import { RunDispatcher } from '../dispatch/run-dispatcher.ts';

/** Queue lengths, and admission of waiting runs after a limit or a pause is lifted. */
export class QueueService {
  constructor(
    @Inject(FleetQueueStore) private readonly queues: Pick<FleetQueueStore, 'read'>,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(RunDispatcher) private readonly dispatcher: Pick<RunDispatcher, 'admit'>,
  ) {}

  async read({ project }: Caller): Promise<{ items: FleetQueue[] }> {
    return { items: await this.queues.read(project) };
  }

  /** Admits waiting runs of a fleet in the background; the sweeper repeats what fails. @param fleet id */
  admitFleet(fleet: string): void {
    void this.dispatcher.admit(fleet);
  }

  /** Admits waiting runs of every fleet, as `admitFleet` does. */
  admitAll(): void {
    void fleetsWithBacklog(this.pool).then(
      (fleets) => fleets.forEach((fleet) => this.admitFleet(fleet)),
      () => undefined,
    );
  }
}
