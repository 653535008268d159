/** Where a failpoint lies. */
export interface Place {
  /** The gap of a run's way, in a sentence. */
  readonly gap: string;
  /** Whether the code there waits for `hit`, so that it can be paused. */
  readonly waits: boolean;
  /** Why only runs come by that more than one attempt is made at; left out: others do, too. */
  readonly onlyTakenOver?: string;
}

/** Every failpoint, in the order in which a run comes by. A closed set: a name that is not here does not compile, and is not armed. */
export const failpoints = {
  'way.submitting': { gap: 'A run was checked, and is not stored yet.', waits: true },
  'way.stored': { gap: 'The run is durable, and nobody was hinted at it.', waits: true },
  'way.hinted': { gap: 'The hint is in the queue, and the client may not have its answer.', waits: true },
  'way.cancelled': { gap: 'A cancellation is durable, and the worker was not told.', waits: true },
  'gateway.hinted': { gap: 'A gateway has fetched a hint, and the run is not claimed.', waits: true },
  'gateway.claimed': { gap: 'The claim is durable, and no worker was told.', waits: true },
  'gateway.assigned': { gap: 'The assignment was sent, and the worker has not accepted.', waits: true },
  'worker.accepted': { gap: 'The worker has accepted, and has no intent yet.', waits: true },
  'worker.opened': { gap: 'The surface is open, and nothing was done there.', waits: true },
  'worker.restored': {
    gap: 'A safe point is restored, and nothing was done there yet.',
    waits: true,
    onlyTakenOver: 'It is another attempt that left the safe point.',
  },
  'worker.intent-durable': { gap: 'The intent of a step is durable, and the step has not acted.', waits: true },
  'worker.input-sent': { gap: 'The step has acted, and its outcome is not noted.', waits: true },
  'worker.outcome-noted': { gap: 'The outcome of a step is noted, and was not handed in.', waits: true },
  'link.append-sent': { gap: 'Events are on their way, and not acknowledged.', waits: false },
  'gateway.append-received': { gap: 'A gateway has received events, and has not written them.', waits: false },
  'gateway.append-written': { gap: 'The events are durable, and not acknowledged.', waits: true },
  'gateway.saved': { gap: 'A safe point is durable, and its worker does not know.', waits: true },
  'gateway.upload-granted': { gap: 'A file has a place, and its worker was not told.', waits: true },
  'worker.upload-sent': { gap: 'A file is in the object store, and the gateway does not know.', waits: true },
  'gateway.upload-stored': { gap: 'It is durable that a file is there, and its worker was not told.', waits: true },
  'worker.asked': { gap: 'The question to a person is durable, and nobody has answered.', waits: true },
  'way.answered': { gap: 'The answer of a person is durable, and the worker has not heard it.', waits: true },
  'way.dismissed': { gap: 'The end of a run that waited for a person is durable, and nobody was told.', waits: true },
  'worker.handing-back': {
    gap: 'What is to be left of the attempt is durable, and the run is not given back.',
    waits: true,
  },
  'gateway.handed-back': {
    gap: 'A run that was given back is in the queue, and nobody was hinted at it.',
    waits: true,
  },
  'gateway.slot-released': {
    gap: 'A run that waits for a person has given its slot back, and the slot is not free.',
    waits: true,
  },
  'link.outcome-sent': { gap: 'The outcome of the run is on its way, and not acknowledged.', waits: false },
  'gateway.run-ended': { gap: 'The end of the run is durable, and its slot is not free.', waits: true },
  'worker.closing': { gap: 'The attempt is over, and nothing of it was cleaned up.', waits: true },
  'sweeper.taken-back': { gap: 'The sweeper has taken a run back, and nobody was hinted at it.', waits: true },
} as const satisfies Record<string, Place>;

export type Failpoint = keyof typeof failpoints;

export const placeOf = (name: Failpoint): Place => failpoints[name];

export const isFailpoint = (name: string): name is Failpoint => Object.hasOwn(failpoints, name);
