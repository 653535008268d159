import { PilothouseError, type Checkpoint, type Step, type WorkflowDefinition } from '@pilothouse/contract';

/** How an attempt begins, by what former attempts left behind. */
export type TakeoverPlan =
  /** Nothing has happened yet. */
  | { readonly kind: 'start' }
  /** Something has happened, and all of it may happen again. */
  | { readonly kind: 'restart' }
  /** Beginning again could do something twice, or the workflow does not want it. */
  | { readonly kind: 'fail'; readonly step: number; readonly error: PilothouseError };

type Definition = Pick<WorkflowDefinition, 'steps' | 'resume'>;

/**
 * Decides how an attempt begins. An attempt always begins at the first step, so every step that acted, or may have, would act
 * again: that is refused where the step, or the workflow, does not allow it.
 * @param checkpoints how far former attempts came, in any order
 */
export function takeoverPlan({ steps, resume }: Definition, checkpoints: readonly Checkpoint[]): TakeoverPlan {
  const touched = checkpoints
    .filter(({ status }) => status === 'acting' || status === 'acted' || status === 'failed')
    .sort((a, b) => a.step - b.step);
  const [first] = touched;
  if (!first) return { kind: 'start' };
  if (resume === 'fail') {
    const error = new PilothouseError('WORKER_LOST', 'The run lost its worker, and the workflow says `resume: fail`');
    return { kind: 'fail', step: touched.at(-1)?.step ?? first.step, error };
  }
  for (const { step: index, status } of touched) {
    const step = steps[index];
    if (step && mayHappenAgain(step, status === 'acted')) continue;
    return { kind: 'fail', step: index, error: unknown(index, step, status === 'acted') };
  }
  return { kind: 'restart' };
}

function mayHappenAgain({ repeatable, onUnknown }: Step, happened: boolean): boolean {
  if (happened) return repeatable !== false;
  switch (onUnknown) {
    case 'repeat':
      return true;
    case 'ask':
    case 'fail':
      return false;
    default:
      return repeatable !== false;
  }
}

function unknown(index: number, step: Step | undefined, happened: boolean): PilothouseError {
  const name = step?.id ? `"${step.id}"` : 'without an id';
  const what = happened ? 'happened before' : 'may have happened before';
  return new PilothouseError(
    'STEP_UNKNOWN',
    `Step ${index + 1} (${name}, ${step?.action ?? 'unknown'}) ${what} the worker was lost, and is not to be repeated`,
    { details: { step: index, id: step?.id ?? null } },
  );
}
