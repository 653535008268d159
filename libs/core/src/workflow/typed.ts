import {
  walkAllNodes,
  isBlock,
  isField,
  childLists,
  type Subworkflow,
  type Field,
  type FieldType,
  type Json,
  type WorkflowNode,
  type Step,
  type ValueSchema,
} from '@pilothouse/contract';
import { parseTemplate } from './template.ts';

/** Types that values have by the schema of the output, by the id of the step or loop that gives them. */
type Wanted = Map<string, ValueSchema>;

interface Typed {
  readonly steps: readonly WorkflowNode[];
  readonly workflows?: Readonly<Record<string, Subworkflow>> | undefined;
  readonly output?: Json | undefined;
  readonly outputSchema?: ValueSchema | undefined;
}

/**
 * A workflow in which fields that name no type have the one that the schema of the output wants of them: what a step reads goes into the
 * output as `{{steps.<id>.value}}`, alone or through the `collect` of a loop.
 */
export function inferFieldTypes<Definition extends Typed>(definition: Definition): Definition {
  const { workflows } = definition;
  const own = withTypes(definition);
  if (!workflows) return own;
  const called = Object.entries(workflows).map(([name, one]): [string, Subworkflow] => [name, withTypes(one)]);
  return { ...own, workflows: Object.fromEntries(called) };
}

function withTypes<Definition extends Typed>(definition: Definition): Definition {
  const { output, outputSchema, steps } = definition;
  if (output === undefined || outputSchema === undefined) return definition;
  const wanted: Wanted = new Map();
  note(output, outputSchema, wanted);
  return { ...definition, steps: typedList(steps, wanted) };
}

/** What of an output has to be of which type. */
function note(output: Json, schema: ValueSchema | undefined, wanted: Wanted): void {
  if (schema === undefined) return;
  if (typeof output === 'string') {
    const id = stepNamed(output);
    if (id !== null) wanted.set(id, schema);
  } else if (Array.isArray(output)) {
    for (const one of output) note(one, schema.items, wanted);
  } else if (typeof output === 'object' && output !== null) {
    for (const [name, value] of Object.entries(output)) note(value, schema.properties?.[name], wanted);
  }
}

/** The step whose whole value a text is. */
function stepNamed(text: string): string | null {
  const [only, ...more] = parseTemplate(text);
  return only?.kind === 'template' && more.length === 0 && only.path[0] === 'steps' && only.path.length === 3
    ? only.path[1]
    : null;
}

function typedList(nodes: readonly WorkflowNode[], wanted: Wanted): WorkflowNode[] {
  return nodes.map((node) => {
    const schema = node.id === undefined ? undefined : wanted.get(node.id);
    if (!isBlock(node)) return schema && node.action === 'extract' ? typedStep(node, schema) : node;
    if ('collect' in node && node.collect !== undefined) note(node.collect, schema?.items, wanted);
    const lists = childLists(node).map(({ field, list }) => [field, typedList(list, wanted)] as const);
    return { ...node, ...Object.fromEntries(lists) };
  });
}

function typedStep(step: Step & { action: 'extract' }, schema: ValueSchema): Step {
  const { value, list, table } = step;
  if (value) return { ...step, value: typedField(value, schema) };
  const each = schema.items;
  if (list) return { ...step, list: isField(list) ? typedField(list, each) : typedFields(list, each) };
  if (!table) return step;
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const type = typeOf(each?.properties?.[name]);
    if (type === undefined) return [name, column] as const;
    return [name, typeof column === 'string' ? { header: column, type } : { type, ...column }] as const;
  });
  return { ...step, table: { ...table, columns: Object.fromEntries(columns) } };
}

const typedFields = (fields: Record<string, Field>, each: ValueSchema | undefined): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, typedField(field, each?.properties?.[name])]),
  );

function typedField(field: Field, schema: ValueSchema | undefined): Field {
  const type = typeOf(schema);
  return type === undefined ? field : { type, ...field };
}

/** The type of a field for a schema; undefined where a text, or anything, will do. */
function typeOf(schema: ValueSchema | undefined): FieldType | undefined {
  if (!schema) return undefined;
  if (schema.anyOf) {
    const others = schema.anyOf.filter(({ type }) => type !== 'null');
    return others.length === 1 ? typeOf(others[0]) : undefined;
  }
  const { type, format, properties = {} } = schema;
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type === 'string') return format === 'date' ? 'date' : undefined;
  const names = Object.keys(properties).sort().join();
  return type === 'object' && names === 'amount,currency' ? 'money' : undefined;
}

/** Whether a workflow reads what pages are sent: then a surface has to keep it. */
export const needsResponses = ({ steps, workflows = {} }: Typed): boolean =>
  [steps, ...Object.values(workflows).map((one) => one.steps)].some((list) =>
    [...walkAllNodes(list)].some(({ node }) => node.action === 'extract' && node.json?.response !== undefined),
  );
