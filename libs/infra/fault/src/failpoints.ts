/** Where a failpoint lies. */
interface Place {
  /** The gap of a run's way, in a sentence. */
  readonly gap: string;
  /** Whether the code there waits for `hit`, so that it can be paused. */
  readonly waits: boolean;
}

/** Every failpoint, in the order in which a run comes by. A closed set: a name that is not here does not compile, and is not armed. */
export const failpoints = {
  'way.submitting': { gap: 'A run was checked, and is not stored yet.', waits: true },
  'way.stored': { gap: 'The run is durable, and nobody was hinted at it.', waits: true },
  'way.hinted': { gap: 'The hint is in the queue, and the client may not have its answer.', waits: true },
  'gateway.hinted': { gap: 'A gateway has fetched a hint, and the run is not claimed.', waits: true },
  'gateway.claimed': { gap: 'The claim is durable, and no worker was told.', waits: true },
  'gateway.assigned': { gap: 'The assignment was sent, and the worker has not accepted.', waits: true },
  'worker.accepted': { gap: 'The worker has accepted, and has no intent yet.', waits: true },
  'worker.intent-durable': { gap: 'The intent of a step is durable, and the step has not acted.', waits: true },
  'worker.input-sent': { gap: 'The step has acted, and its outcome is not noted.', waits: true },
  'worker.outcome-noted': { gap: 'The outcome of a step is noted, and was not handed in.', waits: true },
  'link.append-sent': { gap: 'Events are on their way, and not acknowledged.', waits: false },
  'gateway.append-received': { gap: 'A gateway has received events, and has not written them.', waits: false },
  'gateway.append-written': { gap: 'The events are durable, and not acknowledged.', waits: true },
  'gateway.saved': { gap: 'A safe point is durable, and its worker does not know.', waits: true },
  'worker.asked': { gap: 'The question to a person is durable, and nobody has answered.', waits: true },
  'way.answered': { gap: 'The answer of a person is durable, and the worker has not heard it.', waits: true },
  'link.outcome-sent': { gap: 'The outcome of the run is on its way, and not acknowledged.', waits: false },
  'gateway.run-ended': { gap: 'The end of the run is durable, and its slot is not free.', waits: true },
  'worker.closing': { gap: 'The attempt is over, and nothing of it was cleaned up.', waits: true },
  'sweeper.taken-back': { gap: 'The sweeper has taken a run back, and nobody was hinted at it.', waits: true },
} as const satisfies Record<string, Place>;

export type Failpoint = keyof typeof failpoints;

export const isFailpoint = (name: string): name is Failpoint => Object.hasOwn(failpoints, name);
