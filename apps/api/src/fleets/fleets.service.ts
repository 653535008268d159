import { Inject } from '@nestjs/common';
import { PilothouseError, type FleetView } from '@pilothouse/contract';
import { FleetStore } from '@pilothouse/infra-db';
import type { Caller } from '../http/call.ts';

/** Fleets that serve a project. */
export class FleetsService {
  constructor(@Inject(FleetStore) private readonly fleets: FleetStore) {}

  async list({ project }: Caller): Promise<{ items: FleetView[] }> {
    return { items: await this.fleets.list(project.slug) };
  }

  async read({ project }: Caller, name: string): Promise<FleetView> {
    const [fleet] = await this.fleets.list(project.slug, name);
    if (!fleet) throw new PilothouseError('NOT_FOUND', `There is no fleet ${name} for this project`);
    return fleet;
  }
}
