import { LEASE_MS } from '../system/chaos-settings.ts';
import type { EventFacts, RunFacts, TraceFacts } from './stored-run.ts';
import { eachRun, IN_TRANSIT_MS, stepOf, terminal, type Invariant } from './common-checks.ts';

/**
 * Milliseconds between input and ledger entry. Input that was sent legitimately just before an end may still be in
 * Chromium or in the gate, and both may wait for CPU. The maximum observed in the full set on a busy machine is 1.
 */
export const FLIGHT_MS = 250;

/**
 * Milliseconds after which a canceled run may not act. A renewal that is sent later delivers the cancellation; one
 * that was sent before lets the worker act for one lease, though the run stays with it for longer. The first events of an attempt renew it once without that information.
 */
const CANCEL_TIMEOUT_MS = 2 * LEASE_MS + IN_TRANSIT_MS;

const codeOf = ({ data }: EventFacts) => (data['error'] as { code?: string } | undefined)?.code;

/** Forbidden actions: after an end, a recovery, a cancellation, or the death of the worker. */
export const finalStateInvariants = {
  'nothing reached the site after the end': eachRun((_, events, traces) => {
    const end = events.find(({ type }) => type in terminal)?.durableAt ?? Infinity;
    return tracesAfter(traces, end + FLIGHT_MS).map(
      ({ kind, epoch, step, at }) =>
        `a ${kind} of attempt ${epoch}, step ${step}, came ${Math.round(at - end)} ms after the end`,
    );
  }),
  'an ended attempt does nothing': eachRun((run, events, traces) => {
    const assignments = events.filter(({ type }) => type === 'run.assigned');
    return traces.flatMap((trace) => {
      const { kind, epoch, step, at } = trace;
      const later = assignments.filter((event) => event.epoch > epoch && event.durableAt + IN_TRANSIT_MS < at);
      const [first] = later;
      return first && !isRestored(run, trace, traces, later.length)
        ? [
            `attempt ${epoch} left a ${kind} of step ${step} ${Math.round(at - first.durableAt)} ms after attempt ${first.epoch} began`,
          ]
        : [];
    });
  }),
  'a cancelled run is not started again': eachRun((_, events) => {
    const cancelling = events.find(({ type }) => type === 'run.cancelling');
    return events
      .filter(
        ({ type, seq }) => cancelling && seq > cancelling.seq && (type === 'run.assigned' || type === 'run.requeued'),
      )
      .map(({ type, seq, epoch }) => `event ${seq} is ${type} of attempt ${epoch}, after the cancellation`);
  }),
  'a cancelled attempt stops within its lease': eachRun((_, events, traces) => {
    const cancelledAt = events.find(({ type }) => type === 'run.cancelling')?.durableAt ?? Infinity;
    return tracesAfter(traces, cancelledAt + CANCEL_TIMEOUT_MS + FLIGHT_MS).map(
      ({ kind, step, at }) =>
        `a ${kind} of step ${step} came ${Math.round(at - cancelledAt)} ms after the cancellation`,
    );
  }),
  'a run without recovery acts in one attempt': eachRun((run, events, traces) => {
    if (run.onWorkerLost !== 'fail') return [];
    const acted = [...events.filter(({ type }) => type === 'step.started'), ...traces].map(({ epoch }) => epoch);
    const first = Math.min(...acted);
    const wasLost = events.some(({ type, epoch }) => type === 'run.assigned' && epoch > first);
    const mustFail = wasLost && run.status !== 'cancelled';
    return [
      ...(new Set(acted).size > 1 ? [`attempts ${[...new Set(acted)].join(', ')} acted`] : []),
      ...(mustFail && !(run.status === 'failed' && run.errorCode === 'WORKER_LOST')
        ? [`it lost the worker that had begun it, and is ${run.status} (${run.errorCode})`]
        : []),
    ];
  }),
  'a restarted run begins with its first step': eachRun((run, events) => {
    if (run.onWorkerLost !== 'restart') return [];
    const acting = Map.groupBy(
      events.filter(({ type }) => type === 'step.started'),
      ({ epoch }) => epoch,
    );
    return [...acting].flatMap(([epoch, [first]]) =>
      first && stepOf(first) !== 0 ? [`attempt ${epoch} begins with step ${stepOf(first)}`] : [],
    );
  }),
  'a drained worker repeats nothing, asks no question, and fails no run': eachRun((run, events, _, { actions }) => {
    const { drained } = actions;
    if (drained === null) return [];
    const requeued = events.filter(({ type }) => type === 'run.requeued');
    const lost = requeued.filter((event) => codeOf(event) !== 'RUN_HANDED_BACK');
    // A busy machine may delay a worker beyond its lease. Runs of another worker are recovered as usual, and its own
    // while it is still alive. Runs that it never returned are lost only when it is gone. A claim in flight when it
    // said goodbye reaches no worker.
    const isBeforeExit = (event: EventFacts) =>
      codeOf(event) === 'ASSIGNMENT_NOT_ACCEPTED' ||
      (codeOf(event) === 'WORKER_LOST' && event.durableAt <= drained.exitedAt);
    const losses = lost.filter((event) => event.data['worker'] === drained.worker && !isBeforeExit(event));
    if (lost.length > 0)
      return losses.map((event) => `event ${event.seq}: it was not handed back, but ${codeOf(event)}`);
    const questions = events.filter(({ type }) => type === 'run.awaiting_user');
    return [
      ...(run.status === 'failed' ? [`it failed with ${run.errorCode}`] : []),
      ...questions.map(({ seq }) => `event ${seq} asks a person`),
      ...repeatedSteps(run, events).map((step) => `step ${step} was executed again`),
    ];
  }),
  'an exited worker leaves no process': ({ remainingProcesses: processes }) =>
    processes.map(({ pid, worker, command }) => `${worker} left ${pid}: ${command.slice(0, 200)}`),
} satisfies Record<string, Invariant>;

const tracesAfter = (traces: readonly TraceFacts[], start: number) => traces.filter(({ at }) => at > start);

/**
 * True when a visit may belong to a page that was restored for a later attempt and has the mark of the first one. Each
 * later attempt restores it once, and only after it was opened.
 */
function isRestored(run: RunFacts, visit: TraceFacts, traces: readonly TraceFacts[], laterAttempts: number): boolean {
  if (visit.kind !== 'visit' || run.onWorkerLost === 'restart') return false;
  const { epoch, step, at } = visit;
  const earlierVisits = traces.filter(
    (candidate) =>
      candidate !== visit &&
      candidate.kind === 'visit' &&
      candidate.epoch === epoch &&
      candidate.step === step &&
      candidate.at <= at,
  );
  return earlierVisits.length > 0 && earlierVisits.length <= laterAttempts;
}

/** Steps with an effect at the site that were completed and began again. */
function repeatedSteps(run: RunFacts, events: readonly EventFacts[]): number[] {
  if (run.onWorkerLost === 'restart') return [];
  return run.steps.flatMap(({ trace: kind }, step) => {
    const times = events.filter((event) => event.type === 'step.completed' && stepOf(event) === step).length;
    return kind !== null && times > 1 ? [step] : [];
  });
}
