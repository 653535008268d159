import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { APPROVAL_QUESTION_NUMBER } from '@pilothouse/contract/run/approval-question';
import type { RunAnswer, RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import { approvalOf, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { AgentQuestion } from '@pilothouse/core/agent/agent-protocol';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { numberOf, stepNumber } from '@pilothouse/core/interpreter/step-number';
import { linearStepPath, stepRef } from '@pilothouse/core/interpreter/step-path';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import { linkAbort, raceAbort } from '@pilothouse/core/time/deadlines';
import type { Timer } from '@pilothouse/core/time/timers';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { failpoint } from '@pilothouse/infra-fault';
import { actionScope, type AttemptContext } from './attempt-context.ts';

/**
 * Asks a person and waits for the answer. The person may control the surface meanwhile. After `questionHoldMs` the run is handed back to
 * free its slot, unless a person has control. The next attempt then gets the answer.
 * @throws the reason of the cancellation
 */
export async function requestHumanAnswer(attempt: AttemptContext, question: RunQuestion): Promise<RunAnswer> {
  const { control, surfaceSession } = attempt;
  const endSession = surfaceSession.current
    ? control.startSession({ scope: actionScope(attempt, surfaceSession.current), step: stepOf(question) })
    : undefined;
  try {
    return await waitForAnswer(attempt, question);
  } finally {
    await endSession?.();
  }
}

async function waitForAnswer(attempt: AttemptContext, question: RunQuestion): Promise<RunAnswer> {
  const { assignment, link, events, timers, budget, control, cancellation } = attempt;
  const facts = { step: question.step };
  const number = stepNumber(assignment.definition, question.path ?? linearStepPath(question.step));
  if (question.controlToken === undefined) {
    events.add('run.log', `Asked a person about step ${number}`, { facts }, 'warn');
  } else if (!events.hasEvents) {
    // A question is sent with an event, usually the outcome of the previous step.
    events.add('run.log', `${question.reason}: the run pauses before step ${number}`, { facts });
  }
  budget.pause();
  await raceAbort(events.flush({ question }), cancellation.signal);
  await failpoint('worker.question-durable', link.attempt.run);
  const slotNeeded = new PilothouseError('RUN_HANDED_BACK', 'The run waits for a person and released its slot');
  let slotTimer: Timer | undefined;
  const startSlotTimer = () => {
    slotTimer = timers.setTimeout(
      () => (control.isActive ? startSlotTimer() : cancellation.abort(slotNeeded)),
      assignment.questionHoldMs,
    );
  };
  startSlotTimer();
  const unlink = linkAbort(cancellation.draining, (reason) => cancellation.abort(reason));
  try {
    return await link.waitForAnswer(question, cancellation.signal);
  } finally {
    timers.clearTimeout(slotTimer);
    unlink();
    budget.resume();
  }
}

const stepOf = ({ step, path, id }: RunQuestion) => ({ step, ...(path !== undefined && { path }), id });

/** Lets the person in control use the surface until they release it. The running step waits. @param remainingMs of the step */
export async function yieldToOperator(attempt: AttemptContext, remainingMs: number): Promise<void> {
  const { control, events, cancellation, runningStep } = attempt;
  if (!runningStep) return;
  const { position, step } = runningStep;
  const facts = { step: position.number };
  const remaining = `${Math.ceil(remainingMs / 1000)} s`;
  const title = `Step ${numberOf(position)} “${stepTitle(step)}”`;
  for (let question = control.pendingQuestion(position); question; question = control.pendingQuestion(position)) {
    events.add('run.log', `${title} stopped waiting: ${question.reason}. ${remaining} left`, { facts });
    await requestHumanAnswer(attempt, question);
  }
  events.add('run.log', `${title} continues to wait, ${remaining} left`, { facts });
  await raceAbort(events.flush(), cancellation.signal);
}

/** Asks a person to approve a step. @param step rendered */
export function approvalQuestion(step: Step, position: StepPosition): RunQuestion {
  const reason = `Step ${numberOf(position)} (${stepTitle(step)}) needs approval: ${approvalOf(step) ?? ''}`;
  return {
    ...stepRef(position),
    id: step.id ?? null,
    questionNumber: APPROVAL_QUESTION_NUMBER,
    reason: ellipsize(reason, 2000),
    choices: [
      { choice: 'continue', title: 'Approve: run the step once' },
      { choice: 'fail', title: 'Refuse: fail the step' },
    ],
  };
}

/** Asks a question of an agent. @param questionNumber number of the question within the step */
export function agentQuestion(
  question: AgentQuestion,
  reason: string,
  questionNumber: number,
  position: StepPosition,
): RunQuestion {
  const { number, step } = position;
  const { path } = stepRef(position);
  return {
    step: number,
    ...(path !== undefined && { path }),
    id: step.id ?? null,
    questionNumber,
    reason: ellipsize(reason, 2000),
    choices:
      question.kind === 'confirm'
        ? [
            { choice: 'continue', title: 'Allow once' },
            { choice: 'decline', title: 'Decline: the agent tries another way' },
            { choice: 'fail', title: 'Fail the step' },
          ]
        : [
            { choice: 'continue', title: 'Continue with your answer (text)' },
            { choice: 'decline', title: 'No answer: the agent continues on its own' },
            { choice: 'fail', title: 'Fail the step' },
          ],
  };
}
