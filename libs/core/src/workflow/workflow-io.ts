import { fieldErrors } from '@pilothouse/contract/errors/field-errors';
import { type FieldError, PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { type Json, idSchema } from '@pilothouse/contract/primitives.schema';
import { secretReferenceSchema } from '@pilothouse/contract/project/project-secret.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import type { WorkflowDefinition, WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { escapePointer } from './templates.ts';
import { checkValue } from './json-schema.ts';
import { renderTemplates, type TemplateScope } from './secret-placeholders.ts';

/** Inputs of a run with defaults filled in, secrets apart. */
export interface ResolvedInputs {
  /** All inputs except secrets. Missing optional inputs are null. */
  readonly inputs: Record<string, Json>;
  /** Secret inputs that have a value. */
  readonly secrets: Record<string, string>;
  /** Name of the project secret by secret input. These inputs get their value when it is typed. */
  readonly references: Record<string, string>;
}

/** The JSON Schema of one input. */
export function inputValueSchema(input: WorkflowInput): ValueSchema {
  const { type, title, description, default: initial, optional, secret, ...rest } = input;
  return { ...rest, type: type === 'file' ? 'string' : type };
}

/** Validates the value of an input. Messages never contain the value. */
export function checkInput(input: WorkflowInput, value: Json, pointer: string): FieldError[] {
  if (input.type === 'file') {
    return idSchema.safeParse(value).success
      ? []
      : [{ pointer, detail: 'must be the id of an upload (a UUID): send the file with POST /v1/uploads first' }];
  }
  return checkValue(inputValueSchema(input), value, pointer);
}

/** True for a reference to a secret as the value of a text that is not secret. */
const isMisplacedReference = ({ type }: WorkflowInput, value: Json): boolean =>
  type === 'string' && secretReferenceSchema.safeParse(value).success;

/**
 * Resolves the inputs of a run. A secret input takes a text or `{ secret: <name> }`.
 * @throws PilothouseError VALIDATION_FAILED with a field problem, at `/inputs/<name>`, for each unknown, missing or invalid input
 */
export function resolveInputs(
  definition: Pick<WorkflowDefinition, 'inputs'>,
  values: Readonly<Record<string, Json>>,
): ResolvedInputs {
  const declarations = Object.entries(definition.inputs);
  const inputs: Record<string, Json> = {};
  const secrets: Record<string, string> = {};
  const references: Record<string, string> = {};
  const names = declarations.map(([name]) => name);
  const fields: FieldError[] = Object.keys(values)
    .filter((name) => !Object.hasOwn(definition.inputs, name))
    .map((name) => ({
      pointer: `/inputs/${escapePointer(name)}`,
      detail: `Unknown input: ${names.length === 0 ? 'the workflow has no inputs' : `use one of ${names.join(', ')}`}`,
    }));

  for (const [name, input] of declarations) {
    const pointer = `/inputs/${escapePointer(name)}`;
    const value = Object.hasOwn(values, name) ? values[name] : input.default;
    if (value === undefined || (value === null && input.optional)) {
      if (input.optional) inputs[name] = null;
      else fields.push({ pointer, detail: `This input is required${input.title ? `: ${input.title}` : ''}` });
      continue;
    }
    if (input.secret && typeof value === 'object' && value !== null) {
      const reference = secretReferenceSchema.safeParse(value);
      if (reference.success) references[name] = reference.data.secret;
      else
        fields.push(...fieldErrors(reference.error).map((field) => ({ ...field, pointer: pointer + field.pointer })));
      continue;
    }
    const problems = isMisplacedReference(input, value)
      ? [{ pointer, detail: 'Only an input with `secret: true` takes a secret of the project: add it to the workflow' }]
      : checkInput(input, value, pointer);
    fields.push(...problems);
    if (problems.length > 0) continue;
    if (input.secret && typeof value === 'string') secrets[name] = value;
    else inputs[name] = value;
  }
  if (fields.length === 0) return { inputs, secrets, references };
  const [first] = fields;
  const suffix = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'VALIDATION_FAILED',
    `The inputs are invalid at ${first?.pointer ?? ''}: ${first?.detail ?? ''}${suffix}`,
    { fields },
  );
}

/**
 * Renders the `output` of a run; null: the workflow has none.
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
  const suffix = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  throw new PilothouseError(
    'OUTPUT_INVALID',
    `The output does not match its schema: ${first.pointer || 'the value'} ${first.detail}${suffix}`,
    { fields, details: { fields } },
  );
}
