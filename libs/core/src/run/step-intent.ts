import { EVENT_VERSION, type EventData, type EventDraft } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { isNonIdempotent, type Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { withSubworkflowEffects } from '../workflow/step-effects.ts';
import { renderStep, templateScope } from '../workflow/secret-placeholders.ts';
import { stepRef, pathSegment } from '../interpreter/step-path.ts';
import type { StepPosition } from '../interpreter/interpreter-state.ts';
import { stepSummary, stepTitle } from '../workflow/step-titles.ts';
import { toStorable, toStorableText } from '../workflow/storable-text.ts';
import { recoveryPolicyOf } from './run-recovery.ts';

/** Data of `step.started`, without its time. */
export interface StepIntent {
  readonly v: number;
  /** One line for people. */
  readonly message: string;
  readonly data: EventData<'step.started'>;
}

/** The intent of a rendered step. @param fileName name of the upload of an `upload` step, which people see instead of its id */
export function createStepIntent(
  step: Step,
  position: Pick<StepPosition, 'number' | 'path' | 'label'>,
  fileName?: string,
): StepIntent {
  const named = step.action === 'upload' && fileName !== undefined ? { ...step, file: fileName } : step;
  const title = stepTitle(named);
  const label = position.label !== undefined && { label: position.label };
  const data = {
    ...stepRef(position),
    ...label,
    id: step.id ?? null,
    action: step.action,
    title,
    summary: stepSummary(named),
  };
  return { v: EVENT_VERSION, message: title.slice(0, 4000), data };
}

/** The event of an intent. @param time ISO 8601 */
export const intentEvent = ({ v, message, data }: StepIntent, time: string): EventDraft => ({
  type: 'step.started',
  v,
  level: 'info',
  message,
  at: time,
  data: data as unknown as EventDraft['data'],
});

/** State of a run before its first attempt. */
export interface FirstAttempt {
  readonly run: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of the secret inputs that have a value. */
  readonly secrets: readonly string[];
}

/**
 * Intent of the first step, written with the first claim. Nothing has to become durable between assignment and first
 * action.
 * @returns null if an intent without an action has a cost: the step is not idempotent, or the workflow then fails or
 * asks. null also if the step cannot be rendered; the worker then reports the error.
 */
export function firstStepIntent(
  definition: WorkflowDefinition,
  { run, inputs, secrets }: FirstAttempt,
): StepIntent | null {
  const [first] = definition.steps;
  if (!first || isBlock(first) || first.if !== undefined) return null;
  const policy = recoveryPolicyOf(definition);
  if (
    policy === 'fail' ||
    policy === 'ask' ||
    isNonIdempotent(withSubworkflowEffects(first, definition.workflows)) ||
    first.onInterrupted !== undefined
  )
    return null;
  try {
    const scope = templateScope(definition, { inputs, secrets, steps: {}, run: { id: run, epoch: 1 } });
    const { v, message, data } = createStepIntent(renderStep(first, scope), {
      number: 0,
      path: pathSegment(first.id, 0),
      ...(first.id !== undefined && { label: '1' }),
    });
    return {
      v,
      message: toStorableText(message),
      data: toStorable(data as unknown as Json) as unknown as StepIntent['data'],
    };
  } catch {
    return null;
  }
}
