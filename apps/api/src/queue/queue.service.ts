import { Inject } from '@nestjs/common';
import type { FleetQueue } from '@pilothouse/contract';
import { FleetQueueStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/call.ts';

/** What waits, for whom. */
export class QueueService {
  constructor(@Inject(FleetQueueStore) private readonly queues: FleetQueueStore) {}

  async read({ project }: Caller): Promise<{ items: FleetQueue[] }> {
    return { items: await this.queues.read(project) };
  }
}
