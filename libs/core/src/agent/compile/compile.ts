import {
  everyNode,
  isBlock,
  listsOf,
  PilothouseError,
  type CalledWorkflow,
  type GoalStep,
  type Json,
  type Node,
  type RunEvent,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { checkDefinition } from '../../workflow/check/check.ts';
import { templatesIn } from '../../workflow/template.ts';
import { answerOf } from './answer.ts';
import { Lift, type Known } from './lift.ts';
import { withSecrets } from './hand.ts';
import { recordsOf, type GoalRecord } from './record.ts';
import { stepsOf } from './steps.ts';

/** A run that completed, as it is kept. */
export interface RecordedRun {
  readonly definition: WorkflowDefinition;
  /** Values of its inputs, but for secret ones. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Names of its secret inputs. */
  readonly secrets: readonly string[];
  /** All its events, in order, in their newest version. */
  readonly events: readonly RunEvent[];
}

/** A workflow that does without a model what a run did with one. */
export interface CompiledRun {
  readonly definition: WorkflowDefinition;
  /** Sentences for people: what was not carried over, and what to look at. */
  readonly notes: readonly string[];
}

/**
 * Turns the goals of a run into the steps that reached them.
 * @throws PilothouseError CONFLICT when the run has no goal that was reached, or did what cannot be done again without a model
 */
export function compileRun(run: RecordedRun): CompiledRun {
  return new Compiler(run).compile();
}

class Compiler {
  private readonly run: RecordedRun;
  private readonly records: ReadonlyMap<string, GoalRecord>;
  /** Inputs for secrets that a person typed. */
  private readonly secrets: readonly string[];
  private readonly notes: string[] = [];
  private readonly problems: string[] = [];
  private readonly workflows: Record<string, CalledWorkflow>;
  private goals = 0;
  private compiled = 0;
  /** Places at which what a person did by hand is carried over. */
  private readonly driven = new Set<string>();

  constructor(run: RecordedRun) {
    this.run = run;
    const { records, inputs } = withSecrets(recordsOf(run.events), run);
    this.records = records;
    this.secrets = inputs;
    this.workflows = { ...run.definition.workflows };
  }

  compile(): CompiledRun {
    const { definition } = this.run;
    const steps = this.list(definition.steps, '');
    for (const [name, called] of Object.entries(definition.workflows ?? {}))
      if (hasGoal(called.steps)) this.stays(`a goal of the workflow ${name}, which is called`);
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

  /** Without an output that needs an answer that is not there any more. */
  private checked(definition: WorkflowDefinition): CompiledRun {
    const problems = checkDefinition(definition);
    if (problems.length > 0 && problems.every(({ pointer }) => /^\/output(\/|$)/.test(pointer))) {
      const { output, outputSchema, ...rest } = definition;
      this.notes.push('The workflow has no output: that of the run needs an answer that is not carried over');
      return this.checked(rest);
    }
    const [first] = problems;
    if (first) throw refused(`the workflow would not be valid at ${first.pointer}: ${first.detail}`, this.notes);
    return { definition, notes: this.notes };
  }

  /** @param prefix what the place of each step begins with */
  private list(nodes: readonly Node[], prefix: string): Node[] {
    return nodes.flatMap((node, index) => this.node(node, `${prefix}${index + 1}`));
  }

  private node(node: Node, at: string): Node[] {
    if (node.action === 'goal') {
      this.goals += 1;
      return this.goal(node, at);
    }
    return [...this.byHand(at), ...this.rest(node, at)];
  }

  private rest(node: Exclude<Node, GoalStep>, at: string): Node[] {
    if (!isBlock(node)) {
      if (hasGoal([node])) this.stays(`step ${at}: a goal in a branch has a page beside that of the run`);
      return [node];
    }
    if (!this.hasMore(node, at)) return [node];
    if (node.action !== 'group' && node.action !== 'try') {
      if (hasGoal([node])) this.stays(`step ${at}: a goal in a loop is another one in each round`);
      return [node];
    }
    const lists = listsOf(node).map(({ field, list }) => {
      const inner = this.list(list, field === 'steps' ? `${at}/` : `${at}/${field}/`);
      if (inner.length === 0 && list.length > 0) this.problems.push(`step ${at}: nothing is left in \`${field}\``);
      return [field, inner];
    });
    return [{ ...node, ...(Object.fromEntries(lists) as object) }];
  }

  private goal(goal: GoalStep, at: string): Node[] {
    const record = this.records.get(at);
    const end = record?.end ?? null;
    if (!record || end === null || typeof end === 'string') {
      this.notes.push(`step ${at} stays a goal: in this run it was ${typeof end === 'string' ? end : 'not reached'}`);
      return [goal];
    }
    this.compiled += 1;
    this.tellOfHand(at, record);
    const lift = this.lift(goal);
    const { steps, notes, problems } = stepsOf(record, lift, this.origins());
    this.problems.push(...problems);
    this.notes.push(...notes);
    if (record.epochs.size > 1)
      this.notes.push(
        `step ${at}: a worker was lost in the middle, and the next one began on an earlier page; see whether what both did fits together`,
      );
    if (record.answers > 0)
      this.notes.push(
        `step ${at}: a person answered ${record.answers === 1 ? 'once' : `${record.answers} times`}; the workflow asks nobody`,
      );
    const all = [...steps, ...this.signs(goal), ...this.answer(goal, end.value, record, lift)];
    return goal.when === undefined || all.length === 0 ? all : [{ action: 'group', when: goal.when, steps: all }];
  }

  /** What a person did by hand before a step. */
  private byHand(at: string): readonly Node[] {
    const record = this.records.get(at);
    if (!record?.deeds.some(({ hand }) => hand !== null)) return [];
    this.tellOfHand(at, record);
    const { steps, notes, problems } = stepsOf({ ...record, end: null }, this.lift(null), this.origins());
    this.problems.push(...problems);
    this.notes.push(...notes);
    return steps;
  }

  private tellOfHand(at: string, { deeds }: GoalRecord): void {
    const people = new Set(deeds.flatMap(({ hand }) => hand ?? []));
    if (people.size === 0) return;
    this.driven.add(at);
    this.notes.push(`step ${at}: what ${[...people].join(', ')} did by hand are steps now`);
  }

  /** What was done by hand and stands nowhere. */
  private leftOut(): void {
    for (const [at, { deeds }] of this.records)
      if (deeds.some(({ hand }) => hand !== null) && !this.driven.has(at))
        this.notes.push(`step ${at}: what a person did by hand there is left out`);
  }

  /** Whether a block has something in it that is compiled. */
  private hasMore(node: Node, at: string): boolean {
    return (
      hasGoal([node]) || [...this.records].some(([place, { deeds }]) => place.startsWith(`${at}/`) && deeds.length > 0)
    );
  }

  private lift(goal: GoalStep | null): Lift {
    return new Lift(this.knownTo(goal), [...this.run.secrets, ...this.secrets]);
  }

  /** What shows that the goal is met. */
  private signs({ expect, success = [] }: GoalStep): Node[] {
    const conditions = [...(expect ? [expect] : []), ...success.map((text) => ({ text }))];
    return conditions.map((condition) => ({ action: 'waitFor', condition }));
  }

  private answer(goal: GoalStep, value: Json, record: GoalRecord, lift: Lift): readonly Node[] {
    if (goal.id === undefined || !JSON.stringify(this.run.definition).includes(`steps.${goal.id}.`)) return [];
    let name = `answer-${this.compiled}`;
    while (name in this.workflows) name += '-of-goal';
    const { steps, workflow, notes } = answerOf(goal, value, record, lift, name);
    if (workflow) this.workflows[name] = workflow;
    this.notes.push(...notes);
    return steps;
  }

  /** What the run was given: its inputs, and what the goal names of former steps. */
  private knownTo(goal: GoalStep | null): Known[] {
    const { inputs, secrets } = this.run;
    const given = Object.entries(inputs).filter(([name]) => !secrets.includes(name));
    const known = given.map(([name, value]) => ({ template: `{{inputs.${name}}}`, value }));
    for (const { path, source } of goal ? templatesIn(goal.goal) : []) {
      if (path[0] === 'steps') known.push({ template: source, value: this.valueAt(path) });
      if (path[0] === 'vars') this.notes.push(`What the goal has of ${source} stays as it was in this run`);
    }
    return known;
  }

  /** What a step of this run read. @param path `steps`, its id, `value`, and the way into that */
  private valueAt([, id, , ...way]: readonly string[]): Json {
    const acted = this.run.events.findLast(({ type, data }) => type === 'step.acted' && data['id'] === id);
    let value: Json = acted?.data['value'] ?? null;
    for (const key of way) value = (value as Record<string, Json> | null)?.[key] ?? null;
    return value;
  }

  /** Origins that stand in the workflow as it was written, or that an agent opened. */
  private origins(): Set<string> {
    const moves = [...this.records.values()].flatMap(({ deeds }) => deeds.map(({ move }) => move));
    const said = JSON.stringify([this.run.definition, moves]);
    return new Set(said.match(/https?:\/\/[\w.-]+(?::\d+)?/g));
  }

  private stays(what: string): void {
    this.goals += 1;
    this.notes.push(`It stays a goal: ${what}`);
  }
}

const hasGoal = (nodes: readonly Node[]): boolean => [...everyNode(nodes)].some(({ node }) => node.action === 'goal');

const refused = (why: string, notes: readonly string[] = []) =>
  new PilothouseError('CONFLICT', `The run cannot be compiled: ${[why, ...notes].join('; ')}`);
