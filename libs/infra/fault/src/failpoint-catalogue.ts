/** Description of a failpoint. */
export interface FailpointInfo {
  /** State of a run at the failpoint, as a sentence. */
  readonly description: string;
  /** True if the code awaits `failpoint`, so that it can be paused. */
  readonly isAsync: boolean;
  /** Reason why only runs with several attempts reach it; missing: all runs can reach it. */
  readonly onlyAfterRecovery?: string;
}

/** All failpoints, in the order in which a run reaches them. A closed set: unknown names do not compile and are not enabled. */
export const failpoints = {
  'run.before-insert': { description: 'A run was checked, and is not stored yet.', isAsync: true },
  'run.inserted': { description: 'The run is durable, and no job was queued for it.', isAsync: true },
  'dispatch.enqueued': {
    description: 'The job is in the queue, and the client may not have its response.',
    isAsync: true,
  },
  'run.cancelled': { description: 'A cancellation is durable, and the worker is not notified.', isAsync: true },
  'gateway.job-fetched': { description: 'A gateway has fetched a job, and the run is not claimed.', isAsync: true },
  'gateway.claimed': { description: 'The claim is durable, and not assigned.', isAsync: true },
  'gateway.assigned': { description: 'The assignment was sent, and the worker has not accepted.', isAsync: true },
  'worker.accepted': { description: 'The worker has accepted, and has no intent yet.', isAsync: true },
  'worker.opened': { description: 'The surface is open, and nothing was done there.', isAsync: true },
  'worker.restored': {
    description: 'A safe point is restored, and nothing was done there yet.',
    isAsync: true,
    onlyAfterRecovery: 'It is another attempt that left the safe point.',
  },
  'worker.intent-durable': {
    description: 'The intent of a step is durable, and the step has not acted.',
    isAsync: true,
  },
  'worker.input-sent': { description: 'The step has acted, and its outcome is not recorded.', isAsync: true },
  'worker.outcome-buffered': { description: 'The outcome of a step is recorded, and not sent.', isAsync: true },
  'link.append-sent': { description: 'Events are on their way, and not acknowledged.', isAsync: false },
  'gateway.append-received': {
    description: 'A gateway has received events, and has not written them.',
    isAsync: false,
  },
  'gateway.append-durable': { description: 'The events are durable, and not acknowledged.', isAsync: true },
  'gateway.safe-point-stored': { description: 'A safe point is durable, and its worker does not know.', isAsync: true },
  'gateway.upload-granted': { description: 'An upload is granted, and its worker is not notified.', isAsync: true },
  'worker.upload-sent': { description: 'A file is in the object store, and the gateway does not know.', isAsync: true },
  'gateway.upload-stored': {
    description: 'An artifact is marked as stored, and its worker is not notified.',
    isAsync: true,
  },
  'worker.question-durable': {
    description: 'The question to a person is durable, and not answered.',
    isAsync: true,
  },
  'run.answered': { description: 'The answer of a person is durable, and not delivered to the worker.', isAsync: true },
  'run.dismissed': {
    description: 'The end of a run that waited for a person is durable, and was not announced.',
    isAsync: true,
  },
  'worker.before-handback': {
    description: 'The final events of the attempt are durable, and the run is not handed back.',
    isAsync: true,
  },
  'gateway.handed-back': {
    description: 'A run that was handed back is queued, and its job is not.',
    isAsync: true,
  },
  'gateway.slot-released': {
    description: 'A run that waits for a person has released its slot, and the slot is not free.',
    isAsync: true,
  },
  'link.outcome-sent': { description: 'The outcome of the run is on its way, and not acknowledged.', isAsync: false },
  'gateway.run-ended': { description: 'The end of the run is durable, and its slot is not free.', isAsync: true },
  'worker.before-cleanup': { description: 'The attempt is over, and nothing of it was cleaned up.', isAsync: true },
  'sweeper.reclaimed': {
    description: 'The sweeper has requeued a run, and no job was queued for it.',
    isAsync: true,
  },
} as const satisfies Record<string, FailpointInfo>;

export type Failpoint = keyof typeof failpoints;

export const failpointInfo = (name: Failpoint): FailpointInfo => failpoints[name];

export const isFailpoint = (name: string): name is Failpoint => Object.hasOwn(failpoints, name);
