import { locatorKinds, workflowDefinitionSchema } from '@pilothouse/contract';
import { z } from 'zod';

type Node = z.core.JSONSchema.BaseSchema;

/** What zod's refinements say and JSON Schema has to be told again, by the id of the schema. */
const more: Record<string, Node> = {
  Locator: { oneOf: locatorKinds.map((kind) => ({ required: [kind] })), dependentRequired: { name: ['role'] } },
  Condition: { minProperties: 1 },
  JsonSource: { oneOf: ['linkedData', 'script', 'response'].map((part) => ({ required: [part] })) },
};

const oneOf = (...parts: string[]): Node => ({ oneOf: parts.map((part) => ({ required: [part] })) });

const extractParts: Node = { allOf: [oneOf('target', 'json'), oneOf('value', 'list', 'table')] };

/** Tells a schema what it lacks for editors: refinements, and for each action the words of its name. */
function enrich(node: Node): void {
  if (node.id && more[node.id]) Object.assign(node, more[node.id]);
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  const action = node.properties?.['action'];
  if (typeof action !== 'object' || action.const === undefined) return;
  Object.assign(node, { title: action.const, description: action.description });
  if (action.const === 'extract') Object.assign(node, extractParts);
}

/**
 * The JSON Schema (draft 2020-12) of a workflow file, for editors: it completes the actions and their fields and explains them.
 * What only the whole tells (templates, unique ids) is checked by `parseWorkflow`.
 */
export function workflowJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(workflowDefinitionSchema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => enrich(jsonSchema),
  });
  const { $schema, ...rest } = schema;
  return { $schema, $id: 'urn:pilothouse:schema:workflow', title: 'Pilothouse workflow', ...rest };
}
