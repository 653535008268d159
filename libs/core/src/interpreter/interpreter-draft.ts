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
import { pathSegment, withStepPath } from './step-path.ts';
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
  clearStepValues,
  toExpressionScope,
  toTemplateScope,
  withoutVars,
  withValue,
  withVar,
} from './variable-scope.ts';
import type {
  AwaitedDecision,
  Frame,
  ListFrame,
  NextStep,
  StepOutcome,
  OwnerFrame,
  Program,
  VariableScope,
  InterpreterState,
} from './interpreter-state.ts';

/** Maximum number of transitions between two steps, so that loops without steps end. */
const MAX_TRANSITIONS = 100_000;

/** Maximum number of frames. Calls cannot be recursive; this limits nesting. */
const MAX_DEPTH = 400;

/** Mutable working copy of a state. */
export class InterpreterDraft {
  private readonly program: Program;
  private readonly run: InterpreterState['run'];
  private readonly frames: Frame[];
  private scope: VariableScope;
  private number: number;
  private awaited: AwaitedDecision;
  private readonly previous: NextStep | undefined;
  private next: NextStep | undefined;
  private transitionCount = 0;

  constructor(state: Omit<InterpreterState, 'next'> & Partial<Pick<InterpreterState, 'next'>>) {
    this.program = state.program;
    this.run = state.run;
    this.frames = [...state.frames];
    this.scope = state.scope;
    this.number = state.number;
    this.awaited = state.awaited;
    this.previous = state.next;
  }

  /** Advances to the next step or the end. */
  settle(): InterpreterState {
    while (!this.next) this.raiseErrors(() => this.transition());
    const { program, run, frames, scope, number, awaited, next } = this;
    return { program, run, frames, scope, number, awaited, next };
  }

  /** Applies the outcome of the current step. */
  applyOutcome(outcome: StepOutcome): void {
    if (this.previous?.kind !== 'step') throw new Error('No step is at work');
    const { path: at } = this.previous.place;
    this.number += 1;
    if (outcome.status === 'failed') return this.raise(new PilothouseError(outcome.error.code, outcome.error.message));
    const { value } = outcome;
    this.raiseErrors(() => this.applyDecision(value, at));
  }

  private applyDecision(value: Json, at: string): void {
    switch (this.awaited) {
      case 'step':
        return this.endItem(value);
      case 'if':
        return value === true ? this.replace({ ...this.list(), isConditionMet: true }) : this.skip();
      case 'until':
        return value === true ? this.endLoop(this.loop()) : this.nextIteration(this.loop());
      case 'more':
        if (value !== true) return this.endLoop(this.loop());
        assertIterationAllowed(this.loop());
        return this.ask('next', at.replace(/more$/, 'next'), {
          action: 'click',
          target: (this.loop().node as ControlBlockOf<'paginate'>).next,
        });
      case 'next':
        return this.nextIteration(this.loop());
      default:
        return assertNever(this.awaited);
    }
  }

  /** An error of a block is caught like an error of a step. */
  private raiseErrors(change: () => void): void {
    try {
      change();
    } catch (thrown) {
      const error = toPilothouseError(thrown);
      if (error.code === 'INTERNAL') throw thrown;
      this.raise(error);
    }
  }

  private transition(): void {
    this.transitionCount += 1;
    if (this.transitionCount > MAX_TRANSITIONS || this.frames.length > MAX_DEPTH) {
      const message =
        this.transitionCount > MAX_TRANSITIONS
          ? `${MAX_TRANSITIONS} times nothing but control flow`
          : 'Blocks and calls are too deep';
      this.next = { kind: 'failed', error: new PilothouseError('LOOP_LIMIT_EXCEEDED', message) };
      return;
    }
    const top = this.frames.at(-1);
    if (!top) this.next = { kind: 'end' };
    else if (top.kind !== 'list') this.onListEnd(top);
    else if (top.index >= top.nodes.length) this.frames.pop();
    else this.enterNode(top, top.nodes[top.index] as WorkflowNode);
  }

