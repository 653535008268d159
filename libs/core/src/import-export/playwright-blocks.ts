import {
  assertNever,
  DEFAULT_MAX_ITERATIONS,
  isBlock,
  type ControlBlock,
  type ControlBlockOf,
  type Subworkflow,
  type Condition,
  type Json,
  type WorkflowNode,
  type WorkflowDefinition,
} from '@pilothouse/contract';
import { stepTitle } from '../workflow/step-titles.ts';
import { stepCode } from './playwright-steps.ts';
import { conditionCode, targetCode } from './playwright-locators.ts';
import { childPointer, indented, stringLiteral, type Writer } from './code-writer.ts';

/** Milliseconds in which a condition that decides has to be seen. */
const DECIDES_MS = 2_000;

/** Lines for lists of steps and blocks. */
export class BlockWriter {
  private readonly writer: Writer;
  private readonly workflows: Readonly<Record<string, Subworkflow>>;

  constructor(writer: Writer, workflows: WorkflowDefinition['workflows']) {
    this.writer = writer;
    this.workflows = workflows ?? {};
  }

  list(nodes: readonly WorkflowNode[], pointer: string): string[] {
    return nodes.flatMap((node, index) => this.node(node, childPointer(pointer, index)));
  }

  private node(node: WorkflowNode, pointer: string): string[] {
    const lines = isBlock(node) ? this.block(node, pointer) : this.step(node, pointer);
    if (node.if === undefined) return lines;
    const otherwise = node.action === 'group' && node.else ? this.list(node.else, childPointer(pointer, 'else')) : [];
    return [
      `if (${this.test(node.if, childPointer(pointer, 'if'))}) {`,
      ...indented(lines),
      ...(otherwise.length > 0 ? ['} else {', ...indented(otherwise)] : []),
      '}',
    ];
  }

  private step(step: Exclude<WorkflowNode, ControlBlock>, pointer: string): string[] {
    const { lines, value } = stepCode(this.writer, step, pointer, (nodes, at) => this.list(nodes, at));
    const returnsValue =
      value === undefined ? [] : [step.id === undefined ? `${value};` : `steps.${step.id} = ${value};`];
    const body = [...lines, ...returnsValue];
    if (body.every((line) => line.startsWith('//'))) return body;
    return [`await test.step(${stringLiteral(stepTitle(step))}, async () => {`, ...indented(body), '});'];
  }

  private block(node: ControlBlock, pointer: string): string[] {
    const { writer } = this;
    const steps = () => ('steps' in node ? this.list(node.steps, childPointer(pointer, 'steps')) : []);
    switch (node.action) {
      case 'group':
        return steps();
      case 'set':
        return Object.entries(node.vars).map(([name, value]) => {
          const code =
            typeof value === 'string' ? this.named(value, childPointer(pointer, 'vars', name)) : JSON.stringify(value);
          return `vars.${name} = ${code};`;
        });
      case 'try':
        return this.tryCode(node, pointer);
      case 'call':
        return this.call(node, pointer);
      case 'forEach': {
        const index = node.index ?? '';
        const given =
          typeof node.in === 'string' ? this.named(node.in, childPointer(pointer, 'in')) : writer.value(node.in);
        const [item, at] = [writer.uniqueName('item'), writer.uniqueName('index')];
        return this.loop(node, pointer, `for (const [${at}, ${item}] of (${given} as any[]).entries()) {`, [
          `if (${at} >= ${node.maxIterations ?? DEFAULT_MAX_ITERATIONS.forEach}) throw new Error('The loop may go round no more');`,
          `vars.${node.as ?? 'item'} = ${item};`,
          ...(index === '' ? [] : [`vars.${index} = ${at};`]),
        ]);
      }
      case 'paginate':
      case 'loop': {
        const round = writer.uniqueName('round');
        const end =
          node.action === 'loop'
            ? [`if (${this.test(node.until, childPointer(pointer, 'until'))}) break;`]
            : this.nextPage(node, pointer);
        const limit = `if (${round} >= ${node.maxIterations ?? DEFAULT_MAX_ITERATIONS[node.action]}) throw new Error('The loop may go round no more');`;
        const begin = [limit, ...(node.index === undefined ? [] : [`vars.${node.index} = ${round};`])];
        return this.loop(node, pointer, `for (let ${round} = 0; ; ${round} += 1) {`, begin, end);
      }
      default:
        return assertNever(node);
    }
  }

