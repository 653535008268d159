import type { Json } from '@pilothouse/contract/primitives.schema';
import type { WorkflowInput } from '@pilothouse/contract/workflow/workflow.schema';
import { referencedSecret } from '@pilothouse/core/workflow/secret-reference';
import { Field, FileInput, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { SecretInputField } from './secret-input-field.tsx';
import { textOfValue } from './workflow-inputs.ts';

export interface InputFieldProps {
  name: string;
  schema: WorkflowInput;
  error: string | undefined;
  /** Value in the retried run. Secrets and files are reused if the field is empty. */
  previous?: Json;
}

/** Control for an input, by its schema. The form field is `input.<name>`. */
export function InputField({ name, schema, error, previous }: InputFieldProps) {
  const keepsPreviousValue =
    previous !== undefined && previous !== null && (schema.secret === true || schema.type === 'file');
  const required = schema.default === undefined && !schema.optional && !keepsPreviousValue;
  const value = previous === undefined ? schema.default : previous;
  const field = { name: `input.${name}`, required, defaultValue: keepsPreviousValue ? '' : textOfValue(value) };
  const secret = referencedSecret(previous);
  const previousText = secret === null ? 'the previous value' : `the secret ${secret}`;
  const hint = [schema.description, keepsPreviousValue && `Leave blank to keep ${previousText}.`]
    .filter(Boolean)
    .join(' ');
  const label = `${schema.title ?? name}${required ? '' : ' (optional)'}`;
  if (schema.secret && !schema.enum) return <SecretInputField {...{ name, label, hint, error, required }} />;
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => {
        if (schema.enum) {
          return (
            <Select {...controlProps} {...field}>
              {!required && <option value="" />}
              {schema.enum.map((value) => (
                <option key={String(value)}>{String(value)}</option>
              ))}
            </Select>
          );
        }
        if (schema.type === 'boolean') {
          return (
            <Select {...controlProps} {...field}>
              {schema.optional && <option value="" />}
              <option value="false">No</option>
              <option value="true">Yes</option>
            </Select>
          );
        }
        if (schema.type === 'file') return <FileInput {...controlProps} name={field.name} required={required} />;
        if (schema.type === 'array' || schema.type === 'object')
          return <TextArea {...controlProps} {...field} rows={3} className="font-mono" />;
        const type = schema.type === 'string' ? 'text' : 'number';
        return (
          <Input
            {...controlProps}
            {...field}
            type={type}
            step={schema.type === 'number' ? 'any' : undefined}
            autoComplete="off"
          />
        );
      }}
    </Field>
  );
}
