import { fleetsWithBacklog, type Pool } from '@pilothouse/infra-db';
import type { RunDispatcher } from '../way/dispatch.ts';

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
