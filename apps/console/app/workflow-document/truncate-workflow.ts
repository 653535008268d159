import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { stringify } from 'yaml';
import { yamlFormat } from './edit-steps.ts';
import { blockOf, type Path } from './yaml-path.ts';

type Node = Readonly<Record<string, unknown>>;

/** Title of the step in which a run waits for a person to take control, and its duration in seconds. */
export const WAIT_TITLE = 'Wait for element picker';
const WAIT_SECONDS = 180;

/** A loop of short waits: control is handed over between two steps. */
const waitStep: Node = {
  action: 'forEach',
  in: Array.from({ length: WAIT_SECONDS }, (_, index) => index),
  maxIterations: WAIT_SECONDS,
  steps: [{ action: 'wait', seconds: 1, title: WAIT_TITLE }],
};

/**
 * The workflow up to a step, followed by a wait instead of the step. Loops run their first iteration. Output and answer
 * timeout are removed.
 * @throws Error if the text is not a workflow, or has no such step
 */
export function truncateBefore(text: string, step: Path): string {
  const {
    output: _,
    outputSchema: __,
    answerTimeout: ___,
    ...rest
  } = (readYaml(text)?.value ?? {}) as Record<string, unknown>;
  const [first, ...path] = step;
  if (first !== 'steps') throw new Error('Step not found.');
  return stringify({ ...rest, steps: stepsUpTo(rest.steps, path) }, yamlFormat);
}

function stepsUpTo(list: unknown, [index, ...inner]: Path): Node[] {
  const steps = Array.isArray(list) ? (list as Node[]) : [];
  const previousSteps = steps.slice(0, Number(index));
  const node = steps[Number(index)];
  if (!node) throw new Error('Step not found.');
  if (inner.length === 0) return [...previousSteps, waitStep];
  const { field, branch, path } = blockOf(inner);
  // Steps of a branch run on the page of the main flow.
  if (branch !== undefined) return [...previousSteps, ...stepsUpTo((node.branches as Node)[branch], path)];
  const { catch: _, finally: __, else: ___, collect: ____, ...block } = node;
  const precedingSteps = field === 'steps' ? {} : { steps: node.steps };
  return [
    ...previousSteps,
    { ...block, ...precedingSteps, ...('until' in block && { until: 'true' }), [field]: stepsUpTo(node[field], path) },
  ];
}
