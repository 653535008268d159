import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { assertNever, type Json } from '@pilothouse/contract/primitives.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { ControlBlock, ControlBlockOf, WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { evaluate, evaluateBoolean } from '../workflow/expressions.ts';
import { checkOutput } from '../workflow/workflow-io.ts';
import { withSubworkflowEffects } from '../workflow/step-effects.ts';
import { renderTemplates } from '../workflow/secret-placeholders.ts';
import { InterpreterStack } from './interpreter-stack.ts';
import { stepNumber } from './step-number.ts';
import { pathSegment, withStepPath } from './step-path.ts';
import {
  forEachItems,
  loopVars,
  assertIterationAllowed,
  loopValue,
  withCollectedValue,
  type LoopFrame,
} from './interpreter-loops.ts';
import { subworkflowVariables, clearStepValues } from './variable-scope.ts';
import type {
  AwaitedDecision,
  ListFrame,
  NextStep,
  StepOutcome,
  OwnerFrame,
  Program,
  InterpreterState,
  StepPosition,
} from './interpreter-state.ts';

/** Maximum number of transitions between two steps, so that loops without steps end. */
const MAX_TRANSITIONS = 100_000;

/** Maximum number of frames. Calls cannot be recursive; this limits nesting. */
const MAX_DEPTH = 400;

/** Mutable working copy of a state. */
export class InterpreterDraft {
  private readonly program: Program;
  private readonly run: InterpreterState['run'];
  private readonly stack: InterpreterStack;
  private number: number;
  private awaited: AwaitedDecision;
  private readonly previous: NextStep | undefined;
  private next: NextStep | undefined;
  private transitionCount = 0;

  constructor(state: Omit<InterpreterState, 'next'> & Partial<Pick<InterpreterState, 'next'>>) {
    this.program = state.program;
    this.run = state.run;
    this.stack = new InterpreterStack(state);
    this.number = state.number;
    this.awaited = state.awaited;
    this.previous = state.next;
  }

  /** Advances to the next step or the end. */
  settle(): InterpreterState {
    while (!this.next) this.raiseErrors(() => this.transition());
    const { program, run, stack, number, awaited, next } = this;
    return { program, run, frames: [...stack.frames], scope: stack.scope, number, awaited, next };
  }

  /** Applies the outcome of the current step. */
  applyOutcome(outcome: StepOutcome): void {
    if (this.previous?.kind !== 'step') throw new Error('No step is in progress');
    const { path } = this.previous.position;
    this.number += 1;
    if (outcome.status === 'failed') return this.raise(new PilothouseError(outcome.error.code, outcome.error.message));
    const { value } = outcome;
    this.raiseErrors(() => this.applyDecision(value, path));
  }

  private applyDecision(value: Json, path: string): void {
    switch (this.awaited) {
      case 'step':
        return this.stack.endItem(value);
      case 'if':
        return value === true ? this.stack.replaceTop({ ...this.stack.list(), isConditionMet: true }) : this.skip();
      case 'until':
        return value === true ? this.endLoop(this.stack.loop()) : this.nextIteration(this.stack.loop());
      case 'more':
        if (value !== true) return this.endLoop(this.stack.loop());
        assertIterationAllowed(this.stack.loop());
        return this.startStep('next', path.replace(/more$/, 'next'), {
          action: 'click',
          target: (this.stack.loop().node as ControlBlockOf<'paginate'>).next,
        });
      case 'next':
        return this.nextIteration(this.stack.loop());
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
    if (this.transitionCount > MAX_TRANSITIONS || this.stack.depth > MAX_DEPTH) {
      const message =
        this.transitionCount > MAX_TRANSITIONS
          ? `More than ${MAX_TRANSITIONS} transitions without a step`
          : 'Blocks and calls are nested too deeply';
      this.next = { kind: 'failed', error: new PilothouseError('LOOP_LIMIT_EXCEEDED', message) };
      return;
    }
    const top = this.stack.top;
    if (!top) this.next = { kind: 'end' };
    else if (top.kind !== 'list') this.onListEnd(top);
    else if (top.index >= top.nodes.length) this.stack.pop();
    else this.enterNode(top, top.nodes[top.index] as WorkflowNode);
  }

  private enterNode(list: ListFrame, node: WorkflowNode): void {
    const path = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.if !== undefined && !list.isConditionMet) {
      if (typeof node.if !== 'string') return this.checkPage('if', `${path}/if`, node.if);
      if (!withStepPath(path, () => evaluateBoolean(node.if as string, this.stack.expressionScope())))
        return this.skip();
    }
    if (!isBlock(node)) {
      this.awaited = 'step';
      this.next = {
        kind: 'step',
        position: this.positionAt(path, withSubworkflowEffects(node, this.program.workflows)),
      };
      return;
    }
    withStepPath(path, () => this.enterBlock(node, path));
  }

