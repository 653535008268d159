import {
  type BranchNode,
  type ControlBlock,
  type ControlBlockOf,
  type FieldError,
  type NodeList,
  type ParallelStep,
  PilothouseError,
  type Step,
  type WorkflowNode,
  assertNever,
  beforeInputCodes,
  childLists,
  hasOwnPage,
  isBlock,
  isNonIdempotent,
  pageBranchesOf,
  walkNodes,
} from '@pilothouse/contract';
import { codesAfterInput } from '../../run/step-retry.ts';
import { withSubworkflowEffects } from '../step-effects.ts';
import { parseExpression } from '../expressions.ts';
import { escapePointer, soleSecretName, type FoundTemplate } from '../templates.ts';
import { jsonPathErrors, locatorProblems, patternErrors, roleErrors, uploadErrors } from './lint-fields.ts';
import { type NamesInScope, joinNames, lintTemplates, nameErrors, templateErrors } from './lint-references.ts';

/** Lints lists of steps in document order. */
export class StepLinter {
  readonly problems: FieldError[] = [];
  private readonly turnOf: (index: number) => number;
  private index = 0;

  /** @param fromCachedTurn number of the node in document order, including blocks and their contents */
  constructor(turnOf: (index: number) => number = (index) => index) {
    this.turnOf = turnOf;
  }

  /** @returns the variables that are known after the list */
  list(nodes: readonly WorkflowNode[], base: string, known: NamesInScope): ReadonlySet<string> {
    let vars = known.vars;
    for (const [index, node] of nodes.entries()) {
      vars = this.node(node, `${base}/${index}`, { ...known, turn: this.turnOf(this.index), vars });
    }
    return vars;
  }

  private node(node: WorkflowNode, base: string, known: NamesInScope): ReadonlySet<string> {
    this.index += 1;
    const { if: predicate } = node;
    if (typeof predicate === 'string') this.expression(predicate, `${base}/if`, known);
    else if (predicate) this.templates(predicate, `${base}/if`, known);
    if (!isBlock(node)) {
      this.step(node, base, known);
      return known.vars;
    }
    const around = node.id === undefined ? known.around : [...known.around, node.id];
    return this.block(node, base, { ...known, around });
  }

  private block(node: ControlBlock, base: string, known: NamesInScope): ReadonlySet<string> {
    const inside = (field: NodeList<WorkflowNode>['field'], more: readonly string[] = []) => {
      const list = childLists(node).find((one) => one.field === field)?.list ?? [];
      return this.list(list, `${base}/${field}`, { ...known, vars: new Set([...known.vars, ...more]) });
    };
    const without = (vars: ReadonlySet<string>, names: readonly string[]) =>
      new Set([...vars].filter((name) => known.vars.has(name) || !names.includes(name)));
    switch (node.action) {
      case 'group':
        return new Set([...inside('steps'), ...inside('else')]);
      case 'try': {
        const name = node.as ?? 'error';
        const caught = without(inside('catch', [...inside('steps'), name]), [name]);
        return new Set([...caught, ...inside('finally', [...caught])]);
      }
      case 'set': {
        const vars = new Set(known.vars);
        for (const [name, value] of Object.entries(node.vars)) {
          const pointer = `${base}/vars/${escapePointer(name)}`;
          if (typeof value === 'string') this.expression(value, pointer, { ...known, vars });
          vars.add(name);
        }
        return vars;
      }
      case 'call':
        this.call(node, base, known);
        return known.vars;
      case 'forEach':
      case 'paginate':
      case 'loop': {
        if (node.action === 'paginate') this.templates(node.next, `${base}/next`, known);
        if (node.action === 'forEach' && typeof node.in === 'string') this.expression(node.in, `${base}/in`, known);
        else if (node.action === 'forEach') this.templates(node.in, `${base}/in`, known);
        const own = [
          ...(node.action === 'forEach' ? [node.as ?? 'item'] : []),
          ...(node.index === undefined ? [] : [node.index]),
        ];
        const vars = inside('steps', own);
        const after = { ...known, turn: this.turnOf(this.index), vars };
        if (node.action === 'loop' && typeof node.until === 'string')
          this.expression(node.until, `${base}/until`, after);
        else if (node.action === 'loop') this.templates(node.until, `${base}/until`, after);
        if (node.collect !== undefined) this.templates(node.collect, `${base}/collect`, after);
        return without(vars, own);
      }
      default:
        return assertNever(node);
    }
  }

  private step(step: Step, base: string, known: NamesInScope): void {
    const { if: predicate, ...rest } = step;
    const pages = pageBranchesOf(step);
    const own = pages.length === 0 ? rest : withoutPages(rest as ParallelStep);
    const found = this.templates(own, base, known, secretPlaces(step, base));
    for (const [name, steps] of pages) this.branch(step, steps, `${base}/branches/${escapePointer(name)}`, known);
    if (step.action === 'extract') this.problems.push(...patternErrors(step, base), ...jsonPathErrors(step, base));
    else this.problems.push(...locatorProblems(step, base));
    this.retry(step, base, known);
    if (step.action === 'upload')
      this.problems.push(...uploadErrors(known.definition, step.file, `${base}/file`, found));
  }

