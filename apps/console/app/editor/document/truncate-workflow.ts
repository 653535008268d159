import { readYaml } from '@pilothouse/core/yaml';
import { stringify } from 'yaml';
import { printing } from './edit-steps.ts';
import { blockOf, type Path } from './yaml-path.ts';

type Node = Readonly<Record<string, unknown>>;

/** Title of the step in which a run waits for somebody to take its wheel, and for how many seconds it does. */
export const WAITING = 'Wait for you';
const WAITS = 180;

/** Short ones: the wheel is given before the next one begins. */
const waiting: Node = {
  action: 'forEach',
  in: Array.from({ length: WAITS }, (_, index) => index),
  maxIterations: WAITS,
  steps: [{ action: 'wait', seconds: 1, title: WAITING }],
};

/**
 * The workflow as far as a step, which it does not carry out: it waits there. Loops are in their first round then. What comes out of the
 * workflow, what comes later, and how long a person has, is left away.
 * @throws Error when the text is no workflow, or has no such step
 */
export function stopBefore(text: string, step: Path): string {
  const {
    output: _,
    outputSchema: __,
    answerTimeout: ___,
    ...rest
  } = (readYaml(text)?.value ?? {}) as Record<string, unknown>;
  const [first, ...path] = step;
  if (first !== 'steps') throw new Error('There is no such step');
  return stringify({ ...rest, steps: upTo(rest.steps, path) }, printing);
}

function upTo(list: unknown, [index, ...inner]: Path): Node[] {
  const steps = Array.isArray(list) ? (list as Node[]) : [];
  const before = steps.slice(0, Number(index));
  const node = steps[Number(index)];
  if (!node) throw new Error('There is no such step');
  if (inner.length === 0) return [...before, waiting];
  const { field, branch, path } = blockOf(inner);
  // On the page of the run itself: what the branch does before is done there, too.
  if (branch !== undefined) return [...before, ...upTo((node.branches as Node)[branch], path)];
  const { catch: _, finally: __, else: ___, collect: ____, ...block } = node;
  const way = field === 'steps' ? {} : { steps: node.steps };
  return [
    ...before,
    { ...block, ...way, ...('until' in block && { until: 'true' }), [field]: upTo(node[field], path) },
  ];
}
