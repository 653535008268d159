import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { childLists } from '@pilothouse/contract/workflow/control-flow.schema';
import { hasOwnPage, type BranchNode } from '@pilothouse/contract/workflow/parallel.schema';
import { walkAllNodes, type WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { validationError } from '../http/request-validation.ts';

/** Maximum number of workflows that a definition may reach by calls. */
const MAX_CALLED = 100;

/** A workflow version of the project, or the reason why it is missing. */
export type WorkflowLookupResult =
  { readonly version: number; readonly definition: WorkflowDefinition } | { readonly missing: string };

/** Finds a workflow of the project; by default its published version. */
export type WorkflowLookup = (name: string, version: number | undefined) => Promise<WorkflowLookupResult>;

/**
 * Embeds all called workflows as `name@version`, so that a run executes the versions from its submission.
 * @throws PilothouseError VALIDATION_FAILED with a field problem for each call that cannot be resolved
 */
export async function resolveCalls(definition: WorkflowDefinition, find: WorkflowLookup): Promise<WorkflowDefinition> {
  const resolver = new CallResolver(definition, find);
  const steps = await resolver.resolveSteps(definition.steps, '', '/steps');
  for (const [name, subworkflow] of Object.entries(definition.workflows ?? {})) {
    await resolver.add(name, subworkflow, '', `/workflows/${name}/steps`);
  }
  if (resolver.problems.length > 0) throw validationError('workflow', resolver.problems);
  const workflows = Object.fromEntries(resolver.workflows);
  return { ...definition, steps, ...(resolver.workflows.size > 0 && { workflows }) };
}

class CallResolver {
  readonly workflows = new Map<string, Subworkflow>();
  readonly problems: FieldError[] = [];
  private readonly surface: string;
  private readonly local: ReadonlySet<string>;
  private readonly find: WorkflowLookup;

  constructor({ surface, workflows = {} }: WorkflowDefinition, find: WorkflowLookup) {
    this.surface = surface;
    this.local = new Set(Object.keys(workflows));
    this.find = find;
  }

  /** Adds a workflow with its calls resolved. */
  async add(key: string, subworkflow: Subworkflow, parentKey: string, pointer: string): Promise<void> {
    // Registered before its calls are resolved, so that recursion ends and the cycle is rejected.
    this.workflows.set(key, subworkflow);
    this.workflows.set(key, { ...subworkflow, steps: await this.resolveSteps(subworkflow.steps, parentKey, pointer) });
  }

  /**
   * Rewrites the calls in steps to names in `workflows`.
   * @param parentKey `name@version` of the workflow that contains the steps; empty for the definition itself
   */
  async resolveSteps(nodes: readonly WorkflowNode[], parentKey: string, pointer: string): Promise<WorkflowNode[]> {
    const names = new Map<string, string>();
    for (const { node, path } of walkAllNodes(nodes)) {
      if (node.action !== 'call' || names.has(node.workflow)) continue;
      const key = await this.keyOf(node.workflow, parentKey, `${pointer}/${path.join('/')}/workflow`);
      names.set(node.workflow, key);
    }
    return names.size === 0 ? [...nodes] : nodes.map((node) => renameCalls(node, names));
  }

  private async keyOf(name: string, parentKey: string, pointer: string): Promise<string> {
    const local = parentKey === '' ? name : `${parentKey}:${name}`;
    if (parentKey === '' ? this.local.has(name) : this.workflows.has(local)) return local;
    if (this.workflows.has(name)) return name;
    const [slug = '', version] = name.split('@');
    const lookup = await this.find(slug, version === undefined ? undefined : Number(version));
    if ('missing' in lookup) return this.refuse(name, pointer, lookup.missing);
    const { definition } = lookup;
    if (definition.surface !== this.surface) {
      return this.refuse(
        name,
        pointer,
        `${slug} is for the surface ${definition.surface}, this workflow for ${this.surface}`,
      );
    }
    const key = `${slug}@${lookup.version}`;
    if (this.workflows.has(key)) return key;
    if (this.workflows.size >= MAX_CALLED) {
      return this.refuse(name, pointer, `A workflow can call at most ${MAX_CALLED} others`);
    }
    const { title, description, inputs, steps, output, outputSchema, workflows = {} } = definition;
    const inner = Object.entries(workflows);
    for (const [innerName, subworkflow] of inner) this.workflows.set(`${key}:${innerName}`, subworkflow);
    const plain = { inputs, steps, output, outputSchema, title, description };
    const subworkflow = Object.fromEntries(
      Object.entries(plain).filter(([, value]) => value !== undefined),
    ) as Subworkflow;
    await this.add(key, subworkflow, key, pointer);
    for (const [innerName, innerWorkflow] of inner) await this.add(`${key}:${innerName}`, innerWorkflow, key, pointer);
    return key;
  }

  private refuse(name: string, pointer: string, detail: string): string {
    this.problems.push({ pointer, detail });
    return name;
  }
}

function renameCalls(node: WorkflowNode, names: ReadonlyMap<string, string>): WorkflowNode {
  if (node.action === 'call') return { ...node, workflow: names.get(node.workflow) ?? node.workflow };
  if (node.action === 'parallel') {
    const branches = Object.entries(node.branches).map(([name, branch]) => [
      name,
      hasOwnPage(branch) ? branch.map((child) => renameCalls(child, names) as BranchNode) : branch,
    ]);
    return { ...node, branches: Object.fromEntries(branches) as typeof node.branches };
  }
  const lists = childLists(node).map(
    ({ field, list }) => [field, list.map((child) => renameCalls(child, names))] as const,
  );
  return lists.length === 0 ? node : ({ ...node, ...Object.fromEntries(lists) } as WorkflowNode);
}
