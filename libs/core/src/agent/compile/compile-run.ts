import type { Json } from '@pilothouse/contract/primitives.schema';
import { isBlock, childLists } from '@pilothouse/contract/workflow/control-flow.schema';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { pathSegment } from '../../interpreter/step-path.ts';
import { compileAnswer } from './compile-answer.ts';
import {
  type ForEach,
  countCalls,
  hasGoal,
  itemValues,
  loopItems,
  losesStepValue,
  reachesGoal,
} from './compile-control-flow.ts';
import { CompileProgress } from './compile-progress.ts';
import { type CompiledRun, notCompilable, uniqueWorkflowName, validateCompiled } from './compiled-definition.ts';
import { Templatizer } from './templatizer.ts';
import {
  type RecordedGoal,
  allowedOrigins,
  collectRecordedGoals,
  hasManualAction,
  typedSecretsToInputs,
} from './recorded-goal.ts';
import { compileSteps } from './compile-steps.ts';
import {
  knownValuesAt,
  subworkflowScope,
  runScope,
  type Call,
  type CompileScope,
  type RecordedRun,
} from './compile-scope.ts';

/**
 * Replaces the goals of a run with the steps that reached them.
 * @throws PilothouseError CONFLICT if no goal was reached, or an action cannot be repeated without a model
 */
export function compileRun(run: RecordedRun): CompiledRun {
  return new RunCompiler(run).compile();
}

class RunCompiler {
  private readonly run: RecordedRun;
  private readonly records: ReadonlyMap<string, RecordedGoal>;
  /** Inputs for secrets that a person typed. */
  private readonly secretInputs: readonly string[];
  private readonly progress: CompileProgress;
  private scope: CompileScope;
  /** Paths of steps whose manual actions are compiled. */
  private readonly manualSteps = new Set<string>();

  constructor(run: RecordedRun) {
    this.run = run;
    const { records, inputs } = typedSecretsToInputs(collectRecordedGoals(run.events), run);
    this.records = records;
    this.secretInputs = inputs;
    this.progress = new CompileProgress(run.definition.workflows);
    this.scope = runScope(run, inputs);
  }

  compile(): CompiledRun {
    const { definition } = this.run;
    const steps = this.compileList(definition.steps, '');
    for (const [name, subworkflow] of Object.entries(definition.workflows ?? {}))
      if (hasGoal(subworkflow.steps) && !this.progress.state.visitedWorkflows.has(name))
        this.progress.noteRemainingGoal(`workflow ${name} is called in a loop, in a branch, or never`);
    const { goalCount, compiledCount, problems } = this.progress.state;
    if (goalCount === 0 && this.manualSteps.size === 0) throw notCompilable('it has no goal and no manual actions');
    if (problems.length > 0) throw notCompilable(problems.join('; '));
    if (compiledCount === 0 && this.manualSteps.size === 0) throw notCompilable(this.progress.state.notes.join('; '));
    this.noteOmittedManualActions();
    if (steps.length === 0) throw notCompilable('no action and no answer remains as a step');
    const { workflows, notes } = this.progress.state;
    const secretInputs = this.secretInputs.map((name) => [name, { type: 'string' as const, secret: true }] as const);
    const inputs = { ...Object.fromEntries(secretInputs), ...definition.inputs };
    return validateCompiled(
      { ...definition, inputs, steps, ...(Object.keys(workflows).length > 0 && { workflows }) },
      notes,
    );
  }

  /** @param prefix beginning of each step's path */
  private compileList(nodes: readonly WorkflowNode[], prefix: string): WorkflowNode[] {
    return nodes.flatMap((node, index) => this.compileNode(node, `${prefix}${pathSegment(node.id, index)}`));
  }

  private compileNode(node: WorkflowNode, path: string): WorkflowNode[] {
    if (node.action === 'goal') {
      this.progress.update({ goalCount: this.progress.state.goalCount + 1 });
      return this.compileGoal(node, path);
    }
    return [...this.compileManualActions(path), ...this.compileBlock(node, path)];
  }

