import {
  assertNever,
  isBlock,
  PilothouseError,
  toPilothouseError,
  type ControlBlock,
  type ControlBlockOf,
  type Condition,
  type Json,
  type WorkflowNode,
  type Step,
} from '@pilothouse/contract';
import { evaluate, evaluateBoolean } from '../workflow/expressions.ts';
import { checkOutput } from '../workflow/workflow-io.ts';
import { withSubworkflowEffects } from '../workflow/step-effects.ts';
import { renderTemplates } from '../secret/secret-placeholders.ts';
import { pathSegment } from './step-path.ts';
import {
  forEachItems,
  loopVars,
  assertIterationAllowed,
  loopValue,
  withCollectedValue,
  type LoopFrame,
} from './interpreter-loops.ts';
import {
  subworkflowVariables,
  initialScope,
  clearStepValues,
  toTemplateScope,
  withoutVars,
  withValue,
  withVar,
} from './variable-scope.ts';
import type {
  AwaitedDecision,
  Frame,
  ProgramInputs,
  ListFrame,
  NextStep,
  StepOutcome,
  OwnerFrame,
  Program,
  VariableScope,
  InterpreterState,
} from './interpreter-state.ts';

/** Errors that already have a step path. The innermost step wins. */
const located = new WeakSet<PilothouseError>();

/*
 * The interpreter: program, state and outcome determine the next step or the end. It does no I/O and reads no clock or random source, so a
 * worker that resumes a run replays the durable outcomes and reaches the same state.
 */

/** Most changes of place between two steps: loops that do nothing end, too. */
const MAX_MOVES = 100_000;

/** Maximum number of frames. Calls cannot be recursive; this limits nesting. */
const MAX_DEPTH = 400;

/** Initial state of a run. */
export function startProgram(
  program: Program,
  run: InterpreterState['run'],
  { inputs, secrets }: ProgramInputs,
): InterpreterState {
  const list: ListFrame = { kind: 'list', nodes: program.steps, index: 0, prefix: '', passed: false };
  const own = Object.fromEntries(secrets.map((name) => [name, name]));
  const scope = initialScope(program.steps, { inputs, secrets: own, held: secrets });
  return new Draft({ program, run, frames: [list], scope, number: 0, asked: 'step' }).settle();
}

/** Initial state of a branch. It starts with the values and variables of the run, and changes its own copy. */
export function startBranch(
  { program, run, scope: around }: InterpreterState,
  nodes: readonly WorkflowNode[],
): InterpreterState {
  const list: ListFrame = { kind: 'list', nodes, index: 0, prefix: '', passed: false };
  const { steps } = initialScope(nodes, around);
  const scope = { ...around, steps: { ...around.steps, ...steps } };
  return new Draft({ program, run, frames: [list], scope, number: 0, asked: 'step' }).settle();
}

/**
 * State after the outcome of the current step.
 * @throws Error if no step is in progress
 */
export function advance(state: InterpreterState, outcome: StepOutcome): InterpreterState {
  const draft = new Draft(state);
  draft.take(outcome);
  return draft.settle();
}

/** Mutable working copy of a state. */
class Draft {
  private readonly program: Program;
  private readonly run: InterpreterState['run'];
  private readonly frames: Frame[];
  private scope: VariableScope;
  private number: number;
  private asked: AwaitedDecision;
  private readonly was: NextStep | undefined;
  private next: NextStep | undefined;
  private moves = 0;

  constructor({
    program,
    run,
    frames,
    scope,
    number,
    asked,
    next,
  }: Omit<InterpreterState, 'next'> & Partial<Pick<InterpreterState, 'next'>>) {
    this.program = program;
    this.run = run;
    this.frames = [...frames];
    this.scope = scope;
    this.number = number;
    this.asked = asked;
    this.was = next;
  }

  /** Moves on until a step is to be carried out, or nothing is left. */
  settle(): InterpreterState {
    while (!this.next) this.guarded(() => this.move());
    const { program, run, frames, scope, number, asked, next } = this;
    return { program, run, frames, scope, number, asked, next };
  }

  /** Takes the outcome of the step at work. */
  take(outcome: StepOutcome): void {
    if (this.was?.kind !== 'step') throw new Error('No step is at work');
    const { path: at } = this.was.place;
    this.number += 1;
    if (outcome.status === 'failed') return this.raise(new PilothouseError(outcome.error.code, outcome.error.message));
    const { value } = outcome;
    this.guarded(() => this.answered(value, at));
  }

