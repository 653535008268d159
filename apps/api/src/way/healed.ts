import type { Log } from '@pilothouse/core';
import { ProposalStore, type Pool, type WrittenRun } from '@pilothouse/infra-db';

/** Notes runs in which a step was healed, after the commit that says so. One that is not noted is noted by the next run that heals the same. */
export function recordHealedRuns(pool: Pool, log: Log): (written: readonly WrittenRun[]) => void {
  const store = new ProposalStore(pool);
  return (written) => {
    for (const { run, events } of written)
      if (events.some(({ type }) => type === 'step.healed'))
        void store.noteHealed(run).catch((error: unknown) => {
          log.warn({ run, error: String(error) }, 'A healed run could not be noted');
        });
  };
}
