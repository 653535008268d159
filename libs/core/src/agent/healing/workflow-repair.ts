import {
  type Json,
  type Locator,
  type RepairedStep,
  type RunEvent,
  type Step,
  type WorkflowDefinition,
  type WorkflowNode,
  approvalOf,
  eventData,
  isBlock,
  isNonIdempotent,
  isSurfaceStep,
  toLocatorChain,
  walkAllNodes,
} from '@pilothouse/contract';
import { findStep, isSegmentOf, linearStepPath } from '../../interpreter/step-path.ts';
import { findTemplates } from '../../workflow/templates.ts';
import { stableLocators } from './lost-element.ts';
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
const MOST = 20;

/** Removes loop iterations from a step path: `3[2]/1` becomes `3/1`. */
export const withoutIterations = (at: string): string => at.replace(/\[\d+\]/g, '');

/**
 * Locators by which earlier runs found the element of a step, in workflow form. Locators that healed the step come first, alternatives
 * follow.
 * @param former events of runs of the same workflow, newest run first
 */
export function earlierLocators(
  definition: WorkflowDefinition,
  at: string,
  former: readonly EarlierStepEvent[],
): readonly Locator[] {
  const now = stepTarget(findStep(definition, at));
  if (!now) return [];
  const same = former.filter((one) => {
    const then = stepTarget(findStep(one.definition, withoutIterations(at)));
    return then !== null && JSON.stringify(then) === JSON.stringify(now);
  });
  const healed = same.flatMap(({ type, data }) => {
    const read = type === 'step.healed' ? eventData['step.healed'].safeParse(data) : undefined;
    return read?.success ? read.data.locators : [];
  });
  const others = same.flatMap(({ type, data, inputs }) => {
    const read = type === 'step.completed' ? eventData['step.completed'].safeParse(data) : undefined;
    const known = findTemplates(now.target).map(({ path: [root, name], source }) => ({
      template: source,
      value: root === 'inputs' ? (inputs[name] ?? null) : null,
    }));
    return stableLocators(read?.success ? (read.data.located?.alternatives ?? []) : [], now.target, known);
  });
  const old = new Set(toLocatorChain(now.target).map((locator) => JSON.stringify(locator)));
  const all = new Map([...healed, ...others].map((locator) => [JSON.stringify(locator), locator]));
  return [...all].flatMap(([text, locator]) => (old.has(text) ? [] : [locator])).slice(0, MOST);
}

/** Action and target of a step; null: the step has no target. */
export function stepTarget(step: Step | undefined) {
  if (!step || !isSurfaceStep(step) || !('target' in step) || step.target === undefined) return null;
  return { action: step.action, target: step.target };
}

/** Maximum locators of a chain, and maximum new ones among them. The written locators follow the new ones. */
const CHAIN = 10;
const NEW = 5;

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
    const read = event.type === 'step.healed' ? eventData['step.healed'].safeParse(event.data) : undefined;
    if (!read?.success) continue;
    const { step, path: at = linearStepPath(step), method, element, previousLocators, locators } = read.data;
    const place = withoutIterations(at);
    const found = findStep(definition, place);
    steps.set(place, {
      path: place,
      title: found ? stepTitle(found) : element,
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
export function repairWorkflow(definition: WorkflowDefinition, healed: readonly RepairedStep[]): RepairResult {
  const notes: string[] = [];
  const changes: RepairedStep[] = [];
  let repaired = definition;
  for (const one of healed) {
    const element = stepTarget(findStep(definition, one.path));
    const same = element && JSON.stringify(toLocatorChain(element.target)) === JSON.stringify(one.previousLocators);
    if (one.locators.length === 0) notes.push(`${one.title}: nothing is known by which ${one.element} is found again`);
    else if (!same) notes.push(`${one.title}: it does not stand in this workflow, which only calls it`);
    else {
      repaired = withTarget(repaired, one.path.split('/'), repairedChain(one));
      changes.push(one);
    }
  }
  return { definition: repaired, changes, notes };
}

export function repairedChain({
  previousLocators,
  locators,
}: Pick<RepairedStep, 'previousLocators' | 'locators'>): Locator[] {
  const all = new Map([...locators.slice(0, NEW), ...previousLocators].map((one) => [JSON.stringify(one), one]));
  return [...all.values()].slice(0, CHAIN);
}

/** Reason why a workflow must not be replayed for verification; null: it may be. */
export function reasonNotToVerify(definition: WorkflowDefinition): string | null {
  for (const { step, where } of everyStep(definition)) {
    if (isNonIdempotent(step)) return `${where} must not happen twice: approve a replay when it may happen again`;
    if (approvalOf(step) !== undefined) return `${where} needs the approval of a person: run it yourself`;
    if (step.action === 'goal') return `${where} stays a goal, which needs a model`;
  }
  return null;
}

/** True if a workflow always calls models, even if all locators work. */
export const hasGoals = (definition: WorkflowDefinition): boolean =>
  everyStep(definition).some(({ step }) => step.action === 'goal');

/** Steps of a workflow and of the workflows that it calls, with their paths. */
const everyStep = (definition: WorkflowDefinition): { step: Step; where: string }[] =>
  [definition, ...Object.values(definition.workflows ?? {})].flatMap(({ steps }) =>
    [...walkAllNodes(steps)].flatMap(({ node, path }) =>
      isBlock(node) ? [] : [{ step: node, where: `/steps/${path.join('/')}` }],
    ),
  );

const fields = new Set(['else', 'catch', 'finally']);

/** Replaces the target of the step at an existing path. */
function withTarget(definition: WorkflowDefinition, at: readonly string[], target: Locator[]): WorkflowDefinition {
  const workflows = { ...definition.workflows };
  const inList = (nodes: readonly WorkflowNode[], [name, ...rest]: readonly string[]): WorkflowNode[] =>
    nodes.map((node, index) => (isSegmentOf(name, node.id, index) ? inNode(node, rest) : node));
  const inNode = (node: WorkflowNode, rest: readonly string[]): WorkflowNode => {
    const [first = ''] = rest;
    if (rest.length === 0) return { ...(node as Step), target } as WorkflowNode;
    if (node.action === 'call') {
      const called = workflows[node.workflow];
      if (called) workflows[node.workflow] = { ...called, steps: inList(called.steps, rest) };
      return node;
    }
    const [field, inner] = fields.has(first) ? [first, rest.slice(1)] : ['steps', rest];
    const list = (node as unknown as Record<string, WorkflowNode[] | undefined>)[field] ?? [];
    return { ...node, [field]: inList(list, inner) } as WorkflowNode;
  };
  const steps = inList(definition.steps, at);
  return { ...definition, steps, ...(definition.workflows && { workflows }) };
}
