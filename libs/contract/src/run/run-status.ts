import { z } from 'zod';

/** Status of a run. */
export const runStatuses = ['queued', 'running', 'awaiting_user', 'completed', 'failed', 'cancelled'] as const;
export const runStatusSchema = z.enum(runStatuses).meta({ id: 'RunStatus' });
export type RunStatus = z.infer<typeof runStatusSchema>;

/** The table of status changes (ARCHITECTURE.md, section 2): from → the statuses that may follow. */
export const runTransitions: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  queued: ['running', 'cancelled', 'failed'],
  running: ['completed', 'failed', 'cancelled', 'awaiting_user', 'queued'],
  awaiting_user: ['running', 'queued', 'completed', 'cancelled', 'failed'],
  completed: [],
  failed: [],
  cancelled: [],
};

/** True if a run may change from one status to another. */
export const canTransition = (current: RunStatus, next: RunStatus) => runTransitions[current].includes(next);

/** Final statuses of a run. */
export const terminalStatuses = runStatuses.filter((status) => runTransitions[status].length === 0);
export const isTerminal = (status: RunStatus) => runTransitions[status].length === 0;

/** Status of a run's step. `retrying`: an attempt failed, and the next one has not begun. */
export const stepStatusSchema = z
  .enum(['pending', 'running', 'retrying', 'completed', 'failed', 'skipped'])
  .meta({ id: 'StepStatus' });
export type StepStatus = z.infer<typeof stepStatusSchema>;