  private compileBlock(node: Exclude<WorkflowNode, GoalStep>, path: string): WorkflowNode[] {
    if (node.action === 'call') return [this.compileCall(node, path)];
    if (!isBlock(node)) {
      if (hasGoal([node])) this.progress.noteRemainingGoal(`step ${path}: a branch has its own pages`);
      return [node];
    }
    if (!this.hasCompilableContent(node, path)) return [node];
    if (node.action !== 'group' && node.action !== 'try') {
      const loop = node.action === 'forEach' ? this.compileLoop(node, path) : null;
      if (loop) return [loop];
      if (hasGoal([node])) this.progress.noteRemainingGoal(`step ${path}: a goal in a loop differs in each iteration`);
      return [node];
    }
    const lists = childLists(node).map(({ field, list }) => {
      const steps = this.compileList(list, field === 'steps' ? `${path}/` : `${path}/${field}/`);
      if (steps.length === 0 && list.length > 0)
        this.progress.addProblems(`step ${path}: no step remains in \`${field}\``);
      return [field, steps];
    });
    return [{ ...node, ...(Object.fromEntries(lists) as object) }];
  }

  /** Compiles a loop whose iterations reached their goals with the same steps, apart from the item; null: the steps differ. */
  private compileLoop(node: ForEach, path: string): WorkflowNode | null {
    const outerScope = this.scope;
    const initialState = this.progress.state;
    const items = loopItems(node, outerScope, this.run.events) ?? [];
    const hasManualActions = [...this.records].some(
      ([stepPath, record]) => stepPath.startsWith(`${path}[`) && hasManualAction(record),
    );
    // One iteration does not show which parts are common to all.
    if (items.length < 2 || hasManualActions) return null;
    const iterations = items.map((item, index) => {
      this.progress.state = initialState;
      this.scope = { ...outerScope, knownValues: [...outerScope.knownValues, ...itemValues(node, item)] };
      const steps = this.compileList(node.steps, `${path}[${index + 1}]/`);
      const { problems, workflows, compiledCount, notes } = this.progress.state;
      const isComplete = problems.length === initialState.problems.length && compiledCount > initialState.compiledCount;
      return { steps, workflows, notes: notes.slice(initialState.notes.length), isComplete };
    });
    this.scope = outerScope;
    const [first] = iterations;
    const variants = new Set(iterations.map(({ steps, workflows }) => JSON.stringify([steps, workflows])));
    const compiledLoop = { ...node, steps: first?.steps ?? [] };
    const keepsValues =
      compiledLoop.steps.length > 0 && !losesStepValue(node.steps, compiledLoop.steps, JSON.stringify(compiledLoop));
    if (variants.size === 1 && keepsValues && iterations.every(({ isComplete }) => isComplete)) {
      this.progress.update({ notes: [...initialState.notes, ...new Set(iterations.flatMap(({ notes }) => notes))] });
      return compiledLoop;
    }
    this.progress.state = initialState;
    return null;
  }

  /** Compiles the goals of a called workflow. A workflow of the project is copied, because others may call it. */
  private compileCall(node: Call, path: string): WorkflowNode {
    const { definition, events } = this.run;
    const name = node.workflow;
    const subworkflow = definition.workflows?.[name];
    const { visitedWorkflows } = this.progress.state;
    if (!subworkflow || visitedWorkflows.has(name) || !reachesGoal(subworkflow.steps, definition)) return node;
    this.progress.update({ visitedWorkflows: new Set([...visitedWorkflows, name]) });
    const callCount = countCalls(name, definition);
    if (callCount > 1) {
      this.progress.noteRemainingGoal(`workflow ${name} is called in ${callCount} places, each with other values`);
      return node;
    }
    const outerScope = this.scope;
    const initialState = this.progress.state;
    const { scope, unknown } = subworkflowScope({ node, path, subworkflow }, outerScope, events);
    for (const input of unknown) this.progress.note(`step ${path}: the input ${input} has the value of this run`);
    this.scope = scope;
    const steps = this.compileList(subworkflow.steps, scope.prefix);
    this.scope = outerScope;
    const { problems, compiledCount, workflows } = this.progress.state;
    if (compiledCount === initialState.compiledCount) return node;
    const reasons = problems.slice(initialState.problems.length);
    if (steps.length === 0) reasons.push('no step remains');
    if (losesStepValue(subworkflow.steps, steps, JSON.stringify([steps, subworkflow.output])))
      reasons.push('it needs an answer that was not the whole text of one element with a stable locator');
    if (reasons.length > 0) {
      const { goalCount, visitedWorkflows } = this.progress.state;
      this.progress.state = { ...initialState, goalCount, visitedWorkflows };
      this.progress.noteRemainingGoal(`step ${path}: a goal of workflow ${name}; ${reasons.join('; ')}`);
      return node;
    }
    const compiledName = uniqueWorkflowName(name, workflows);
    const { [name]: _replaced, ...otherWorkflows } = workflows;
    this.progress.update({ workflows: { ...otherWorkflows, [compiledName]: { ...subworkflow, steps } } });
    if (compiledName !== name)
      this.progress.note(
        `step ${path}: the goals of ${name} are steps of its copy ${compiledName} in this workflow; ${name} is unchanged`,
      );
    return { ...node, workflow: compiledName };
  }

