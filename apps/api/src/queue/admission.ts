import { fleetsWithBacklog, type Pool } from '@pilothouse/infra-db';
import type { Dispatch } from '../way/dispatch.ts';

/** Lets runs that wait go on at once where a limit or a pause was lifted. Nobody waits for it, and what fails the sweeper makes good. */
export class Admission {
  private readonly pool: Pool;
  private readonly dispatch: Pick<Dispatch, 'admit'>;

  constructor(pool: Pool, dispatch: Pick<Dispatch, 'admit'>) {
    this.pool = pool;
    this.dispatch = dispatch;
  }

  /** Of one fleet. @param fleet id */
  of(fleet: string): void {
    void this.dispatch.admit(fleet);
  }

  /** Of every fleet in which runs wait. */
  everywhere(): void {
    void fleetsWithBacklog(this.pool).then(
      (fleets) => fleets.forEach((fleet) => this.of(fleet)),
      () => undefined,
    );
  }
}
