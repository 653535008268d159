import type { Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { inputValue } from './workflow-inputs.ts';

/** Values of the submitted inputs. Files are uploaded first. @throws PilothouseError naming the invalid input */
export async function valuesOf(
  client: Pick<Client, 'upload'>,
  inputs: Readonly<Record<string, WorkflowInput>>,
  form: FormData,
): Promise<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const value = form.get(`input.${name}`);
    if (value instanceof File) {
      if (value.size > 0) {
        const { id } = await client.upload({ name: value.name, contentType: value.type || undefined, content: value });
        values[name] = id;
      }
    } else if (value !== null && (value !== '' || (input.type === 'string' && input.default !== undefined))) {
      try {
        values[name] = inputValue(input, value);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        throw new PilothouseError('VALIDATION_FAILED', detail, { fields: [{ pointer: `/inputs/${name}`, detail }] });
      }
    }
  }
  return values;
}

/**
 * Input values of a retry. An empty secret or file reuses the original value; other empty inputs are removed.
 * @throws PilothouseError naming the invalid input
 */
export async function changedValuesOf(
  client: Pick<Client, 'upload'>,
  inputs: Readonly<Record<string, WorkflowInput>>,
  form: FormData,
): Promise<Record<string, Json>> {
  const values = await valuesOf(client, inputs, form);
  for (const [name, { secret, type, optional, default: defaultValue }] of Object.entries(inputs)) {
    if (name in values || secret || type === 'file') continue;
    if (defaultValue !== undefined) values[name] = defaultValue;
    else if (optional) values[name] = null;
  }
  return values;
}
