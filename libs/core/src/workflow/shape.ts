import {
  walkNodes,
  isBlock,
  isField,
  hasOwnPage,
  type Branch,
  type Column,
  type Field,
  type FieldType,
  type WorkflowNode,
  type Step,
  type ValueSchema,
  type WorkflowDefinition,
} from '@pilothouse/contract';

type Reading = Pick<Field, 'type' | 'optional'>;

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

/** @param untyped what a field is that names no type: a text, of JSON anything */
function fieldShape({ type, optional }: Reading, untyped: ValueSchema = shapes.string): ValueSchema {
  const shape = type ? shapes[type] : untyped;
  return optional && Object.keys(shape).length > 0 ? { anyOf: [shape, { type: 'null' }] } : shape;
}

const objectShape = (entries: [string, ValueSchema][]): ValueSchema => ({
  type: 'object',
  properties: Object.fromEntries(entries),
  required: entries.map(([name]) => name),
  additionalProperties: false,
});

const columnOf = (column: string | Column): Reading => (typeof column === 'string' ? {} : column);

const answerShape = objectShape([
  ['status', { type: 'integer' }],
  ['headers', { type: 'object' }],
  ['body', {}],
]);

/** The value of a request is its answer, that of a list of steps what those with an id have read; null where they were not come to. */
const branchShape = (branch: Branch, workflows?: WorkflowDefinition['workflows']): ValueSchema =>
  hasOwnPage(branch)
    ? objectShape(
        [...walkNodes(branch)].flatMap(({ node, path }) => {
          const shape = node.id === undefined ? null : nodeValueType(node, workflows);
          if (node.id === undefined || !shape) return [];
          const mayBeLeftOut = path.length > 1 || node.when !== undefined;
          return [[node.id, mayBeLeftOut ? { anyOf: [shape, { type: 'null' }] } : shape]];
        }),
      )
    : answerShape;

/** The schema of what a step or block gives, or null when it gives nothing. @param workflows what it may call */
export function nodeValueType(node: WorkflowNode, workflows?: WorkflowDefinition['workflows']): ValueSchema | null {
  if (!isBlock(node)) return stepValueType(node, workflows);
  if (node.action === 'call') return workflows?.[node.workflow]?.outputSchema ?? {};
  return 'collect' in node && node.collect !== undefined ? { type: 'array' } : null;
}

/** The schema of what a step reads, or null for a step that reads nothing. @param workflows what its branches may call */
export function stepValueType(step: Step, workflows?: WorkflowDefinition['workflows']): ValueSchema | null {
  if (step.action === 'observe') return { type: 'string' };
  if (step.action === 'clipboard') return step.text === undefined ? { type: 'string' } : null;
  if (step.action === 'lookFor') return { type: 'boolean' };
  if (step.action === 'http') return answerShape;
  if (step.action === 'parallel')
    return objectShape(Object.entries(step.branches).map(([name, branch]) => [name, branchShape(branch, workflows)]));
  if (step.action === 'goal') return step.outputs ?? { anyOf: [{ type: 'string' }, { type: 'null' }] };
  if (step.action === 'saveProfile')
    return objectShape([
      ['name', { type: 'string' }],
      ['version', { type: 'integer' }],
      ['size', { type: 'integer' }],
    ]);
  if (step.action === 'download') {
    return objectShape([
      ['name', { type: 'string' }],
      ['contentType', { type: 'string' }],
      ['size', { type: 'integer' }],
    ]);
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
 * Why a path cannot lead anywhere in a value of this schema, or null when it may. Where properties are declared, a
 * template names only those.
 */
export function typeMismatch(schema: ValueSchema, path: readonly string[]): string | null {
  const [key, ...rest] = path;
  if (key === undefined || schema.anyOf || schema.type === undefined) return null;
  if (schema.type === 'array') {
    if (!/^[0-9]+$/.test(key)) return `"${key}" is no index; elements of a list count from 0`;
    return schema.items ? typeMismatch(schema.items, rest) : null;
  }
  if (schema.type !== 'object') return `there is no "${key}" in a value of type ${schema.type}`;
  const property = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (property) return typeMismatch(property, rest);
  if (schema.properties === undefined || schema.additionalProperties) return null;
  return `there is no "${key}"; there are: ${Object.keys(schema.properties).join(', ')}`;
}
