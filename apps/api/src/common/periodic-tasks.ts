import type { TaskScheduler } from '@pilothouse/core/time/task-scheduler';

/** The periodic tasks of a replica; the values of the label `task`. */
export const periodicTaskNames = ['fleet-samples', 'retention', 'run-reactions', 'sweeper'] as const;
export type PeriodicTaskName = (typeof periodicTaskNames)[number];

/** Runs the periodic tasks of a replica. */
export type ReplicaScheduler = Pick<TaskScheduler<PeriodicTaskName>, 'start' | 'timers'>;
