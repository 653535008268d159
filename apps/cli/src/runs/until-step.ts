import { didYouMean } from '@pilothouse/contract/nearest';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { walkNodes, isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { WorkflowDefinition, WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { inferFieldTypes } from '@pilothouse/core/workflow/step-types';
import { usage } from '../output/exit-codes.ts';
import { clean, count } from '../output/sanitize-text.ts';

/** Longest `wait` step, in seconds, and how many of them keep a browser open. */
const WAIT_SECONDS = 600;
const WAIT_COUNT = 24;

/** Hours for which `--keep-open` keeps a browser open. */
export const KEEP_OPEN_HOURS = (WAIT_COUNT * WAIT_SECONDS) / 3600;

/** Steps that an error lists. */
const MAX_LISTED = 30;

/** A workflow that ends after a step and then observes the page. */
export interface ShortenedWorkflow {
  readonly definition: WorkflowDefinition;
  /** Id of the `observe` step. */
  readonly observeId: string;
  /** The last step of the workflow that is executed, e.g. `2 (Log in)`. */
  readonly lastStep: string;
}

/**
 * Returns the workflow up to and including a step, followed by an `observe` step whose value is the output. Inputs that none of these
 * steps uses may be left out.
 * @param step number, id or title of a step of the top level
 * @param keepOpen the run waits after the observation, with its browser open; `timeout` of the workflow does not count then
 * @throws CommandError that lists the steps when there is no such step, or more than one
 */
export function shortenWorkflow(definition: WorkflowDefinition, step: string, keepOpen: boolean): ShortenedWorkflow {
  // `outputSchema` gives types to step outputs. Later steps rely on these types.
  const { output, outputSchema, timeout, inputs, steps: allSteps, ...rest } = inferFieldTypes(definition);
  const last = indexOfStep(allSteps, step);
  const steps = allSteps.slice(0, last + 1);
  const observeId = unusedId(steps);
  return {
    observeId,
    lastStep: `${last + 1} (${titleOf(allSteps[last] as WorkflowNode)})`,
    definition: {
      ...rest,
      ...(timeout !== undefined && !keepOpen && { timeout }),
      inputs: optionalUnlessUsed(inputs, { ...rest, steps }),
      steps: [
        ...steps,
        { action: 'observe', id: observeId, title: 'Observe the page', level: 'view', locators: true },
        ...(keepOpen ? [waitSteps()] : []),
      ],
      output: `{{steps.${observeId}.value}}`,
    },
  };
}

/** A loop of waits: one `wait` step is limited to ten minutes. */
const waitSteps = (): WorkflowNode => ({
  action: 'forEach',
  in: Array.from({ length: WAIT_COUNT }, (_, round) => round),
  steps: [{ action: 'wait', seconds: WAIT_SECONDS, title: 'Keep the browser open' }],
});

type Inputs = Record<string, WorkflowInput>;

/** The inputs, optional unless the workflow contains their name. */
function optionalUnlessUsed(inputs: Inputs, workflow: object): Inputs {
  const words = new Set(JSON.stringify(workflow).match(/\w+/g));
  const isUnused = (name: string, initial: Json | undefined) => initial === undefined && !words.has(name);
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      isUnused(name, input.default) ? { ...input, optional: true } : input,
    ]),
  );
}

function unusedId(steps: readonly WorkflowNode[]): string {
  const usedIds = new Set([...walkNodes(steps)].map(({ node }) => node.id));
  let id = 'observation';
  for (let n = 2; usedIds.has(id); n += 1) id = `observation${n}`;
  return id;
}

/** Index of the step that a number, an id or a title names, in this order. */
function indexOfStep(steps: readonly WorkflowNode[], step: string): number {
  if (/^[1-9][0-9]*$/.test(step) && Number(step) <= steps.length) return Number(step) - 1;
  const byId = steps.findIndex(({ id }) => id === step);
  if (byId >= 0) return byId;
  const byTitle = steps.flatMap((node, index) => (titleOf(node) === step ? [index] : []));
  const [first, ...duplicates] = byTitle;
  if (first === undefined) throw unknownStep(steps, step);
  if (duplicates.length === 0) return first;
  throw usage(`${byTitle.length} steps have the title "${clean(step)}": give the number.`, linesOf(steps, byTitle));
}

function unknownStep(steps: readonly WorkflowNode[], step: string) {
  const outer = outerStepOf(steps, step);
  const names = steps.flatMap((node) => [...(node.id === undefined ? [] : [node.id]), titleOf(node)]);
  const suggestion = didYouMean(step, names);
  return outer === undefined
    ? usage(
        `Unknown step "${clean(step)}".${suggestion ? ` ${clean(suggestion)}` : ''} Steps:`,
        linesOf(steps, [...steps.keys()]),
      )
    : usage(`Step "${clean(step)}" is inside step ${outer + 1}: --until supports only top-level steps.`, [
        `Give the step around it: --until ${outer + 1}`,
      ]);
}

/** Index of the top-level step around a nested one, which is named by its path (`orders[2]/1`), id or title. */
function outerStepOf(steps: readonly WorkflowNode[], step: string): number | undefined {
  const [, outer] = /^(\w+)[[/]/.exec(step) ?? [];
  const isOuter = (id: string | undefined, index: number) => id === outer || String(index + 1) === outer;
  const index = outer === undefined ? -1 : steps.findIndex(({ id }, index) => isOuter(id, index));
  if (index >= 0) return index;
  for (const { node, path } of walkNodes(steps)) {
    if (path.length > 1 && (node.id === step || titleOf(node) === step)) return Number(path[0]);
  }
  return undefined;
}

function linesOf(steps: readonly WorkflowNode[], indexes: readonly number[]): string[] {
  const listed = indexes.slice(0, MAX_LISTED).flatMap((index) => {
    const node = steps[index];
    if (!node) return [];
    return [`${index + 1}  ${clean(titleOf(node))}${node.id === undefined ? '' : ` (id ${node.id})`}`];
  });
  const unlistedCount = indexes.length - listed.length;
  return unlistedCount > 0 ? [...listed, `… and ${count(unlistedCount, 'more step')}`] : listed;
}

/** Title of a step in lists; for a block without a title, its action. */
const titleOf = (node: WorkflowNode): string => (isBlock(node) ? (node.title ?? node.action) : stepTitle(node));