  private answered(value: Json, at: string): void {
    switch (this.asked) {
      case 'step':
        return this.finish(value);
      case 'if':
        return value === true ? this.replace({ ...this.list(), passed: true }) : this.leaveOut();
      case 'until':
        return value === true ? this.endLoop(this.loop()) : this.nextRound(this.loop());
      case 'more':
        if (value !== true) return this.endLoop(this.loop());
        assertIterationAllowed(this.loop());
        return this.ask('next', at.replace(/more$/, 'next'), {
          action: 'click',
          target: (this.loop().node as ControlBlockOf<'paginate'>).next,
        });
      case 'next':
        return this.nextRound(this.loop());
      default:
        return assertNever(this.asked);
    }
  }

  /** An error of a block is caught like an error of a step. */
  private guarded(change: () => void): void {
    try {
      change();
    } catch (thrown) {
      const error = toPilothouseError(thrown);
      if (error.code === 'INTERNAL') throw thrown;
      this.raise(error);
    }
  }

  private move(): void {
    this.moves += 1;
    if (this.moves > MAX_MOVES || this.frames.length > MAX_DEPTH) {
      const message =
        this.moves > MAX_MOVES ? `${MAX_MOVES} times nothing but control flow` : 'Blocks and calls are too deep';
      this.next = { kind: 'failed', error: new PilothouseError('LOOP_LIMIT_EXCEEDED', message) };
      return;
    }
    const top = this.frames.at(-1);
    if (!top) this.next = { kind: 'end' };
    else if (top.kind !== 'list') this.listIsDone(top);
    else if (top.index >= top.nodes.length) this.frames.pop();
    else this.enter(top, top.nodes[top.index] as WorkflowNode);
  }

