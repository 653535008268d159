import type { Column, Field, Step, ValueSchema } from '@pilothouse/contract';

type Reading = Pick<Field, 'type' | 'optional'>;

function fieldShape({ type, optional }: Reading): ValueSchema {
  const shape: ValueSchema = type === 'date' ? { type: 'string', format: 'date' } : { type: type ?? 'string' };
  return optional ? { anyOf: [shape, { type: 'null' }] } : shape;
}

const isField = (list: NonNullable<Extract<Step, { action: 'extract' }>['list']>): list is Field =>
  Object.values(list).every((part) => typeof part !== 'object');

const objectShape = (entries: [string, ValueSchema][]): ValueSchema => ({
  type: 'object',
  properties: Object.fromEntries(entries),
  required: entries.map(([name]) => name),
  additionalProperties: false,
});

const columnOf = (column: string | Column): Reading => (typeof column === 'string' ? {} : column);

/** The schema of what a step reads, or null for a step that reads nothing. */
export function stepShape(step: Step): ValueSchema | null {
  if (step.action !== 'extract') return null;
  if (step.value) return fieldShape(step.value);
  if (step.list) {
    const items = isField(step.list)
      ? fieldShape(step.list)
      : objectShape(Object.entries(step.list).map(([name, field]) => [name, fieldShape(field)]));
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
export function misfit(schema: ValueSchema, path: readonly string[]): string | null {
  const [key, ...rest] = path;
  if (key === undefined || schema.anyOf || schema.type === undefined) return null;
  if (schema.type === 'array') {
    if (!/^[0-9]+$/.test(key)) return `"${key}" is no index; elements of a list count from 0`;
    return schema.items ? misfit(schema.items, rest) : null;
  }
  if (schema.type !== 'object') return `there is no "${key}" in a value of type ${schema.type}`;
  const property = schema.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (property) return misfit(property, rest);
  if (schema.properties === undefined || schema.additionalProperties) return null;
  return `there is no "${key}"; there are: ${Object.keys(schema.properties).join(', ')}`;
}
