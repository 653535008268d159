import {
  isBlock,
  childLists,
  PilothouseError,
  type Subworkflow,
  type GoalStep,
  type Json,
  type WorkflowNode,
  type RunEvent,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { pathSegment } from '../../interpreter/step-path.ts';
import { lintDefinition } from '../../workflow/lint/lint-workflow.ts';
import { findTemplates } from '../../workflow/templates.ts';
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
import { Templatizer, type KnownValue } from './templatizer.ts';
import { type RecordedGoal, collectRecordedGoals, typedSecretsToInputs } from './recorded-goal.ts';
import { compileSteps } from './compile-steps.ts';
import { recordedValueAt, subworkflowScope, runScope, type Call, type CompileScope } from './compile-scope.ts';

/** A completed run. */
export interface RecordedRun {
  readonly definition: WorkflowDefinition;
  /** Input values without secrets. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of the secret inputs. */
  readonly secrets: readonly string[];
  /** All events in order, in the newest schema version. */
  readonly events: readonly RunEvent[];
}

/** A workflow that repeats a run without a model. */
export interface CompiledRun {
  readonly definition: WorkflowDefinition;
  /** Sentences for people: parts that were left out, and parts to review. */
  readonly notes: readonly string[];
}

/**
 * Replaces the goals of a run with the steps that reached them.
 * @throws PilothouseError CONFLICT if no goal was reached, or an action cannot be repeated without a model
 */
export function compileRun(run: RecordedRun): CompiledRun {
  return new Compiler(run).compile();
}

class Compiler {
  private readonly run: RecordedRun;
  private readonly records: ReadonlyMap<string, RecordedGoal>;
  /** Inputs for secrets that a person typed. */
  private readonly secrets: readonly string[];
  private notes: readonly string[] = [];
  private problems: readonly string[] = [];
  private workflows: Readonly<Record<string, Subworkflow>>;
  /** Called workflows whose goals are compiled. */
  private entered: ReadonlySet<string> = new Set();
  private within: CompileScope;
  private goals = 0;
  private compiled = 0;
  /** Paths of steps whose manual actions are compiled. */
  private readonly driven = new Set<string>();

  constructor(run: RecordedRun) {
    this.run = run;
    const { records, inputs } = typedSecretsToInputs(collectRecordedGoals(run.events), run);
    this.records = records;
    this.secrets = inputs;
    this.workflows = { ...run.definition.workflows };
    this.within = runScope(run, inputs);
  }

  compile(): CompiledRun {
    const { definition } = this.run;
    const steps = this.list(definition.steps, '');
    for (const [name, called] of Object.entries(definition.workflows ?? {}))
      if (hasGoal(called.steps) && !this.entered.has(name))
        this.stays(`a goal of the workflow ${name}, which is called in a loop or a branch, or not at all`);
    if (this.goals === 0 && this.driven.size === 0)
      throw refused('it has no goal, and nobody drove it by hand: its workflow says all that was done');
    if (this.problems.length > 0) throw refused(this.problems.join('; '));
    if (this.compiled === 0 && this.driven.size === 0) throw refused(this.notes.join('; '));
    this.leftOut();
    if (steps.length === 0) throw refused('nothing was done, and nothing is left to read');
    const { workflows } = this;
    const typed = Object.fromEntries(this.secrets.map((name) => [name, { type: 'string' as const, secret: true }]));
    const inputs = { ...typed, ...definition.inputs };
    return this.checked({ ...definition, inputs, steps, ...(Object.keys(workflows).length > 0 && { workflows }) });
  }

  /** Removes outputs that need a missing answer. */
  private checked(definition: WorkflowDefinition): CompiledRun {
    const problems = lintDefinition(definition);
    if (problems.length > 0 && problems.every(({ pointer }) => /^\/output(\/|$)/.test(pointer))) {
      const { output, outputSchema, ...rest } = definition;
      this.note('The workflow has no output: that of the run needs an answer that is not carried over');
      return this.checked(rest);
    }
    const [first] = problems;
    if (first) throw refused(`the workflow would not be valid at ${first.pointer}: ${first.detail}`, this.notes);
    return { definition, notes: this.notes };
  }

  /** @param prefix beginning of the path of each step */
  private list(nodes: readonly WorkflowNode[], prefix: string): WorkflowNode[] {
    return nodes.flatMap((node, index) => this.node(node, `${prefix}${pathSegment(node.id, index)}`));
  }

  private node(node: WorkflowNode, at: string): WorkflowNode[] {
    if (node.action === 'goal') {
      this.goals += 1;
      return this.goal(node, at);
    }
    return [...this.byHand(at), ...this.rest(node, at)];
  }

  private rest(node: Exclude<WorkflowNode, GoalStep>, at: string): WorkflowNode[] {
    if (node.action === 'call') return [this.call(node, at)];
    if (!isBlock(node)) {
      if (hasGoal([node])) this.stays(`step ${at}: a goal in a branch has a page beside that of the run`);
      return [node];
    }
    if (!this.hasMore(node, at)) return [node];
    if (node.action !== 'group' && node.action !== 'try') {
      const loop = node.action === 'forEach' ? this.loop(node, at) : null;
      if (loop) return [loop];
      if (hasGoal([node])) this.stays(`step ${at}: a goal in a loop is another one in each round`);
      return [node];
    }
    const lists = childLists(node).map(({ field, list }) => {
      const inner = this.list(list, field === 'steps' ? `${at}/` : `${at}/${field}/`);
      if (inner.length === 0 && list.length > 0)
        this.problems = [...this.problems, `step ${at}: nothing is left in \`${field}\``];
      return [field, inner];
    });
    return [{ ...node, ...(Object.fromEntries(lists) as object) }];
  }

  /** Compiles a loop whose iterations reached their goals with the same steps, apart from the item; null: the steps differ. */
  private loop(node: ForEach, at: string): WorkflowNode | null {
    const { within: outer, notes, problems, workflows, entered, compiled, goals } = this;
    const before = { notes, problems, workflows, entered, compiled, goals };
    const items = loopItems(node, outer, this.run.events) ?? [];
    const hands = [...this.records].some(
      ([place, { deeds }]) => place.startsWith(`${at}[`) && deeds.some(({ hand }) => hand !== null),
    );
    // One iteration does not show which parts are common to all.
    if (items.length < 2 || hands) return null;
    const rounds = items.map((item, index) => {
      Object.assign(this, before);
      this.within = { ...outer, known: [...outer.known, ...itemValues(node, item)] };
      const steps = this.list(node.steps, `${at}[${index + 1}]/`);
      const { problems, workflows, compiled } = this;
      const isWhole = problems.length === before.problems.length && compiled > before.compiled;
      return { steps, workflows, notes: this.notes.slice(before.notes.length), isWhole };
    });
    this.within = outer;
    const [first] = rounds;
    const same = new Set(rounds.map(({ steps, workflows }) => JSON.stringify([steps, workflows]))).size === 1;
    const made = { ...node, steps: first?.steps ?? [] };
    const isWhole = made.steps.length > 0 && !losesStepValue(node.steps, made.steps, JSON.stringify(made));
    if (same && isWhole && rounds.every((round) => round.isWhole)) {
      this.notes = [...before.notes, ...new Set(rounds.flatMap((round) => round.notes))];
      return made;
    }
    Object.assign(this, before);
    return null;
  }

  /** Compiles the goals of a called workflow. A workflow of the project is copied, because others may call it. */
  private call(node: Call, at: string): WorkflowNode {
    const name = node.workflow;
    const called = this.run.definition.workflows?.[name];
    if (!called || this.entered.has(name) || !reachesGoal(called.steps, this.run.definition)) return node;
    this.entered = new Set([...this.entered, name]);
    const calls = countCalls(name, this.run.definition);
    if (calls > 1) {
      this.stays(`a goal of the workflow ${name}, which is called in ${calls} places: it is another one in each`);
      return node;
    }
    const { within: outer, notes, problems, workflows, compiled } = this;
    const before = { notes, problems, workflows, compiled };
    const { within, unknown } = subworkflowScope({ node, at, called }, outer, this.run.events);
    for (const input of unknown) this.note(`What step ${at} is given as ${input} stays as it was in this run`);
    this.within = within;
    const steps = this.list(called.steps, this.within.prefix);
    this.within = outer;
    if (this.compiled === compiled) return node;
    const why = this.problems.slice(problems.length);
    if (steps.length === 0) why.push('nothing is left in it');
    if (losesStepValue(called.steps, steps, JSON.stringify([steps, called.output])))
      why.push('an answer that it needs was not the whole text of one element on the page that can be found again');
    if (why.length > 0) {
      Object.assign(this, before);
      this.stays(`step ${at}: a goal of the workflow ${name}; ${why.join('; ')}`);
      return node;
    }
    const workflow = this.nameFor(name);
    const { [name]: replaced, ...others } = this.workflows;
    this.workflows = { ...others, [workflow]: { ...called, steps } };
    if (workflow !== name)
      this.note(
        `step ${at}: the goals of ${name} are steps of ${workflow}, a copy in this workflow; ${name} itself keeps them, for whoever else calls it`,
      );
    return { ...node, workflow };
  }

  /** Unique name for a compiled workflow. */
  private nameFor(name: string): string {
    if (!name.includes('@')) return name;
    const [, base = 'called'] = /^(?:.*:)?([a-z0-9-]+)/.exec(name) ?? [];
    let own = `${base.slice(0, 50)}-compiled`;
    for (let n = 2; own in this.workflows; n += 1) own = `${base.slice(0, 50)}-compiled-${n}`;
    return own;
  }

  private goal(goal: GoalStep, at: string): WorkflowNode[] {
    const record = this.records.get(at);
    if (this.within.prefix !== '' && record?.deeds.some(({ hand }) => hand !== null)) {
      this.note(`step ${at} stays a goal: a person did part of it by hand, in a workflow that is called`);
      return [goal];
    }
    const end = record?.end ?? null;
    if (!record || end === null || typeof end === 'string') {
      this.note(`step ${at} stays a goal: in this run it was ${typeof end === 'string' ? end : 'not reached'}`);
      return [goal];
    }
    this.compiled += 1;
    this.tellOfHand(at, record);
    const lift = this.lift(goal);
    const { steps, notes, problems } = compileSteps(record, lift, this.origins());
    this.problems = [...this.problems, ...problems];
    this.note(...notes);
    if (record.epochs.size > 1)
      this.note(
        `step ${at}: a worker was lost in the middle, and the next one began on an earlier page; see whether what both did fits together`,
      );
    if (record.hasLostApprovals)
      this.problems = [
        ...this.problems,
        `step ${at}: a person approved an action, and the worker did not record which one: run the goal again`,
      ];
    const all = [...steps, ...this.signs(goal), ...this.answer(goal, end.value, record, lift)];
    return goal.if === undefined || all.length === 0 ? all : [{ action: 'group', if: goal.if, steps: all }];
  }

  /** Steps for the manual actions before a step. */
  private byHand(at: string): readonly WorkflowNode[] {
    const record = this.records.get(at);
    // Typed secrets become inputs of the run. A called workflow does not have these.
    if (this.within.prefix !== '' || !record?.deeds.some(({ hand }) => hand !== null)) return [];
    this.tellOfHand(at, record);
    const { steps, notes, problems } = compileSteps({ ...record, end: null }, this.lift(null), this.origins());
    this.problems = [...this.problems, ...problems];
    this.note(...notes);
    return steps;
  }

  private tellOfHand(at: string, { deeds }: RecordedGoal): void {
    const people = new Set(deeds.flatMap(({ hand }) => hand ?? []));
    if (people.size === 0) return;
    this.driven.add(at);
    this.note(`step ${at}: what ${[...people].join(', ')} did by hand are steps now`);
  }

  /** Notes the manual actions that are not compiled. */
  private leftOut(): void {
    for (const [at, { deeds }] of this.records)
      if (deeds.some(({ hand }) => hand !== null) && !this.driven.has(at))
        this.note(`step ${at}: what a person did by hand there is left out`);
  }

  /** True if a block contains something to compile. */
  private hasMore(node: WorkflowNode, at: string): boolean {
    return (
      reachesGoal([node], this.run.definition) ||
      [...this.records].some(([place, { deeds }]) => place.startsWith(`${at}/`) && deeds.length > 0)
    );
  }

  private lift(goal: GoalStep | null): Templatizer {
    return new Templatizer(this.knownTo(goal), this.within.secrets, this.within.held);
  }

  /** Checks that the goal is met. */
  private signs({ expect }: GoalStep): WorkflowNode[] {
    return expect ? [{ action: 'waitFor', condition: expect }] : [];
  }

  private answer(goal: GoalStep, value: Json, record: RecordedGoal, lift: Templatizer): readonly WorkflowNode[] {
    if (goal.id === undefined || !this.within.said.includes(`steps.${goal.id}.`)) return [];
    let name = `answer-${this.compiled}`;
    while (name in this.workflows) name += '-of-goal';
    const { steps, workflow, notes } = compileAnswer(goal, value, record, lift, name);
    if (workflow) this.workflows = { ...this.workflows, [name]: workflow };
    this.note(...notes);
    return steps;
  }

  /** Known values at a goal: inputs, and the values of earlier steps that the goal uses. */
  private knownTo(goal: GoalStep | null): KnownValue[] {
    const known = [...this.within.known];
    for (const { path, source } of goal ? findTemplates(goal.goal) : []) {
      if (path[0] === 'steps')
        known.push({ template: source, value: recordedValueAt(path, this.within, this.run.events) });
      if (path[0] === 'vars' && !known.some(({ template }) => template === source))
        this.note(`What the goal has of ${source} stays as it was in this run`);
    }
    return known;
  }

  /** Origins in the original workflow, and those that an agent opened. */
  private origins(): Set<string> {
    const moves = [...this.records.values()].flatMap(({ deeds }) => deeds.map(({ move }) => move));
    const said = JSON.stringify([this.run.definition, moves]);
    return new Set(said.match(/https?:\/\/[\w.-]+(?::\d+)?/g));
  }

  private note(...sentences: readonly string[]): void {
    this.notes = [...this.notes, ...sentences];
  }

  private stays(what: string): void {
    this.goals += 1;
    this.note(`It stays a goal: ${what}`);
  }
}

const refused = (why: string, notes: readonly string[] = []) =>
  new PilothouseError('CONFLICT', `The run cannot be compiled: ${[why, ...notes].join('; ')}`);