  /** A step that is not idempotent is attempted again only after errors that occur before it sent input. */
  private retry(step: Step, base: string, { definition }: NamesInScope): void {
    const { retry } = step;
    if (!retry || !isNonIdempotent(withSubworkflowEffects(step, definition.workflows))) return;
    const late = codesAfterInput(retry);
    if (late.length === 0) return;
    const detail = `The step is not idempotent: after ${joinNames(late)} input may have been sent. Set \`retry.on\` to some of ${joinNames([...beforeInputCodes])}`;
    this.problems.push({ pointer: `${base}/retry${retry.on ? '/on' : ''}`, detail });
  }

  /** Lints a branch with its own page: it sees the outer names and values of earlier steps of the branch. */
  private branch(step: Step, nodes: readonly BranchNode[], base: string, known: NamesInScope): void {
    const all = [...walkNodes(nodes)];
    // Between the turn before the step and its own.
    const turnOf = (index: number) => known.turn - 1 + (index + 1) / (all.length + 1);
    const ids = new Map(known.ids);
    for (const [index, { node, path }] of all.entries()) {
      if (node.id === undefined) continue;
      if (ids.has(node.id))
        this.problems.push({
          pointer: `${base}/${path.join('/')}/id`,
          detail: `Another step has the id "${node.id}" already: that of a step in a branch is its own in the branch, and in the list around it`,
        });
      else ids.set(node.id, { node, turn: turnOf(index) });
    }
    const around = step.id === undefined ? known.around : [...known.around, step.id];
    const walk = new StepLinter(turnOf);
    walk.list(nodes, base, { ...known, ids, around });
    this.problems.push(...walk.problems);
  }

  private call(node: ControlBlockOf<'call'>, base: string, known: NamesInScope): void {
    const given = node.inputs ?? {};
    const called = known.definition.workflows?.[node.workflow];
    for (const [name, value] of Object.entries(given)) {
      const pointer = `${base}/inputs/${escapePointer(name)}`;
      const input = called && Object.hasOwn(called.inputs, name) ? called.inputs[name] : undefined;
      if (called && !input) {
        const detail = `The workflow ${node.workflow} has no such input; there are: ${joinNames(Object.keys(called.inputs))}`;
        this.problems.push({ pointer, detail });
      }
      // Secret inputs of a workflow of the project are checked at submit.
      const secret = called && !input?.secret ? undefined : soleSecretName(value);
      const isSecret = secret !== undefined && known.definition.inputs[secret]?.secret === true;
      this.templates(value, pointer, known, isSecret ? [pointer] : []);
      if (input?.secret && !isSecret) {
        this.problems.push({
          pointer,
          detail: 'This input is secret: give it a secret input, whole, as {{inputs.<name>}}',
        });
      }
    }
    for (const [name, { default: initial, optional }] of Object.entries(called?.inputs ?? {})) {
      if (Object.hasOwn(given, name) || initial !== undefined || optional) continue;
      this.problems.push({ pointer: `${base}/inputs`, detail: `The input "${name}" of ${node.workflow} is missing` });
    }
  }

  /** @param secretAt places where, and under which, a secret may stand */
  private templates(
    value: unknown,
    base: string,
    known: NamesInScope,
    secretAt: readonly string[] = [],
  ): FoundTemplate[] {
    const { found, problems } = lintTemplates(value, base);
    problems.push(...roleErrors(value, base));
    const mayContainSecret = (pointer: string) =>
      secretAt.some((place) => pointer === place || pointer.startsWith(`${place}/`));
    for (const template of found) problems.push(...templateErrors(known, template, mayContainSecret(template.pointer)));
    this.problems.push(...problems);
    return found;
  }

  private expression(source: string, pointer: string, known: NamesInScope): void {
    try {
      for (const path of parseExpression(source).names) this.problems.push(...nameErrors(known, path, pointer));
    } catch (thrown) {
      if (!(thrown instanceof PilothouseError)) throw thrown;
      this.problems.push({ pointer, detail: thrown.message });
    }
  }
}

/** A step without its branches that have a page of their own. */
const withoutPages = <Given extends Pick<ParallelStep, 'branches'>>(step: Given): Given => ({
  ...step,
  branches: Object.fromEntries(Object.entries(step.branches).filter(([, branch]) => !hasOwnPage(branch))),
});

/** Fields that may contain secrets: text to type, goals, and parts of requests except the URL. */
function secretPlaces(step: Step, base: string): string[] {
  if (step.action === 'fill' || step.action === 'type') return [`${base}/text`];
  if (step.action === 'goal') return [`${base}/goal`];
  const inRequest = (at: string) => ['headers', 'body', 'json'].map((field) => `${at}/${field}`);
  if (step.action === 'parallel')
    return Object.keys(withoutPages(step).branches).flatMap((name) =>
      inRequest(`${base}/branches/${escapePointer(name)}`),
    );
  return step.action === 'http' ? inRequest(base) : [];
}