  private loop(
    node: ControlBlockOf<'forEach' | 'paginate' | 'loop'>,
    pointer: string,
    head: string,
    begin: readonly string[],
    end: readonly string[] = [],
  ): string[] {
    const { writer } = this;
    const body = this.list(node.steps, childPointer(pointer, 'steps'));
    if (node.collect === undefined) return [head, ...indented([...begin, ...body, ...end]), '}'];
    const all = writer.uniqueName('collected');
    const collect = `${all}.push(${writer.value(node.collect)});`;
    return [
      `const ${all}: any[] = [];`,
      head,
      ...indented([...begin, ...body, collect, ...end]),
      '}',
      ...(node.id === undefined ? [] : [`steps.${node.id} = ${all};`]),
    ];
  }

  private nextPage(node: ControlBlockOf<'paginate'>, pointer: string): string[] {
    const next = this.writer.uniqueName('next');
    return [
      `const ${next} = ${targetCode(this.writer, node.next, childPointer(pointer, 'next'))};`,
      `if ((await ${next}.count()) === 0 || (await ${next}.isDisabled())) break;`,
      `await ${next}.click();`,
    ];
  }

  private tryCode(node: ControlBlockOf<'try'>, pointer: string): string[] {
    const { catch: caught, finally: last } = node;
    const error = this.writer.uniqueName('error');
    return [
      'try {',
      ...indented(this.list(node.steps, childPointer(pointer, 'steps'))),
      ...(caught
        ? [
            `} catch (${error}) {`,
            ...indented([
              '// Of the codes of Pilothouse a test knows none.',
              `vars.${node.as ?? 'error'} = { code: 'FAILED', message: String(${error}) };`,
              ...this.list(caught, childPointer(pointer, 'catch')),
            ]),
          ]
        : []),
      ...(last ? ['} finally {', ...indented(this.list(last, childPointer(pointer, 'finally')))] : []),
      '}',
    ];
  }

  /** A workflow of the same file, with inputs, values and variables of its own. */
  private call(node: ControlBlockOf<'call'>, pointer: string): string[] {
    const { writer } = this;
    const called: Subworkflow | undefined = this.workflows[node.workflow];
    if (!called) {
      writer.refuse(
        childPointer(pointer, 'workflow'),
        'this workflow is not in the file: write it under `workflows` first',
      );
      return [];
    }
    const defaults = Object.entries(called.inputs).flatMap(([name, { default: initial }]) =>
      initial === undefined ? [] : [[name, initial] as const],
    );
    const given = writer.value({ ...(Object.fromEntries(defaults) as Record<string, Json>), ...node.inputs });
    const outer = writer.inputs;
    writer.inputs = called.inputs;
    const base = `/workflows/${node.workflow.replaceAll('~', '~0').replaceAll('/', '~1')}/steps`;
    const body = this.list(called.steps, base);
    const output = called.output === undefined ? [] : [`return ${writer.value(called.output)};`];
    writer.inputs = outer;
    const head = `${node.id === undefined ? '' : `steps.${node.id} = `}await (async (inputs: any) => {`;
    return [
      head,
      ...indented([
        'const steps: Record<string, any> = {};',
        'const vars: Record<string, any> = {};',
        ...body,
        ...output,
      ]),
      `})(${given});`,
    ];
  }

  private test(test: string | Condition, pointer: string): string {
    if (typeof test === 'string') return `${this.named(test, pointer)} === true`;
    const checks = conditionCode(this.writer, test, pointer, DECIDES_MS);
    return `await ${this.writer.use('seen')}(async () => { ${checks.join(' ')} })`;
  }

  private named(source: string, pointer: string): string {
    return (
      this.writer.named(source) ??
      this.writer.refuse(pointer, `an expression is not written as code here; only a name is, such as vars.row`)
    );
  }
}
