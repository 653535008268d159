import { type Locator, toLocatorChain } from '@pilothouse/contract/actions/locator.schema';
import type { RepairedStep } from '@pilothouse/contract/api/proposals.routes';
import { type RunEvent, eventData } from '@pilothouse/contract/events/event-log.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { type Step, approvalOf, isNonIdempotent, isSurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import { type WorkflowNode, walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { findStep, isSegmentOf, linearStepPath } from '../../interpreter/step-path.ts';
import { findTemplates } from '../../workflow/templates.ts';
import { stableLocators } from './lost-element.ts';
import { exactLocator } from '../../workflow/exact-locator.ts';
import { stepTitle } from '../../workflow/step-titles.ts';

/** Event of an earlier run about a step, with the inputs of that run. */
export interface EarlierStepEvent {
  readonly definition: WorkflowDefinition;
  /** Input values without secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly type: 'step.completed' | 'step.healed';
  readonly data: unknown;
}

/** Maximum number of reported locators. */
const MAX_LOCATORS = 20;

/** Removes loop iterations from a step path: `3[2]/1` becomes `3/1`. */
export const withoutIterations = (path: string): string => path.replace(/\[\d+\]/g, '');

/**
 * Locators by which earlier runs found the element of a step, in workflow form. Locators that healed the step come first, alternatives
 * follow.
 * @param earlierEvents events of runs of the same workflow, newest run first
 */
export function earlierLocators(
  definition: WorkflowDefinition,
  path: string,
  earlierEvents: readonly EarlierStepEvent[],
): readonly Locator[] {
  const currentTarget = stepTarget(findStep(definition, path));
  if (!currentTarget) return [];
  const sameTargetEvents = earlierEvents.filter((event) => {
    const earlierTarget = stepTarget(findStep(event.definition, withoutIterations(path)));
    return earlierTarget !== null && JSON.stringify(earlierTarget) === JSON.stringify(currentTarget);
  });
  const healed = sameTargetEvents.flatMap(({ type, data }) => {
    const parsed = type === 'step.healed' ? eventData['step.healed'].safeParse(data) : undefined;
    return parsed?.success ? parsed.data.locators : [];
  });
  const alternatives = sameTargetEvents.flatMap(({ type, data, inputs }) => {
    const parsed = type === 'step.completed' ? eventData['step.completed'].safeParse(data) : undefined;
    const knownValues = findTemplates(currentTarget.target).map(({ path: [root, name], source }) => ({
      template: source,
      value: root === 'inputs' ? (inputs[name] ?? null) : null,
    }));
    return stableLocators(
      parsed?.success ? (parsed.data.located?.alternatives ?? []) : [],
      currentTarget.target,
      knownValues,
    );
  });
  const currentLocators = new Set(toLocatorChain(currentTarget.target).map((locator) => JSON.stringify(locator)));
  const locatorsByJson = new Map([...healed, ...alternatives].map((locator) => [JSON.stringify(locator), locator]));
  return [...locatorsByJson]
    .flatMap(([text, locator]) => (currentLocators.has(text) ? [] : [locator]))
    .slice(0, MAX_LOCATORS);
}

/** Action and target of a step; null: the step has no target. */
export function stepTarget(step: Step | undefined) {
  if (!step || !isSurfaceStep(step) || !('target' in step) || step.target === undefined) return null;
  return { action: step.action, target: step.target };
}

/** Maximum locators of a chain, and maximum new ones among them. The written locators follow the new ones. */
const MAX_CHAIN_LOCATORS = 10;
const MAX_NEW_LOCATORS = 5;

/** Repaired workflow. */
export interface RepairResult {
  readonly definition: WorkflowDefinition;
  readonly changes: readonly RepairedStep[];
  /** Healed steps that are not repaired. One sentence each, for people. */
  readonly notes: readonly string[];
}

/** Collects the healed steps of a run by path, each step once. */
export function collectHealedSteps(
  events: readonly Pick<RunEvent, 'type' | 'data'>[],
  definition: WorkflowDefinition,
): readonly RepairedStep[] {
  const steps = new Map<string, RepairedStep>();
  for (const event of events) {
    const parsed = event.type === 'step.healed' ? eventData['step.healed'].safeParse(event.data) : undefined;
    if (!parsed?.success) continue;
    const { step, path = linearStepPath(step), method, element, previousLocators, locators } = parsed.data;
    const stepPath = withoutIterations(path);
    const definitionStep = findStep(definition, stepPath);
    steps.set(stepPath, {
      path: stepPath,
      title: definitionStep ? stepTitle(definitionStep) : element,
      method,
      element,
      previousLocators,
      locators,
    });
  }
  return [...steps.values()];
}

/**
 * Puts the working locators before those that found nothing.
 * @param definition workflow version of the runs
 */
export function repairWorkflow(definition: WorkflowDefinition, healedSteps: readonly RepairedStep[]): RepairResult {
  const notes: string[] = [];
  const changes: RepairedStep[] = [];
  let repaired = definition;
  for (const healedStep of healedSteps) {
    const currentTarget = stepTarget(findStep(definition, healedStep.path));
    const isSameTarget =
      currentTarget &&
      JSON.stringify(toLocatorChain(currentTarget.target)) === JSON.stringify(healedStep.previousLocators);
    if (healedStep.locators.length === 0)
      notes.push(`${healedStep.title}: no stable locator is known for ${healedStep.element}`);
    else if (!isSameTarget) notes.push(`${healedStep.title}: the step belongs to a called workflow`);
    else {
      repaired = withTarget(repaired, healedStep.path.split('/'), repairedChain(healedStep));
      changes.push(healedStep);
    }
  }
  return { definition: repaired, changes, notes };
}

/** Chain of the new locators and the written ones. A written test id or id may belong to another element now. */
export function repairedChain({
  previousLocators,
  locators,
}: Pick<RepairedStep, 'previousLocators' | 'locators'>): Locator[] {
  const remaining = previousLocators.filter(
    ({ testId, css }) => locators.length === 0 || (testId === undefined && css?.startsWith('#') !== true),
  );
  const locatorsByJson = new Map(
    [...locators.slice(0, MAX_NEW_LOCATORS).map(exactLocator), ...remaining].map((locator) => [
      JSON.stringify(locator),
      locator,
    ]),
  );
  return [...locatorsByJson.values()].slice(0, MAX_CHAIN_LOCATORS);
}

/** Reason why a workflow must not be replayed for verification; null: it may be. */
export function reasonNotToVerify(definition: WorkflowDefinition): string | null {
  for (const { step, location } of allSteps(definition)) {
    if (isNonIdempotent(step)) return `${location} is not idempotent. Approve a replay if it may run again.`;
    if (approvalOf(step) !== undefined) return `${location} needs the approval of a person: run it yourself`;
    if (step.action === 'goal') return `${location} stays a goal, which needs a model`;
  }
  return null;
}

/** True if a workflow always calls models, even if all locators work. */
export const hasGoals = (definition: WorkflowDefinition): boolean =>
  allSteps(definition).some(({ step }) => step.action === 'goal');

/** Texts of a workflow's goals, in order. */
export const goalTexts = (definition: WorkflowDefinition): string[] =>
  allSteps(definition).flatMap(({ step }) => (step.action === 'goal' ? [step.goal] : []));

/** Steps of a workflow and of the workflows that it calls, with their JSON pointers in the definition. */
function allSteps({ steps, workflows = {} }: WorkflowDefinition): { step: Step; location: string }[] {
  const stepsOf = (nodes: readonly WorkflowNode[], base: string) =>
    [...walkAllNodes(nodes)].flatMap(({ node, path }) =>
      isBlock(node) ? [] : [{ step: node, location: `${base}/steps/${path.join('/')}` }],
    );
  const called = Object.entries(workflows).flatMap(([name, { steps }]) => stepsOf(steps, `/workflows/${name}`));
  return [...stepsOf(steps, ''), ...called];
}

const BRANCH_FIELDS = new Set(['else', 'catch', 'finally']);

/** Replaces the target of the step at an existing path. */
function withTarget(definition: WorkflowDefinition, path: readonly string[], target: Locator[]): WorkflowDefinition {
  const workflows = { ...definition.workflows };
  const replaceInList = (nodes: readonly WorkflowNode[], [name, ...rest]: readonly string[]): WorkflowNode[] =>
    nodes.map((node, index) => (isSegmentOf(name, node.id, index) ? replaceInNode(node, rest) : node));
  const replaceInNode = (node: WorkflowNode, rest: readonly string[]): WorkflowNode => {
    const [first = ''] = rest;
    if (rest.length === 0) return { ...(node as Step), target } as WorkflowNode;
    if (node.action === 'call') {
      const subworkflow = workflows[node.workflow];
      if (subworkflow) workflows[node.workflow] = { ...subworkflow, steps: replaceInList(subworkflow.steps, rest) };
      return node;
    }
    const [field, inner] = BRANCH_FIELDS.has(first) ? [first, rest.slice(1)] : ['steps', rest];
    const list = (node as unknown as Record<string, WorkflowNode[] | undefined>)[field] ?? [];
    return { ...node, [field]: replaceInList(list, inner) } as WorkflowNode;
  };
  const steps = replaceInList(definition.steps, path);
  return { ...definition, steps, ...(definition.workflows && { workflows }) };
}