  private enterNode(list: ListFrame, node: WorkflowNode): void {
    const at = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.if !== undefined && !list.isConditionMet) {
      if (typeof node.if !== 'string') return this.checkPage('if', `${at}/if`, node.if);
      if (!withStepPath(at, () => evaluateBoolean(node.if as string, toExpressionScope(this.scope, this.run))))
        return this.skip();
    }
    if (!isBlock(node)) {
      this.awaited = 'step';
      this.next = {
        kind: 'step',
        place: { number: this.number, path: at, step: withSubworkflowEffects(node, this.program.workflows) },
      };
      return;
    }
    withStepPath(at, () => this.enterBlock(node, at));
  }

  private enterBlock(node: ControlBlock, at: string): void {
    switch (node.action) {
      case 'group':
        return this.push({ kind: 'group', node, at }, node.steps, `${at}/`);
      case 'set':
        for (const [name, source] of Object.entries(node.vars)) {
          const value = typeof source === 'string' ? evaluate(source, toExpressionScope(this.scope, this.run)) : source;
          this.scope = withVar(this.scope, name, value);
        }
        return this.endItem(null);
      case 'try':
        return this.push({ kind: 'try', node, at, phase: 'steps', pending: null }, node.steps, `${at}/`);
      case 'call':
        return this.call(node, at);
      case 'forEach':
      case 'paginate':
      case 'loop': {
        const items = node.action === 'forEach' ? this.items(node) : [];
        return this.startIteration({ kind: 'loop', node, at, items, iteration: -1, collected: [], size: 0 }, false);
      }
      default:
        return assertNever(node);
    }
  }

  private items(node: ControlBlockOf<'forEach'>): readonly Json[] {
    const { in: source } = node;
    return forEachItems(
      node,
      typeof source === 'string'
        ? evaluate(source, toExpressionScope(this.scope, this.run))
        : renderTemplates(source, this.templateScope()),
    );
  }

  private call(node: ControlBlockOf<'call'>, at: string): void {
    const workflow = this.program.workflows?.[node.workflow];
    if (!workflow) throw new PilothouseError('VALIDATION_FAILED', `There is no workflow ${node.workflow} to call`);
    const scope = subworkflowVariables(workflow, node.inputs ?? {}, this.scope, this.templateScope());
    this.push({ kind: 'call', node, at, workflow, outer: this.scope }, workflow.steps, `${at}/`);
    this.scope = scope;
  }

  /** The list above this frame has ended. */
  private onListEnd(owner: OwnerFrame): void {
    switch (owner.kind) {
      case 'group':
        return this.endBlock(null);
      case 'loop':
        return withStepPath(owner.at, () => this.onIterationEnd(owner));
      case 'try':
        return this.onTryPhaseEnd(owner);
      case 'call': {
        const output =
          owner.workflow.output === undefined ? null : renderTemplates(owner.workflow.output, this.templateScope());
        withStepPath(owner.at, () => checkOutput(owner.workflow, output));
        this.scope = owner.outer;
        return this.endBlock(output);
      }
      default:
        return assertNever(owner);
    }
  }

  private onIterationEnd(loop: LoopFrame): void {
    const { node, at, iteration } = loop;
    const collected =
      node.collect === undefined ? loop : withCollectedValue(loop, renderTemplates(node.collect, this.templateScope()));
    this.replace(collected);
    switch (node.action) {
      case 'forEach':
        return this.nextIteration(collected);
      case 'paginate':
        return this.checkPage('more', `${at}[${iteration + 1}]/more`, { enabled: node.next });
      case 'loop':
        if (typeof node.until !== 'string') return this.checkPage('until', `${at}[${iteration + 1}]/until`, node.until);
        return evaluateBoolean(node.until, toExpressionScope(this.scope, this.run))
          ? this.endLoop(collected)
          : this.nextIteration(collected);
      default:
        return assertNever(node);
    }
  }

  private nextIteration(loop: LoopFrame): void {
    if (loop.node.action !== 'forEach') assertIterationAllowed(loop);
    this.startIteration(loop, true);
  }

  private startIteration(loop: LoopFrame, isOpen: boolean): void {
    const iteration = loop.iteration + 1;
    const { node, items, at } = loop;
    if (isOpen) this.frames.pop();
    if (node.action === 'forEach' && iteration >= items.length) {
      this.scope = withoutVars(this.scope, loopVars(node));
      return this.endItem(loopValue(loop));
    }
    this.scope = clearStepValues(this.scope, node.steps);
    if (node.action === 'forEach') this.scope = withVar(this.scope, node.as ?? 'item', items[iteration] ?? null);
    if (node.index !== undefined) this.scope = withVar(this.scope, node.index, iteration);
    this.push({ ...loop, iteration }, node.steps, `${at}[${iteration + 1}]/`);
  }

  private endLoop(loop: LoopFrame): void {
    this.scope = withoutVars(this.scope, loopVars(loop.node));
    this.endBlock(loopValue(loop));
  }

  private onTryPhaseEnd(owner: OwnerFrame & { kind: 'try' }): void {
    const { node, phase, pending, at } = owner;
    if (phase !== 'finally' && node.finally) {
      this.frames.pop();
      return this.push({ ...owner, phase: 'finally' }, node.finally, `${at}/finally/`);
    }
    this.scope = withoutVars(this.scope, [node.as ?? 'error']);
    if (!pending) return this.endBlock(null);
    this.frames.pop();
    this.raise(pending);
  }

  /** Unwinds to the next block with `catch` or `finally`; without one the run fails. */
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

  private skip(): void {
    const list = this.list();
    const node = list.nodes[list.index] as WorkflowNode;
    const at = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.action === 'group' && node.else) this.push({ kind: 'group', node, at }, node.else, `${at}/else/`);
    else this.endItem(null);
  }

  /** A page condition is a step of its own, so that its outcome is durable. */
  private checkPage(awaited: AwaitedDecision, at: string, condition: Condition): void {
    this.ask(awaited, at, { action: 'checkCondition', condition });
  }

  private ask(awaited: AwaitedDecision, at: string, step: Step): void {
    this.awaited = awaited;
    this.next = { kind: 'step', place: { number: this.number, path: at, step } };
  }

  private push(owner: OwnerFrame, nodes: readonly WorkflowNode[], prefix: string): void {
    this.frames.push(owner, { kind: 'list', nodes, index: 0, prefix, isConditionMet: false });
  }

  /** Ends the block on top. */
  private endBlock(value: Json): void {
    this.frames.pop();
    this.endItem(value);
  }

  /** Ends the current item of the list on top. */
  private endItem(value: Json): void {
    const list = this.list();
    const id = list.nodes[list.index]?.id;
    if (id !== undefined) this.scope = withValue(this.scope, id, value);
    this.replace({ ...list, index: list.index + 1, isConditionMet: false });
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

  private templateScope() {
    return toTemplateScope(this.scope, this.run);
  }
}