  private enter(list: ListFrame, node: WorkflowNode): void {
    const at = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.if !== undefined && !list.passed) {
      if (typeof node.if !== 'string') return this.look('if', `${at}/if`, node.if);
      if (!this.within(at, () => evaluateBoolean(node.if as string, this.seen()))) return this.leaveOut();
    }
    if (!isBlock(node)) {
      this.asked = 'step';
      this.next = {
        kind: 'step',
        place: { number: this.number, path: at, step: withSubworkflowEffects(node, this.program.workflows) },
      };
      return;
    }
    this.within(at, () => this.open(node, at));
  }

  private open(node: ControlBlock, at: string): void {
    switch (node.action) {
      case 'group':
        return this.push({ kind: 'group', node, at }, node.steps, `${at}/`);
      case 'set':
        for (const [name, source] of Object.entries(node.vars)) {
          const value = typeof source === 'string' ? evaluate(source, this.seen()) : source;
          this.scope = withVar(this.scope, name, value);
        }
        return this.finish(null);
      case 'try':
        return this.push({ kind: 'try', node, at, phase: 'steps', pending: null }, node.steps, `${at}/`);
      case 'call':
        return this.call(node, at);
      case 'forEach':
      case 'paginate':
      case 'loop': {
        const items = node.action === 'forEach' ? this.items(node) : [];
        return this.startRound({ kind: 'loop', node, at, items, round: -1, collected: [], size: 0 }, false);
      }
      default:
        return assertNever(node);
    }
  }

  private items(node: ControlBlockOf<'forEach'>): readonly Json[] {
    const { in: source } = node;
    return forEachItems(
      node,
      typeof source === 'string' ? evaluate(source, this.seen()) : renderTemplates(source, this.templates()),
    );
  }

  private call(node: ControlBlockOf<'call'>, at: string): void {
    const called = this.program.workflows?.[node.workflow];
    if (!called) throw new PilothouseError('VALIDATION_FAILED', `There is no workflow ${node.workflow} to call`);
    const scope = subworkflowVariables(called, node.inputs ?? {}, this.scope, this.templates());
    this.push({ kind: 'call', node, at, called, outer: this.scope }, called.steps, `${at}/`);
    this.scope = scope;
  }

  /** The list above this frame has ended. */
  private listIsDone(owner: OwnerFrame): void {
    switch (owner.kind) {
      case 'group':
        return this.close(null);
      case 'loop':
        return this.within(owner.at, () => this.roundIsDone(owner));
      case 'try':
        return this.partIsDone(owner);
      case 'call': {
        const output =
          owner.called.output === undefined ? null : renderTemplates(owner.called.output, this.templates());
        this.within(owner.at, () => checkOutput(owner.called, output));
        this.scope = owner.outer;
        return this.close(output);
      }
      default:
        return assertNever(owner);
    }
  }

  private roundIsDone(loop: LoopFrame): void {
    const { node, at, round } = loop;
    const done =
      node.collect === undefined ? loop : withCollectedValue(loop, renderTemplates(node.collect, this.templates()));
    this.replace(done);
    switch (node.action) {
      case 'forEach':
        return this.nextRound(done);
      case 'paginate':
        return this.look('more', `${at}[${round + 1}]/more`, { enabled: node.next });
      case 'loop':
        if (typeof node.until !== 'string') return this.look('until', `${at}[${round + 1}]/until`, node.until);
        return evaluateBoolean(node.until, this.seen()) ? this.endLoop(done) : this.nextRound(done);
      default:
        return assertNever(node);
    }
  }

  private nextRound(loop: LoopFrame): void {
    if (loop.node.action !== 'forEach') assertIterationAllowed(loop);
    this.startRound(loop, true);
  }

  private startRound(loop: LoopFrame, isOpen: boolean): void {
    const round = loop.round + 1;
    const { node, items, at } = loop;
    if (isOpen) this.frames.pop();
    if (node.action === 'forEach' && round >= items.length) {
      this.scope = withoutVars(this.scope, loopVars(node));
      return this.finish(loopValue(loop));
    }
    this.scope = clearStepValues(this.scope, node.steps);
    if (node.action === 'forEach') this.scope = withVar(this.scope, node.as ?? 'item', items[round] ?? null);
    if (node.index !== undefined) this.scope = withVar(this.scope, node.index, round);
    this.push({ ...loop, round }, node.steps, `${at}[${round + 1}]/`);
  }

  private endLoop(loop: LoopFrame): void {
    this.scope = withoutVars(this.scope, loopVars(loop.node));
    this.close(loopValue(loop));
  }

  private partIsDone(owner: OwnerFrame & { kind: 'try' }): void {
    const { node, phase, pending, at } = owner;
    if (phase !== 'finally' && node.finally) {
      this.frames.pop();
      return this.push({ ...owner, phase: 'finally' }, node.finally, `${at}/finally/`);
    }
    this.scope = withoutVars(this.scope, [node.as ?? 'error']);
    if (!pending) return this.close(null);
    this.frames.pop();
    this.raise(pending);
  }

  /** Goes out of blocks to the next that catches, or has something to do at its end; without one the run has failed. */
  private raise(error: PilothouseError): void {
    for (let frame = this.frames.pop(); frame; frame = this.frames.pop()) {
      if (frame.kind === 'loop') this.scope = withoutVars(this.scope, loopVars(frame.node));
      if (frame.kind === 'call') this.scope = frame.outer;
      if (frame.kind !== 'try') continue;
      const { node, phase, at } = frame;
      if (phase === 'steps' && node.catch) {
        const { code, message } = error;
        this.scope = withVar(this.scope, node.as ?? 'error', { code, message });
        return this.push({ ...frame, phase: 'catch' }, node.catch, `${at}/catch/`);
      }
      this.scope = withoutVars(this.scope, [node.as ?? 'error']);
      if (phase !== 'finally' && node.finally) {
        return this.push({ ...frame, phase: 'finally', pending: error }, node.finally, `${at}/finally/`);
      }
    }
    this.next = { kind: 'failed', error };
  }

  private leaveOut(): void {
    const list = this.list();
    const node = list.nodes[list.index] as WorkflowNode;
    const at = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.action === 'group' && node.else) this.push({ kind: 'group', node, at }, node.else, `${at}/else/`);
    else this.finish(null);
  }

  /** A page condition is a step of its own, so that its outcome is durable. */
  private look(asked: AwaitedDecision, at: string, condition: Condition): void {
    this.ask(asked, at, { action: 'checkCondition', condition });
  }

  private ask(asked: AwaitedDecision, at: string, step: Step): void {
    this.asked = asked;
    this.next = { kind: 'step', place: { number: this.number, path: at, step } };
  }

  private push(owner: OwnerFrame, nodes: readonly WorkflowNode[], prefix: string): void {
    this.frames.push(owner, { kind: 'list', nodes, index: 0, prefix, passed: false });
  }

  /** Ends the block on top. */
  private close(value: Json): void {
    this.frames.pop();
    this.finish(value);
  }

  /** Ends the current item of the list on top. */
  private finish(value: Json): void {
    const list = this.list();
    const id = list.nodes[list.index]?.id;
    if (id !== undefined) this.scope = withValue(this.scope, id, value);
    this.replace({ ...list, index: list.index + 1, passed: false });
  }

  private replace(frame: Frame): void {
    this.frames[this.frames.length - 1] = frame;
  }

  private list(): ListFrame {
    return this.frames.at(-1) as ListFrame;
  }

  private loop(): LoopFrame {
    return this.frames.at(-1) as LoopFrame;
  }

  private seen() {
    const { inputs, vars, steps } = this.scope;
    return { inputs, vars, steps, run: { id: this.run.id } };
  }

  private templates() {
    return toTemplateScope(this.scope, this.run);
  }

  /** Adds the path of the block to an error. */
  private within<Value>(at: string, change: () => Value): Value {
    try {
      return change();
    } catch (thrown) {
      if (!(thrown instanceof PilothouseError) || located.has(thrown)) throw thrown;
      const error = new PilothouseError(thrown.code, `Step ${at}: ${thrown.message}`, { cause: thrown });
      located.add(error);
      throw error;
    }
  }
}
