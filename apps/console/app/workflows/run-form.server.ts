import type { Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { captureSchema, type RunCapture } from '@pilothouse/contract/run/capture.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { inputValue } from './workflow-inputs.ts';

const part = (form: FormData, name: string) => {
  const value = form.get(`capture.${name}`);
  return typeof value === 'string' && value !== 'none' ? { [name]: value } : {};
};

/** Capture options of a form. @param previous options of the retried run: its `trace` and `turns` are kept */
export const captureOf = (form: FormData, previous?: RunCapture): RunCapture =>
  captureSchema.parse({
    ...(previous?.trace !== undefined && { trace: previous.trace }),
    ...(previous?.turns !== undefined && { turns: previous.turns }),
    screenshots: form.get('capture.screenshots') ?? undefined,
    ...part(form, 'video'),
    ...part(form, 'har'),
    ...(form.get('capture.console') === 'on' && { console: true }),
  });

/** Values of the submitted inputs. Files are uploaded first. @throws PilothouseError naming the invalid input */
export async function valuesOf(
  client: Pick<Client, 'upload'>,
  inputs: Readonly<Record<string, WorkflowInput>>,
  form: FormData,
): Promise<Record<string, Json>> {
  const values: Record<string, Json> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const secret = form.get(`secret.${name}`);
    if (typeof secret === 'string' && secret !== '') {
      values[name] = { secret };
      continue;
    }
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
