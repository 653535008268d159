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
    const given = form.get(`input.${name}`);
    if (given instanceof File) {
      if (given.size > 0) {
        const { id } = await client.upload({ name: given.name, contentType: given.type || undefined, content: given });
        values[name] = id;
      }
    } else if (given !== null && (given !== '' || (input.type === 'string' && input.default !== undefined))) {
      try {
        values[name] = inputValue(input, given);
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
  for (const [name, { secret, type, optional, default: usual }] of Object.entries(inputs)) {
    if (name in values || secret || type === 'file') continue;
    if (usual !== undefined) values[name] = usual;
    else if (optional) values[name] = null;
  }
  return values;
}
