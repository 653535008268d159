import type { Client } from '@pilothouse/client';
import { PilothouseError, type Json, type WorkflowInput } from '@pilothouse/contract';
import { inputValue } from './workflow-inputs.ts';

/** Values of the inputs that were given; a file is sent first. @throws PilothouseError naming the input that is wrong */
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
 * Values for a run that is to be as another one. A secret or a file that was left empty stays as it was; what else was emptied is given no
 * more. @throws PilothouseError naming the input that is wrong
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
