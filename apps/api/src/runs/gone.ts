import { PilothouseError } from '@pilothouse/contract';

/** What the project no longer keeps of a run that is itself still there. */
export const runDataDeleted = (run: string) =>
  new PilothouseError(
    'GONE',
    `The events and steps of the run ${run} were removed: the project keeps them for a limited time after the end of a run`,
  );
