import type { DispatchJob } from '@pilothouse/infra-db';

/** The slots of one fleet at this replica. */
export interface FleetSlots {
  /** Free slots that may be filled from the backlog; null without workers. */
  readonly availableSlots: number | null;
  /** Claims runs of the backlog for these slots. @returns number of slots, and how many were filled */
  claimNext(): Promise<{ slots: number; filled: number }>;
  /** Claims the run of a job. @returns whether a slot was free for it */
  tryDispatch(job: DispatchJob): boolean;
}

/** The free slots of the workers of this replica, by fleet. Without direct dispatch, no fleet is added. */
export class LocalSlots {
  private readonly fleets = new Map<string, FleetSlots>();

  /** From now on the slots of the fleet at this replica are filled directly. */
  add(fleet: string, slots: FleetSlots): void {
    this.fleets.set(fleet, slots);
  }

  /** Ends `add`, unless the fleet has other slots by now. */
  remove(fleet: string, slots: FleetSlots): void {
    if (this.fleets.get(fleet) === slots) this.fleets.delete(fleet);
  }

  has(fleet: string): boolean {
    return this.fleets.has(fleet);
  }

  /** Slots of a fleet that may be filled from the backlog; null when no worker of the fleet is connected. */
  free(fleet: string): number | null {
    return this.fleets.get(fleet)?.availableSlots ?? null;
  }

  /** Claims runs of the backlog for the free slots of a fleet. @returns number of slots, and how many were filled */
  async claim(fleet: string): Promise<{ slots: number; filled: number }> {
    return (await this.fleets.get(fleet)?.claimNext()) ?? { slots: 0, filled: 0 };
  }

  /** Claims the run of a job. @returns whether a slot was free for it */
  offer(job: DispatchJob): boolean {
    return this.fleets.get(job.fleet)?.tryDispatch(job) ?? false;
  }
}
