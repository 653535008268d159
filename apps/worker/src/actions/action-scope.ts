import { toPilothouseError, type RunAnswer, type Assignment, type RunQuestion } from '@pilothouse/contract';
import { stepTitle, type Surface, raceAbort } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { InputFiles } from '../files/input-files.ts';
import type { ActionScope } from './run-action.ts';
import { runParallel, type BranchParts } from '../steps/parallel-step.ts';
import { agentParts, branchAgentParts } from '../steps/goal/goal-step.ts';
import { runGoal } from '../steps/goal/goal-agent.ts';
import { healParts, canHeal } from '../steps/healing/healing-scope.ts';
import { resultOfPreviousAnswer } from '../steps/healing/human-candidates.ts';
import { healStep } from '../steps/healing/heal-step.ts';
import type { BudgetGuard } from '../attempt/budget-guard.ts';
import { isCatchable } from '../error-policy.ts';
import type { RunningStep } from '../attempt/step-outcomes.ts';
import type { RunCancellation } from '../attempt/cancellation.ts';
import type { WorkerServices, AttemptContext } from '../context/attempt-context.ts';
import type { ManualControl } from '../control/manual-control.ts';

/** What actions of an attempt are made of. */
export interface OfAttempt {
  readonly assignment: Assignment;
  readonly link: AttemptLink;
  readonly parts: WorkerServices;
  readonly tools: AttemptContext;
  readonly stops: RunCancellation;
  readonly limits: BudgetGuard;
  readonly wheel: ManualControl;
  /** The step at work. */
  atWork(): RunningStep | undefined;
  ask(question: RunQuestion): Promise<RunAnswer>;
}

/** Whoever took the wheel has the surface until they give it back: the step at work only waits. */
async function giveWay(
  leftMs: number,
  { tools: { events: events }, stops, wheel, atWork, ask }: OfAttempt,
): Promise<void> {
  const work = atWork();
  if (!work) return;
  const { position } = work;
  const facts = { step: position.number };
  const left = `${Math.ceil(leftMs / 1000)} s`;
  const title = `Step ${position.path} “${stepTitle(work.step)}”`;
  for (let question = wheel.pendingQuestion(position); question; question = wheel.pendingQuestion(position)) {
    events.add('run.log', `${title} stops waiting: ${question.reason}. ${left} of it are left`, { facts });
    await ask(question);
  }
  events.add('run.log', `${title} waits on, for ${left}`, { facts });
  await raceAbort(events.flush(), stops.signal);
}

/** What a person answered to a former attempt at the run, in the attempt of the step that goes on where that one ended. */
const previousAnswer = ({ isRetried }: RunningStep, { answer }: Assignment) => (isRetried ? null : answer);

/** What an attempt gives to its actions on a surface. @param folder of the attempt */
export function actionScope(surface: Surface, folder: string, attempt: OfAttempt): ActionScope {
  const { assignment, link, tools, stops, limits, wheel, atWork, ask } = attempt;
  const { clock, gatewayUrl, random, trustedAuthorities } = attempt.parts;
  const files = new InputFiles({ link, clock, folder, base: gatewayUrl, random, signal: stops.signal });
  return {
    run: assignment.run,
    surface,
    lease: link.lease,
    signal: stops.signal,
    assertCanAct: () => limits.assertCanAct(),
    sentInputs: { count: 0 },
    clock,
    log: tools.log,
    reveal: (text, origin) => tools.secrets.reveal(text, origin),
    file: (upload) => files.download(upload),
    fileFacts: (upload) => files.facts(upload),
    proxy: () => tools.egress.proxy(),
    trustedAuthorities,
    userAgent: tools.userAgent(),
    profiles: tools.profiles,
    patience: { taken: (stop) => wheel.onTaken(stop), giveWay: (leftMs) => giveWay(leftMs, attempt) },
    branches: (step, act) => {
      const work = atWork();
      if (!work) throw new Error('Branches are those of a step');
      const {
        progress: progress,
        events: events,
        screenshots: screenshots,
        siteLimiter: siteLimiter,
        egress,
        safePoints,
      } = tools;
      const explained = (error: unknown) => egress.explained(error);
      const begin = () => limits.countBranchStep();
      const goal: BranchParts['goal'] = (goalStep, own, where) =>
        runGoal(goalStep, branchAgentParts(work, own, where, { assignment, link, tools, wheel, ask }));
      return runParallel(step, {
        ...{
          place: work.position,
          around: progress.programState,
          act,
          events: events,
          screenshots: screenshots,
          siteLimiter: siteLimiter,
          safePoints,
        },
        ...{ begin, explained, mayCatch: isCatchable, goal },
      });
    },
    goal: (step, act) => {
      const work = atWork();
      if (!work) throw new Error('An agent works for a step');
      return runGoal(step, agentParts(work, act, { assignment, link, tools, wheel, ask }));
    },
    settled: (act) => {
      const work = atWork();
      return work ? resultOfPreviousAnswer(previousAnswer(work, assignment), work, act) : null;
    },
    heal: (step, failed, act) => {
      const work = atWork();
      if (!work || !canHeal(step, failed, assignment.definition, work.position, tools.progress)) throw failed;
      const own = { ...assignment, answer: previousAnswer(work, assignment) };
      return healStep(
        step,
        toPilothouseError(failed),
        healParts(work.position, act, { assignment: own, link, tools, ask }),
      );
    },
  };
}