  private enterBlock(node: ControlBlock, path: string): void {
    switch (node.action) {
      case 'group':
        return this.stack.push({ kind: 'group', node, path }, node.steps, `${path}/`);
      case 'set':
        for (const [name, source] of Object.entries(node.vars)) {
          const value = typeof source === 'string' ? evaluate(source, this.stack.expressionScope()) : source;
          this.stack.setVar(name, value);
        }
        return this.stack.endItem(null);
      case 'try':
        return this.stack.push({ kind: 'try', node, path, phase: 'steps', pending: null }, node.steps, `${path}/`);
      case 'call':
        return this.call(node, path);
      case 'forEach':
      case 'paginate':
      case 'loop': {
        const items = node.action === 'forEach' ? this.items(node) : [];
        return this.startIteration({ kind: 'loop', node, path, items, iteration: -1, collected: [], size: 0 }, false);
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
        ? evaluate(source, this.stack.expressionScope())
        : renderTemplates(source, this.stack.templateScope()),
    );
  }

  private call(node: ControlBlockOf<'call'>, path: string): void {
    const workflow = this.program.workflows?.[node.workflow];
    if (!workflow) throw new PilothouseError('VALIDATION_FAILED', `Workflow ${node.workflow} not found`);
    const scope = subworkflowVariables(workflow, node.inputs ?? {}, this.stack.scope, this.stack.templateScope());
    this.stack.push({ kind: 'call', node, path, workflow, outer: this.stack.scope }, workflow.steps, `${path}/`);
    this.stack.scope = scope;
  }

  /** The list above this frame has ended. */
  private onListEnd(owner: OwnerFrame): void {
    switch (owner.kind) {
      case 'group':
        return this.stack.endBlock(null);
      case 'loop':
        return withStepPath(owner.path, () => this.onIterationEnd(owner));
      case 'try':
        return this.onTryPhaseEnd(owner);
      case 'call': {
        const output =
          owner.workflow.output === undefined
            ? null
            : renderTemplates(owner.workflow.output, this.stack.templateScope());
        withStepPath(owner.path, () => checkOutput(owner.workflow, output));
        this.stack.scope = owner.outer;
        return this.stack.endBlock(output);
      }
      default:
        return assertNever(owner);
    }
  }

  private onIterationEnd(loop: LoopFrame): void {
    const { node, path, iteration } = loop;
    const collected =
      node.collect === undefined
        ? loop
        : withCollectedValue(loop, renderTemplates(node.collect, this.stack.templateScope()));
    this.stack.replaceTop(collected);
    switch (node.action) {
      case 'forEach':
        return this.nextIteration(collected);
      case 'paginate':
        return this.checkPage('more', `${path}[${iteration + 1}]/more`, { enabled: node.next });
      case 'loop':
        if (typeof node.until !== 'string')
          return this.checkPage('until', `${path}[${iteration + 1}]/until`, node.until);
        return evaluateBoolean(node.until, this.stack.expressionScope())
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
    const { node, items, path } = loop;
    if (isOpen) this.stack.pop();
    if (node.action === 'forEach' && iteration >= items.length) {
      this.stack.removeVars(loopVars(node));
      return this.stack.endItem(loopValue(loop));
    }
    this.stack.scope = clearStepValues(this.stack.scope, node.steps);
    if (node.action === 'forEach') this.stack.setVar(node.as ?? 'item', items[iteration] ?? null);
    if (node.index !== undefined) this.stack.setVar(node.index, iteration);
    this.stack.push({ ...loop, iteration }, node.steps, `${path}[${iteration + 1}]/`);
  }

  private endLoop(loop: LoopFrame): void {
    this.stack.removeVars(loopVars(loop.node));
    this.stack.endBlock(loopValue(loop));
  }

  private onTryPhaseEnd(owner: OwnerFrame & { kind: 'try' }): void {
    const { node, phase, pending, path } = owner;
    if (phase !== 'finally' && node.finally) {
      this.stack.pop();
      return this.stack.push({ ...owner, phase: 'finally' }, node.finally, `${path}/finally/`);
    }
    this.stack.removeVars([node.as ?? 'error']);
    if (!pending) return this.stack.endBlock(null);
    this.stack.pop();
    this.raise(pending);
  }

  /** Unwinds to the next block with `catch` or `finally`; without one the run fails. */
  private raise(error: PilothouseError): void {
    if (!this.stack.unwind(error)) this.next = { kind: 'failed', error };
  }

  private skip(): void {
    const list = this.stack.list();
    const node = list.nodes[list.index] as WorkflowNode;
    const path = `${list.prefix}${pathSegment(node.id, list.index)}`;
    if (node.action === 'group' && node.else)
      this.stack.push({ kind: 'group', node, path }, node.else, `${path}/else/`);
    else this.stack.endItem(null);
  }

  /** A page condition is a separate step, so that its outcome is durable. */
  private checkPage(awaited: AwaitedDecision, path: string, condition: Condition): void {
    this.startStep(awaited, path, { action: 'checkCondition', condition });
  }

  private startStep(awaited: AwaitedDecision, path: string, step: Step): void {
    this.awaited = awaited;
    this.next = { kind: 'step', position: this.positionAt(path, step) };
  }

  private positionAt(path: string, step: Step): StepPosition {
    const label = stepNumber(this.program, path);
    return { number: this.number, path, ...(label !== path && { label }), step };
  }
}
