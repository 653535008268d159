import { finalStateInvariants } from './final-state.ts';
import { interruptedStepInvariants } from './interrupted-step-policy.ts';
import type { CaseFacts } from './stored-run.ts';
import { cachedActionInvariants } from './cached-actions.ts';
import { eachRun, Index, isEnded, ROUNDING_MS, stepOf, terminal, type Invariant } from './common-checks.ts';

/** Every invariant by name. */
export const invariants = {
  'each accepted run is stored once': ({ runs, submissions }) => {
    const byKey = Map.groupBy(runs, ({ key }) => key);
    return submissions.flatMap(({ key, runs: acceptedIds }) => {
      const storedIds = (byKey.get(key) ?? []).map(({ id }) => id);
      const lost = acceptedIds.filter((id) => !storedIds.includes(id));
      return [
        ...(storedIds.length > 1 ? [`key ${key} made ${storedIds.length} runs`] : []),
        ...(new Set(acceptedIds).size > 1 ? [`key ${key} was answered with ${new Set(acceptedIds).size} runs`] : []),
        ...lost.map((id) => `run ${id} was accepted and does not exist`),
      ];
    });
  },
  'every run ended': eachRun((run) => (isEnded(run) ? [] : [`it is still ${run.status}`])),
  'a run ends once, with its last event': eachRun((run, events) => {
    const ends = events.filter(({ type }) => type in terminal);
    const last = events.at(-1);
    if (!isEnded(run)) return ends.map(({ type, seq }) => `it has ${type} at ${seq}, and is ${run.status}`);
    return [
      ...(ends.length === 1 ? [] : [`it ended ${ends.length} times`]),
      ...(last && terminal[last.type] === run.status
        ? []
        : [`it is ${run.status}, and its last event is ${last?.type}`]),
    ];
  }),
  'events count from 1, without gap': eachRun((run, events) => [
    ...events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`])),
    ...(events.length === run.eventSeq ? [] : [`it counts ${run.eventSeq} events and has ${events.length}`]),
  ]),
  'events of an attempt are stored once, in order': eachRun((_, events) => {
    const byEpoch = Map.groupBy(
      events.filter(({ n }) => n !== null),
      ({ epoch }) => epoch,
    );
    return [...byEpoch].flatMap(([epoch, numbered]) =>
      numbered.flatMap(({ n, type }, index) =>
        n === index + 1 ? [] : [`event ${index + 1} of attempt ${epoch} is ${type} with the number ${n}`],
      ),
    );
  }),
  'no event belongs to an ended attempt': eachRun((run, events) => {
    const back = events.filter(({ epoch }, index) => epoch < (events[index - 1]?.epoch ?? 0));
    const beyond = events.filter(({ epoch }) => epoch > run.epoch);
    return [
      ...back.map(({ seq, epoch, type }) => `event ${seq}, ${type}, is of attempt ${epoch}, after a newer one`),
      ...beyond.map(({ seq, epoch }) => `event ${seq} is of attempt ${epoch}, and the run is at ${run.epoch}`),
    ];
  }),
  'a step starts before it completes, each once an attempt': eachRun((_, events) => {
    const open = new Map<number, number>();
    const startedKeys = new Set<string>();
    return events.flatMap((event) => {
      const { type, epoch, seq } = event;
      const step = stepOf(event);
      if (type === 'step.started') {
        const name = `${epoch}/${step}`;
        const isRepeated = startedKeys.has(name);
        startedKeys.add(name);
        open.set(step, epoch);
        return isRepeated ? [`event ${seq}: attempt ${epoch} began step ${step} twice`] : [];
      }
      if (type !== 'step.completed' && type !== 'step.failed') return [];
      const hasStarted = open.get(step) === epoch;
      open.delete(step);
      return hasStarted ? [] : [`event ${seq}: ${type} of step ${step} in attempt ${epoch}, which did not begin it`];
    });
  }),
  // An event that was stored, but whose acknowledgement was lost, is sent again.
  'each started step counts once': eachRun((run, events) => {
    const startedSteps = events.filter(({ type }) => type === 'step.started' || type === 'branch.step_started').length;
    return run.usedSteps === startedSteps ? [] : [`${startedSteps} steps began, and ${run.usedSteps} count`];
  }),
  'an ended run has no lease and no safe point': eachRun((run) =>
    isEnded(run)
      ? [...(run.hasLease ? ['it still has a lease'] : []), ...(run.hasSafePoint ? ['it still has a safe point'] : [])]
      : [],
  ),
  'no action without an intent that was durable before': eachRun((_, events, traces) =>
    traces.flatMap(({ kind, epoch, step, at }) => {
      const intents = events.filter(
        (event) => event.type === 'step.started' && event.epoch === epoch && stepOf(event) === step,
      );
      const first = Math.min(...intents.map(({ durableAt }) => durableAt));
      if (intents.length === 0) return [`a ${kind} of attempt ${epoch}, step ${step}, had no intent`];
      return first <= at + ROUNDING_MS
        ? []
        : [
            `a ${kind} of attempt ${epoch}, step ${step}, came ${(first - at).toFixed(1)} ms before its intent was durable`,
          ];
    }),
  ),
  // The client checks the ledger before it answers `retry`, so a repeated order is a violation here too.
  'a step that is not idempotent ran once': eachRun((run, _, traces) =>
    run.steps.flatMap(({ idempotent, trace: kind }, step) => {
      if (idempotent || kind === null) return [];
      const times = traces.filter((trace) => trace.step === step && trace.kind === kind).length;
      return times > 1 ? [`step ${step} happened ${times} times`] : [];
    }),
  ),
  // A person completed the rest of a dismissed run.
  'a completed run executed all steps': eachRun((run, _, traces, { actions }) =>
    run.status !== 'completed' || actions.dismissed.has(run.id)
      ? []
      : run.steps.flatMap(({ trace: kind }, step) =>
          kind === null || traces.some((trace) => trace.step === step && trace.kind === kind)
            ? []
            : [`step ${step} never reached the site`],
        ),
  ),
  ...finalStateInvariants,
  ...interruptedStepInvariants,
  ...cachedActionInvariants,
  'a repair is proposed once': ({ repairs }) =>
    repairs.flatMap(({ workflow, healed, proposals }) =>
      proposals === Math.min(healed, 1)
        ? []
        : [`${healed} runs of ${workflow} were healed, and ${proposals} versions are proposed`],
    ),
  'a run fails or is cancelled only for a reason': eachRun((run, events, _, { actions }) => {
    if (run.status === 'cancelled') return actions.cancelled.has(run.id) ? [] : ['it was cancelled without a request'];
    if (run.status !== 'failed') return [];
    const wasRecovered = events.some(({ type }) => type === 'run.requeued');
    const allowedCodes = [
      ...actions.mayFail,
      ...(wasRecovered && run.onWorkerLost === 'fail' ? ['WORKER_LOST'] : []),
      ...(wasRecovered && run.steps.some(({ onInterrupted }) => onInterrupted === 'fail')
        ? ['STEP_STATUS_UNKNOWN']
        : []),
    ];
    return allowedCodes.includes(run.errorCode ?? '') ? [] : [`it failed with ${run.errorCode}`];
  }),
} satisfies Record<string, Invariant>;

export interface Violation {
  readonly invariant: string;
  readonly sentence: string;
}

/** Returns all violations of a case; empty: none. */
export function violationsOf(facts: CaseFacts): Violation[] {
  const index = new Index(facts);
  return Object.entries<Invariant>(invariants).flatMap(([invariant, check]) =>
    check(facts, index).map((sentence) => ({ invariant, sentence })),
  );
}
