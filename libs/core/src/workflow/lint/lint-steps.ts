import { beforeInputCodes } from '@pilothouse/contract/errors/error-codes';
import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { type NodeList, childLists, isBlock, walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { type BranchNode, hasOwnPage } from '@pilothouse/contract/workflow/parallel.schema';
import {
  type ParallelStep,
  type Step,
  isNonIdempotent,
  pageBranchesOf,
} from '@pilothouse/contract/workflow/step.schema';
import type { ControlBlock, ControlBlockOf, WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import { missingStepProblem } from '../missing-step.ts';
import { codesAfterInput } from '../step-retry.ts';
import { withSubworkflowEffects } from '../step-effects.ts';
import { parseExpression } from '../expressions.ts';
import { escapePointer, soleSecretName, type FoundTemplate } from '../templates.ts';
import { cssErrors, jsonPathErrors, locatorProblems, patternErrors, roleErrors, uploadErrors } from './lint-fields.ts';
import { type NamesInScope, joinNames, lintTemplates, nameErrors, templateErrors } from './lint-references.ts';

/** Lints lists of steps in document order. */
export class StepLinter {
  readonly problems: FieldError[] = [];
  private readonly orderOf: (index: number) => number;
  private index = 0;

  /** @param orderOf position of a node in document order, including blocks and their contents */
  constructor(orderOf: (index: number) => number = (index) => index) {
    this.orderOf = orderOf;
  }

  /** @returns the variables that are known after the list */
  list(nodes: readonly WorkflowNode[], base: string, scope: NamesInScope): ReadonlySet<string> {
    let vars = scope.vars;
    for (const [index, node] of nodes.entries()) {
      vars = this.node(node, `${base}/${index}`, { ...scope, order: this.orderOf(this.index), vars });
    }
    return vars;
  }

  private node(node: WorkflowNode, base: string, scope: NamesInScope): ReadonlySet<string> {
    this.index += 1;
    const { if: predicate } = node;
    if (typeof predicate === 'string') this.expression(predicate, `${base}/if`, scope);
    else if (predicate) this.templates(predicate, `${base}/if`, scope);
    if (!isBlock(node)) {
      this.step(node, base, scope);
      return scope.vars;
    }
    const enclosingIds = node.id === undefined ? scope.enclosingIds : [...scope.enclosingIds, node.id];
    return this.block(node, base, { ...scope, enclosingIds });
  }

  private block(node: ControlBlock, base: string, scope: NamesInScope): ReadonlySet<string> {
    const lintChildren = (field: NodeList<WorkflowNode>['field'], addedVars: readonly string[] = []) => {
      const list = childLists(node).find((children) => children.field === field)?.list ?? [];
      return this.list(list, `${base}/${field}`, { ...scope, vars: new Set([...scope.vars, ...addedVars]) });
    };
    const withoutNames = (vars: ReadonlySet<string>, names: readonly string[]) =>
      new Set([...vars].filter((name) => scope.vars.has(name) || !names.includes(name)));
    switch (node.action) {
      case 'group':
        return new Set([...lintChildren('steps'), ...lintChildren('else')]);
      case 'try': {
        const name = node.as ?? 'error';
        const catchVars = withoutNames(lintChildren('catch', [...lintChildren('steps'), name]), [name]);
        return new Set([...catchVars, ...lintChildren('finally', [...catchVars])]);
      }
      case 'set': {
        const vars = new Set(scope.vars);
        for (const [name, value] of Object.entries(node.vars)) {
          const pointer = `${base}/vars/${escapePointer(name)}`;
          if (typeof value === 'string') this.expression(value, pointer, { ...scope, vars });
          vars.add(name);
        }
        return vars;
      }
      case 'call':
        this.call(node, base, scope);
        return scope.vars;
      case 'forEach':
      case 'paginate':
      case 'loop': {
        if (node.action === 'paginate') this.templates(node.next, `${base}/next`, scope);
        if (node.action === 'forEach' && typeof node.in === 'string') this.expression(node.in, `${base}/in`, scope);
        else if (node.action === 'forEach') this.templates(node.in, `${base}/in`, scope);
        const loopVariables = [
          ...(node.action === 'forEach' ? [node.as ?? 'item'] : []),
          ...(node.index === undefined ? [] : [node.index]),
        ];
        const vars = lintChildren('steps', loopVariables);
        const endScope = { ...scope, order: this.orderOf(this.index), vars };
        if (node.action === 'loop' && typeof node.until === 'string')
          this.expression(node.until, `${base}/until`, endScope);
        else if (node.action === 'loop') this.templates(node.until, `${base}/until`, endScope);
        if (node.collect !== undefined) this.templates(node.collect, `${base}/collect`, endScope);
        return withoutNames(vars, loopVariables);
      }
      default:
        return assertNever(node);
    }
  }

  private step(step: Step, base: string, scope: NamesInScope): void {
    const { if: predicate, ...rest } = step;
    const pages = pageBranchesOf(step);
    const fieldsToLint = pages.length === 0 ? rest : withoutPages(rest as ParallelStep);
    const templates = this.templates(fieldsToLint, base, scope, secretPointersOf(step, base));
    for (const [name, steps] of pages) this.branch(step, steps, `${base}/branches/${escapePointer(name)}`, scope);
    if (step.action === 'extract') this.problems.push(...patternErrors(step, base), ...jsonPathErrors(step, base));
    else this.problems.push(...locatorProblems(step, base));
    this.retry(step, base, scope);
    const missing = missingStepProblem(step);
    if (missing !== null) this.problems.push({ pointer: base, detail: missing });
    if ((step.action === 'upload' || step.action === 'putFile') && !this.hasProblem(`${base}/file`))
      this.problems.push(...uploadErrors(scope.definition, step.file, `${base}/file`, templates));
  }

  /** A step that is not idempotent is attempted again only after errors that occur before it sent input. */
  private retry(step: Step, base: string, { definition }: NamesInScope): void {
    const { retry } = step;
    if (!retry || !isNonIdempotent(withSubworkflowEffects(step, definition.workflows))) return;
    const lateCodes = codesAfterInput(retry);
    if (lateCodes.length === 0) return;
    const detail = `The step is not idempotent, and after ${joinNames(lateCodes)} input may have been sent. Set \`retry.on\` to some of ${joinNames([...beforeInputCodes])}`;
    this.problems.push({ pointer: `${base}/retry${retry.on ? '/on' : ''}`, detail });
  }

  /** Lints a branch with its own page: it sees the outer names and values of earlier steps of the branch. */
  private branch(step: Step, nodes: readonly BranchNode[], base: string, scope: NamesInScope): void {
    const branchNodes = [...walkNodes(nodes)];
    // Between the position before the step and its own.
    const orderOf = (index: number) => scope.order - 1 + (index + 1) / (branchNodes.length + 1);
    const ids = new Map(scope.ids);
    for (const [index, { node, path }] of branchNodes.entries()) {
      if (node.id === undefined) continue;
      if (ids.has(node.id))
        this.problems.push({
          pointer: `${base}/${path.join('/')}/id`,
          detail: `Another step already has the id "${node.id}": use an id that is unique in the branch and in the list around it`,
        });
      else ids.set(node.id, { node, order: orderOf(index) });
    }
    const enclosingIds = step.id === undefined ? scope.enclosingIds : [...scope.enclosingIds, step.id];
    const linter = new StepLinter(orderOf);
    linter.list(nodes, base, { ...scope, ids, enclosingIds });
    this.problems.push(...linter.problems);
  }

  private call(node: ControlBlockOf<'call'>, base: string, scope: NamesInScope): void {
    const inputs = node.inputs ?? {};
    const workflow = scope.definition.workflows?.[node.workflow];
    for (const [name, value] of Object.entries(inputs)) {
      const pointer = `${base}/inputs/${escapePointer(name)}`;
      const input = workflow && Object.hasOwn(workflow.inputs, name) ? workflow.inputs[name] : undefined;
      if (workflow && !input) {
        const detail = `The workflow ${node.workflow} has no input "${name}". Its inputs: ${joinNames(Object.keys(workflow.inputs))}`;
        this.problems.push({ pointer, detail });
      }
      // Secret inputs of a workflow of the project are checked at submit.
      const secret = workflow && !input?.secret ? undefined : soleSecretName(value);
      const isSecret = secret !== undefined && scope.definition.inputs[secret]?.secret === true;
      this.templates(value, pointer, scope, isSecret ? [pointer] : []);
      if (input?.secret && !isSecret && !this.hasProblem(pointer)) {
        this.problems.push({
          pointer,
          detail: 'This input is secret: pass exactly one secret input, as {{inputs.<name>}}',
        });
      }
    }
    for (const [name, { default: initial, optional }] of Object.entries(workflow?.inputs ?? {})) {
      if (Object.hasOwn(inputs, name) || initial !== undefined || optional) continue;
      this.problems.push({
        pointer: `${base}/inputs`,
        detail: `${node.workflow} requires the input "${name}": add it`,
      });
    }
  }

  /** @param secretPointers pointers at and below which secrets are allowed */
  private templates(
    value: unknown,
    base: string,
    scope: NamesInScope,
    secretPointers: readonly string[] = [],
  ): FoundTemplate[] {
    const { templates, problems } = lintTemplates(value, base);
    problems.push(...roleErrors(value, base), ...cssErrors(value, base));
    const mayContainSecret = (pointer: string) =>
      secretPointers.some((prefix) => pointer === prefix || pointer.startsWith(`${prefix}/`));
    for (const template of templates)
      problems.push(...templateErrors(scope, template, mayContainSecret(template.pointer)));
    this.problems.push(...problems);
    return templates;
  }

  /** True if a field has a problem already. A second message about it would count the same mistake again. */
  private hasProblem(pointer: string): boolean {
    return this.problems.some((problem) => problem.pointer === pointer);
  }

  private expression(source: string, pointer: string, scope: NamesInScope): void {
    try {
      for (const path of parseExpression(source).names) this.problems.push(...nameErrors(scope, path, pointer));
    } catch (thrown) {
      if (!(thrown instanceof PilothouseError)) throw thrown;
      this.problems.push({ pointer, detail: thrown.message });
    }
  }
}

/** A step without its branches that open a page. */
const withoutPages = <StepWithBranches extends Pick<ParallelStep, 'branches'>>(
  step: StepWithBranches,
): StepWithBranches => ({
  ...step,
  branches: Object.fromEntries(Object.entries(step.branches).filter(([, branch]) => !hasOwnPage(branch))),
});

/** Fields that may contain secrets: text to type, goals, and parts of requests except the URL. */
function secretPointersOf(step: Step, base: string): string[] {
  if (step.action === 'fill' || step.action === 'type') return [`${base}/text`];
  if (step.action === 'goal') return [`${base}/goal`];
  const inRequest = (requestBase: string) => ['headers', 'body', 'json'].map((field) => `${requestBase}/${field}`);
  if (step.action === 'parallel')
    return Object.keys(withoutPages(step).branches).flatMap((name) =>
      inRequest(`${base}/branches/${escapePointer(name)}`),
    );
  return step.action === 'http' ? inRequest(base) : [];
}
