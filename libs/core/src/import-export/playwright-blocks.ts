import type { Condition } from '@pilothouse/contract/actions/condition.schema';
import { assertNever, type Json } from '@pilothouse/contract/primitives.schema';
import { DEFAULT_MAX_ITERATIONS, isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import type { ControlBlock, ControlBlockOf, WorkflowNode } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { stepTitle } from '../workflow/step-titles.ts';
import { stepCode } from './playwright-steps.ts';
import { conditionCode, targetCode } from './playwright-locators.ts';
import { childPointer, indented, stringLiteral, type Writer } from './code-writer.ts';

/** Timeout of an `if` condition or `until`, in milliseconds. */
const DECISION_TIMEOUT_MS = 2_000;

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
    const elseLines = node.action === 'group' && node.else ? this.list(node.else, childPointer(pointer, 'else')) : [];
    return [
      `if (${this.test(node.if, childPointer(pointer, 'if'))}) {`,
      ...indented(lines),
      ...(elseLines.length > 0 ? ['} else {', ...indented(elseLines)] : []),
      '}',
    ];
  }

  private step(step: Exclude<WorkflowNode, ControlBlock>, pointer: string): string[] {
    const { lines, value } = stepCode(this.writer, step, pointer, (nodes, listPointer) =>
      this.list(nodes, listPointer),
    );
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
            typeof value === 'string'
              ? this.nameCode(value, childPointer(pointer, 'vars', name))
              : JSON.stringify(value);
          return `vars.${name} = ${code};`;
        });
      case 'try':
        return this.tryCode(node, pointer);
      case 'call':
        return this.call(node, pointer);
      case 'forEach': {
        const index = node.index ?? '';
        const valueCode =
          typeof node.in === 'string' ? this.nameCode(node.in, childPointer(pointer, 'in')) : writer.value(node.in);
        const [item, indexName] = [writer.uniqueName('item'), writer.uniqueName('index')];
        return this.loop(node, pointer, `for (const [${indexName}, ${item}] of (${valueCode} as any[]).entries()) {`, [
          `if (${indexName} >= ${node.maxIterations ?? DEFAULT_MAX_ITERATIONS.forEach}) throw new Error('The loop exceeds its iteration limit');`,
          `vars.${node.as ?? 'item'} = ${item};`,
          ...(index === '' ? [] : [`vars.${index} = ${indexName};`]),
        ]);
      }
      case 'paginate':
      case 'loop': {
        const iterationName = writer.uniqueName('round');
        const endLines =
          node.action === 'loop'
            ? [`if (${this.test(node.until, childPointer(pointer, 'until'))}) break;`]
            : this.nextPage(node, pointer);
        const limit = `if (${iterationName} >= ${node.maxIterations ?? DEFAULT_MAX_ITERATIONS[node.action]}) throw new Error('The loop exceeds its iteration limit');`;
        const startLines = [limit, ...(node.index === undefined ? [] : [`vars.${node.index} = ${iterationName};`])];
        return this.loop(
          node,
          pointer,
          `for (let ${iterationName} = 0; ; ${iterationName} += 1) {`,
          startLines,
          endLines,
        );
      }
      default:
        return assertNever(node);
    }
  }

  private loop(
    node: ControlBlockOf<'forEach' | 'paginate' | 'loop'>,
    pointer: string,
    head: string,
    startLines: readonly string[],
    endLines: readonly string[] = [],
  ): string[] {
    const { writer } = this;
    const body = this.list(node.steps, childPointer(pointer, 'steps'));
    if (node.collect === undefined) return [head, ...indented([...startLines, ...body, ...endLines]), '}'];
    const collectedName = writer.uniqueName('collected');
    const collect = `${collectedName}.push(${writer.value(node.collect)});`;
    return [
      `const ${collectedName}: any[] = [];`,
      head,
      ...indented([...startLines, ...body, collect, ...endLines]),
      '}',
      ...(node.id === undefined ? [] : [`steps.${node.id} = ${collectedName};`]),
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
    const { catch: catchNodes, finally: finallyNodes } = node;
    const error = this.writer.uniqueName('error');
    return [
      'try {',
      ...indented(this.list(node.steps, childPointer(pointer, 'steps'))),
      ...(catchNodes
        ? [
            `} catch (${error}) {`,
            ...indented([
              '// A test has no error codes of Pilothouse.',
              `vars.${node.as ?? 'error'} = { code: 'FAILED', message: String(${error}) };`,
              ...this.list(catchNodes, childPointer(pointer, 'catch')),
            ]),
          ]
        : []),
      ...(finallyNodes ? ['} finally {', ...indented(this.list(finallyNodes, childPointer(pointer, 'finally')))] : []),
      '}',
    ];
  }

  /** A called workflow of the same file, with its own inputs, values and variables. */
  private call(node: ControlBlockOf<'call'>, pointer: string): string[] {
    const { writer } = this;
    const subworkflow: Subworkflow | undefined = this.workflows[node.workflow];
    if (!subworkflow) {
      writer.reportUnsupported(
        childPointer(pointer, 'workflow'),
        'this workflow is not in the file: add it under `workflows`',
      );
      return [];
    }
    const defaults = Object.entries(subworkflow.inputs).flatMap(([name, { default: initial }]) =>
      initial === undefined ? [] : [[name, initial] as const],
    );
    const valueCode = writer.value({ ...(Object.fromEntries(defaults) as Record<string, Json>), ...node.inputs });
    const outer = writer.inputs;
    writer.inputs = subworkflow.inputs;
    const base = `/workflows/${node.workflow.replaceAll('~', '~0').replaceAll('/', '~1')}/steps`;
    const body = this.list(subworkflow.steps, base);
    const output = subworkflow.output === undefined ? [] : [`return ${writer.value(subworkflow.output)};`];
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
      `})(${valueCode});`,
    ];
  }

  private test(test: string | Condition, pointer: string): string {
    if (typeof test === 'string') return `${this.nameCode(test, pointer)} === true`;
    const checks = conditionCode(this.writer, test, pointer, DECISION_TIMEOUT_MS);
    return `await ${this.writer.use('passes')}(async () => { ${checks.join(' ')} })`;
  }

  private nameCode(source: string, pointer: string): string {
    return (
      this.writer.nameCode(source) ??
      this.writer.reportUnsupported(pointer, 'this expression is not supported in a test: use a name such as vars.row')
    );
  }
}
