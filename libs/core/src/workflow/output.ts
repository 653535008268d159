import { PilothouseError, type Json, type WorkflowDefinition } from '@pilothouse/contract';
import { renderTemplates, type TemplateScope } from './render.ts';
import { checkValue } from './value-check.ts';

/**
 * The result of a run: `output` with its templates replaced; null where the workflow has none.
 * @throws PilothouseError TEMPLATE_INVALID
 */
export const resolveOutput = (definition: Pick<WorkflowDefinition, 'output'>, scope: TemplateScope): Json =>
  definition.output === undefined ? null : renderTemplates(definition.output, scope);

/**
 * Checks a result against `outputSchema`.
 * @throws PilothouseError OUTPUT_INVALID with a field problem, as a pointer into the output, for each mismatch
 */
export function checkOutput(definition: Pick<WorkflowDefinition, 'outputSchema'>, output: Json): void {
  if (definition.outputSchema === undefined) return;
  const fields = checkValue(definition.outputSchema, output);
  const [first] = fields;
  if (!first) return;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'OUTPUT_INVALID',
    `The output does not match its schema: ${first.pointer || 'the whole'} ${first.detail}${more}`,
    { fields, details: { fields } },
  );
}
