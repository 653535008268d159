import { type Column, type Field, type FieldType, isField } from '@pilothouse/contract/actions/extraction.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { childLists, isBlock, walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { type Branch, hasOwnPage } from '@pilothouse/contract/workflow/parallel.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { type WorkflowNode, walkAllNodes } from '@pilothouse/contract/workflow/workflow-node.schema';
import type { Subworkflow, WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { parseTemplate } from './templates.ts';

type FieldOptions = Pick<Field, 'type' | 'optional'>;

const shapes: Readonly<Record<FieldType, ValueSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  money: {
    type: 'object',
    properties: { amount: { type: 'number' }, currency: { type: 'string' } },
    required: ['amount', 'currency'],
    additionalProperties: false,
  },
};

/** @param untyped type of fields without `type`: string, or any for JSON */
function fieldShape({ type, optional }: FieldOptions, untyped: ValueSchema = shapes.string): ValueSchema {
  const shape = type ? shapes[type] : untyped;
  return optional && Object.keys(shape).length > 0 ? { anyOf: [shape, { type: 'null' }] } : shape;
}

const objectShape = (entries: [string, ValueSchema][]): ValueSchema => ({
  type: 'object',
  properties: Object.fromEntries(entries),
  required: entries.map(([name]) => name),
  additionalProperties: false,
});

const columnOf = (column: string | Column): FieldOptions => (typeof column === 'string' ? {} : column);

const responseShape = objectShape([
  ['status', { type: 'integer' }],
  ['headers', { type: 'object' }],
  ['body', {}],
]);

/** Value types. A request has its response. A list of steps has the values of the steps with an id, null if skipped. */
const branchShape = (branch: Branch, workflows?: WorkflowDefinition['workflows']): ValueSchema =>
  hasOwnPage(branch)
    ? objectShape(
        [...walkNodes(branch)].flatMap(({ node, path }) => {
          const shape = node.id === undefined ? null : nodeValueType(node, workflows);
          if (node.id === undefined || !shape) return [];
          const isOptional = path.length > 1 || node.if !== undefined;
          return [[node.id, isOptional ? { anyOf: [shape, { type: 'null' }] } : shape]];
        }),
      )
    : responseShape;

/**
 * Schema of a node's value, or null if it has none.
 * @param workflows called workflows
 */
export function nodeValueType(node: WorkflowNode, workflows?: WorkflowDefinition['workflows']): ValueSchema | null {
  if (!isBlock(node)) return stepValueType(node, workflows);
  if (node.action === 'call') return workflows?.[node.workflow]?.outputSchema ?? {};
  return 'collect' in node && node.collect !== undefined ? { type: 'array' } : null;
}

const fileFields: [string, ValueSchema][] = [
  ['name', { type: 'string' }],
  ['contentType', { type: 'string' }],
  ['size', { type: 'integer' }],
];

/** A window of a desktop. */
const windowShape = objectShape([
  ['app', { type: 'string' }],
  ['title', { type: 'string' }],
  ['bounds', objectShape(['x', 'y', 'width', 'height'].map((name) => [name, { type: 'integer' }]))],
  ['active', { type: 'boolean' }],
  ['state', { type: 'string' }],
]);

/**
 * Schema of a step's value, or null if it has none.
 * @param workflows workflows that its branches call
 */
export function stepValueType(step: Step, workflows?: WorkflowDefinition['workflows']): ValueSchema | null {
  if (step.action === 'observe') return { type: 'string' };
  if (step.action === 'readClipboard') return { type: 'string' };
  if (step.action === 'openApp')
    return objectShape([
      ['app', { type: 'string' }],
      ['title', { type: 'string' }],
    ]);
  if (step.action === 'checkCondition') return { type: 'boolean' };
  if (step.action === 'http') return responseShape;
  if (step.action === 'parallel')
    return objectShape(Object.entries(step.branches).map(([name, branch]) => [name, branchShape(branch, workflows)]));
  if (step.action === 'goal') return step.outputSchema ?? { anyOf: [{ type: 'string' }, { type: 'null' }] };
  if (step.action === 'saveProfile')
    return objectShape([
      ['name', { type: 'string' }],
      ['version', { type: 'integer' }],
      ['size', { type: 'integer' }],
    ]);
  if (step.action === 'download') return objectShape(fileFields);
  if (step.action === 'listWindows') return { type: 'array', items: windowShape };
  if (step.action === 'setWindow') return windowShape;
  if (step.action === 'fillFileDialog')
    return objectShape([
      ['path', { type: 'string' }],
      ['exists', { type: 'boolean' }],
    ]);
  if (step.action === 'putFile') return objectShape([['path', { type: 'string' }]]);
  if (step.action === 'collectFile') {
    const file = objectShape([['path', { type: 'string' }], ...fileFields]);
    return step.glob === undefined ? file : { type: 'array', items: file };
  }
  if (step.action !== 'extract') return null;
  const untyped = step.json ? {} : shapes.string;
  if (step.value) return fieldShape(step.value, untyped);
  if (step.list) {
    const items = isField(step.list)
      ? fieldShape(step.list, untyped)
      : objectShape(Object.entries(step.list).map(([name, field]) => [name, fieldShape(field, untyped)]));
    return { type: 'array', items };
  }
  if (!step.table) return null;
  const columns = Object.entries(step.table.columns);
  return {
    type: 'array',
    items: objectShape(columns.map(([name, column]) => [name, fieldShape(columnOf(column))])),
  };
}

