import type { CaseActions, EventFacts, RunFacts } from './stored-run.ts';
import { eachRun, stepOf, type Invariant } from './common-checks.ts';

/** Invariants of the policy of a workflow for a step with an unknown result. */
export const interruptedStepInvariants = {
  'an interrupted step asks a question or fails its run, by its policy': eachRun((run, events, _, { actions }) => {
    // Runs without recovery have another invariant.
    if (run.onWorkerLost === 'fail') return [];
    return interruptedSteps(events).flatMap(({ step, seq }) => {
      const later = events.filter((event) => event.seq > seq);
      switch (run.steps[step]?.onInterrupted) {
        case 'ask':
          return unaskedSteps(step, later);
        case 'fail':
          return unfailedSteps(step, run, later, actions);
        default:
          return [];
      }
    });
  }),
} satisfies Record<string, Invariant>;

function unaskedSteps(step: number, later: readonly EventFacts[]): string[] {
  const first = (type: string) => later.find((event) => event.type === type && stepOf(event) === step)?.seq ?? Infinity;
  const [restartSeq, questionSeq] = [first('step.started'), first('run.awaiting_user')];
  return restartSeq < questionSeq ? [`event ${restartSeq} begins step ${step} again without a question`] : [];
}

function unfailedSteps(step: number, run: RunFacts, later: readonly EventFacts[], actions: CaseActions): string[] {
  const isReassigned = later.some(({ type }) => type === 'run.assigned');
  const isEndedByPerson = run.status === 'cancelled' || actions.dismissed.has(run.id);
  const hasReason = ['STEP_STATUS_UNKNOWN', ...actions.mayFail].includes(run.errorCode ?? '');
  if (!isReassigned || isEndedByPerson || hasReason) return [];
  return [`it is ${run.status} (${run.errorCode}), and the policy of step ${step} is to fail`];
}

/** Steps that were running when their attempt was lost, with the number of the event that reports it. */
function interruptedSteps(events: readonly EventFacts[]): { step: number; seq: number }[] {
  let activeStep: number | undefined;
  return events.flatMap((event) => {
    const { type, seq } = event;
    if (type === 'step.started') activeStep = stepOf(event);
    if (type === 'step.completed' || type === 'step.failed') activeStep = undefined;
    if (type !== 'run.requeued' || activeStep === undefined) return [];
    const lost = { step: activeStep, seq };
    activeStep = undefined;
    return [lost];
  });
}
