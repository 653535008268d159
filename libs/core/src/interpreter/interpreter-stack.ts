import type { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { loopVars, type LoopFrame } from './interpreter-loops.ts';
import { toExpressionScope, toTemplateScope, withoutVars, withValue, withVar } from './variable-scope.ts';
import type { Frame, InterpreterState, ListFrame, OwnerFrame, VariableScope } from './interpreter-state.ts';

/** Frames of the blocks in progress, and the variables in scope. */
export class InterpreterStack {
  scope: VariableScope;
  readonly frames: Frame[];
  private readonly run: InterpreterState['run'];

  constructor({ frames, scope, run }: Pick<InterpreterState, 'frames' | 'scope' | 'run'>) {
    this.frames = [...frames];
    this.scope = scope;
    this.run = run;
  }

  get depth(): number {
    return this.frames.length;
  }

  get top(): Frame | undefined {
    return this.frames.at(-1);
  }

  /** The list on top. */
  list(): ListFrame {
    return this.top as ListFrame;
  }

  /** The loop on top. */
  loop(): LoopFrame {
    return this.top as LoopFrame;
  }

  push(owner: OwnerFrame, nodes: readonly WorkflowNode[], prefix: string): void {
    this.frames.push(owner, { kind: 'list', nodes, index: 0, prefix, isConditionMet: false });
  }

  pop(): Frame | undefined {
    return this.frames.pop();
  }

  replaceTop(frame: Frame): void {
    this.frames[this.frames.length - 1] = frame;
  }

  setVar(name: string, value: Json): void {
    this.scope = withVar(this.scope, name, value);
  }

  removeVars(names: readonly string[]): void {
    this.scope = withoutVars(this.scope, names);
  }

  /** Ends the block on top. */
  endBlock(value: Json): void {
    this.pop();
    this.endItem(value);
  }

  /** Ends the current item of the list on top. */
  endItem(value: Json): void {
    const list = this.list();
    const id = list.nodes[list.index]?.id;
    if (id !== undefined) this.scope = withValue(this.scope, id, value);
    this.replaceTop({ ...list, index: list.index + 1, isConditionMet: false });
  }

  /** Unwinds to the next block with `catch` or `finally`. @returns whether there is one */
  unwind(error: PilothouseError): boolean {
    for (let frame = this.pop(); frame; frame = this.pop()) {
      if (frame.kind === 'loop') this.removeVars(loopVars(frame.node));
      if (frame.kind === 'call') this.scope = frame.outer;
      if (frame.kind !== 'try') continue;
      const { node, phase, path } = frame;
      if (phase === 'steps' && node.catch) {
        const { code, message } = error;
        this.setVar(node.as ?? 'error', { code, message });
        this.push({ ...frame, phase: 'catch' }, node.catch, `${path}/catch/`);
        return true;
      }
      this.removeVars([node.as ?? 'error']);
      if (phase !== 'finally' && node.finally) {
        this.push({ ...frame, phase: 'finally', pending: error }, node.finally, `${path}/finally/`);
        return true;
      }
    }
    return false;
  }

  expressionScope() {
    return toExpressionScope(this.scope, this.run);
  }

  templateScope() {
    return toTemplateScope(this.scope, this.run);
  }
}