/**
 * Reason why a path does not exist in a value of this schema; null: it may exist. Only declared properties are valid
 * names.
 */
export function typeMismatch(schema: ValueSchema, path: readonly string[]): string | null {
  const [key, ...rest] = path;
  if (key === undefined || schema.anyOf || schema.type === undefined) return null;
  if (schema.type === 'array') {
    if (!/^[0-9]+$/.test(key)) return `"${key}" is not an index: list elements count from 0`;
    return schema.items ? typeMismatch(schema.items, rest) : null;
  }
  if (schema.type !== 'object') return `a value of type ${schema.type} has no field "${key}"`;
  const property = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (property) return typeMismatch(property, rest);
  if (schema.properties === undefined || schema.additionalProperties) return null;
  return `unknown field "${key}": use one of ${Object.keys(schema.properties).join(', ')}`;
}

/** Types of values by the schema of the output. Keys are the ids of the steps or loops that produce the values. */
type ExpectedTypes = Map<string, ValueSchema>;

interface TypedWorkflow {
  readonly steps: readonly WorkflowNode[];
  readonly workflows?: Readonly<Record<string, Subworkflow>> | undefined;
  readonly output?: Json | undefined;
  readonly outputSchema?: ValueSchema | undefined;
}

/**
 * Infers missing field types from the output schema. A value reaches the output as `{{steps.<id>.value}}`, directly or through `collect`
 * of a loop.
 */
export function inferFieldTypes<Definition extends TypedWorkflow>(definition: Definition): Definition {
  const { workflows } = definition;
  const typedWorkflow = withTypes(definition);
  if (!workflows) return typedWorkflow;
  const subworkflows = Object.entries(workflows).map(([name, subworkflow]): [string, Subworkflow] => [
    name,
    withTypes(subworkflow),
  ]);
  return { ...typedWorkflow, workflows: Object.fromEntries(subworkflows) };
}

function withTypes<Definition extends TypedWorkflow>(definition: Definition): Definition {
  const { output, outputSchema, steps } = definition;
  if (output === undefined || outputSchema === undefined) return definition;
  const expectedTypes: ExpectedTypes = new Map();
  collectTypes(output, outputSchema, expectedTypes);
  return { ...definition, steps: typedList(steps, expectedTypes) };
}

/** Expected types of parts of the output. */
function collectTypes(output: Json, schema: ValueSchema | undefined, expectedTypes: ExpectedTypes): void {
  if (schema === undefined) return;
  if (typeof output === 'string') {
    const id = referencedStep(output);
    if (id !== null) expectedTypes.set(id, schema);
  } else if (Array.isArray(output)) {
    for (const item of output) collectTypes(item, schema.items, expectedTypes);
  } else if (typeof output === 'object' && output !== null) {
    for (const [name, value] of Object.entries(output)) collectTypes(value, schema.properties?.[name], expectedTypes);
  }
}

/** Id of the step if a text consists only of the template of its value; otherwise null. */
function referencedStep(text: string): string | null {
  const [firstPart, ...laterParts] = parseTemplate(text);
  return firstPart?.kind === 'template' &&
    laterParts.length === 0 &&
    firstPart.path[0] === 'steps' &&
    firstPart.path.length === 3
    ? firstPart.path[1]
    : null;
}

function typedList(nodes: readonly WorkflowNode[], expectedTypes: ExpectedTypes): WorkflowNode[] {
  return nodes.map((node) => {
    const schema = node.id === undefined ? undefined : expectedTypes.get(node.id);
    if (!isBlock(node)) return schema && node.action === 'extract' ? typedStep(node, schema) : node;
    if ('collect' in node && node.collect !== undefined) collectTypes(node.collect, schema?.items, expectedTypes);
    const lists = childLists(node).map(({ field, list }) => [field, typedList(list, expectedTypes)] as const);
    return { ...node, ...Object.fromEntries(lists) };
  });
}

function typedStep(step: Step & { action: 'extract' }, schema: ValueSchema): Step {
  const { value, list, table } = step;
  if (value) return { ...step, value: typedField(value, schema) };
  const itemSchema = schema.items;
  if (list) return { ...step, list: isField(list) ? typedField(list, itemSchema) : typedFields(list, itemSchema) };
  if (!table) return step;
  const columns = Object.entries(table.columns).map(([name, column]) => {
    const type = typeOf(itemSchema?.properties?.[name]);
    if (type === undefined) return [name, column] as const;
    return [name, typeof column === 'string' ? { header: column, type } : { type, ...column }] as const;
  });
  return { ...step, table: { ...table, columns: Object.fromEntries(columns) } };
}

const typedFields = (fields: Record<string, Field>, itemSchema: ValueSchema | undefined): Record<string, Field> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, typedField(field, itemSchema?.properties?.[name])]),
  );

function typedField(field: Field, schema: ValueSchema | undefined): Field {
  const type = typeOf(schema);
  return type === undefined ? field : { type, ...field };
}

/** The field type of a schema; undefined for plain text and for schemas without a matching type. */
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

/** True if a workflow reads responses of pages, which the surface then has to record. */
export const needsResponses = ({ steps, workflows = {} }: TypedWorkflow): boolean =>
  [steps, ...Object.values(workflows).map((subworkflow) => subworkflow.steps)].some((list) =>
    [...walkAllNodes(list)].some(({ node }) => node.action === 'extract' && node.json?.response !== undefined),
  );