  private compileGoal(goal: GoalStep, path: string): WorkflowNode[] {
    const record = this.records.get(path);
    if (this.scope.prefix !== '' && record && hasManualAction(record)) {
      this.progress.note(`step ${path} stays a goal: a person did a part of it in a called workflow`);
      return [goal];
    }
    const end = record?.end ?? null;
    if (!record || end === null || typeof end === 'string') {
      this.progress.note(
        `step ${path} stays a goal: in this run it was ${typeof end === 'string' ? end : 'not reached'}`,
      );
      return [goal];
    }
    this.progress.update({ compiledCount: this.progress.state.compiledCount + 1 });
    this.noteManualActions(path, record);
    const templatizer = this.createTemplatizer(goal);
    const { steps, notes, problems } = compileSteps(
      record,
      templatizer,
      allowedOrigins(this.run.definition, this.records),
    );
    this.progress.addProblems(...problems);
    this.progress.note(...notes);
    if (record.epochs.size > 1)
      this.progress.note(
        `step ${path}: a worker was lost, and the next one continued on an earlier page; check the steps of both`,
      );
    if (record.hasLostApprovals)
      this.progress.addProblems(
        `step ${path}: a person approved an action, and the worker did not record which one: run the goal again`,
      );
    const goalSteps = [
      ...steps,
      ...(goal.expect ? [{ action: 'waitFor' as const, condition: goal.expect }] : []),
      ...this.compileGoalAnswer(goal, end.value, record, templatizer),
    ];
    return goal.if === undefined || goalSteps.length === 0
      ? goalSteps
      : [{ action: 'group', if: goal.if, steps: goalSteps }];
  }

  /** Steps for the manual actions before a step. */
  private compileManualActions(path: string): readonly WorkflowNode[] {
    const record = this.records.get(path);
    // Typed secrets become inputs of the run. A called workflow does not have these.
    if (this.scope.prefix !== '' || !record || !hasManualAction(record)) return [];
    this.noteManualActions(path, record);
    const compilation = compileSteps(
      { ...record, end: null },
      this.createTemplatizer(null),
      allowedOrigins(this.run.definition, this.records),
    );
    this.progress.addProblems(...compilation.problems);
    this.progress.note(...compilation.notes);
    return compilation.steps;
  }

  private compileGoalAnswer(
    goal: GoalStep,
    value: Json,
    record: RecordedGoal,
    templatizer: Templatizer,
  ): readonly WorkflowNode[] {
    if (goal.id === undefined || !this.scope.definitionJson.includes(`steps.${goal.id}.`)) return [];
    const { workflows, compiledCount } = this.progress.state;
    let name = `answer-${compiledCount}`;
    while (name in workflows) name += '-of-goal';
    const { steps, workflow, notes } = compileAnswer(goal, value, record, templatizer, name);
    if (workflow) this.progress.update({ workflows: { ...workflows, [name]: workflow } });
    this.progress.note(...notes);
    return steps;
  }

  private noteManualActions(path: string, { actions }: RecordedGoal): void {
    const operators = new Set(actions.flatMap(({ operator }) => operator ?? []));
    if (operators.size === 0) return;
    this.manualSteps.add(path);
    this.progress.note(`step ${path}: manual actions of ${[...operators].join(', ')} became steps`);
  }

  private noteOmittedManualActions(): void {
    for (const [path, record] of this.records)
      if (hasManualAction(record) && !this.manualSteps.has(path))
        this.progress.note(`step ${path}: manual actions are left out`);
  }

  /** True if a block contains something to compile. */
  private hasCompilableContent(node: WorkflowNode, path: string): boolean {
    return (
      reachesGoal([node], this.run.definition) ||
      [...this.records].some(([stepPath, { actions }]) => stepPath.startsWith(`${path}/`) && actions.length > 0)
    );
  }

  private createTemplatizer(goal: GoalStep | null): Templatizer {
    const { knownValues, unknown } = knownValuesAt(goal, this.scope, this.run.events);
    for (const source of unknown) this.progress.note(`The goal contains the value that ${source} had in this run`);
    return new Templatizer(knownValues, this.scope.secrets, this.scope.runSecrets);
  }
}
