import type { Json, WorkflowInput } from '@pilothouse/contract';
import { Field, FileInput, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { textOfValue } from './workflow-inputs.ts';

export interface InputFieldProps {
  name: string;
  schema: WorkflowInput;
  error: string | undefined;
  /** What another run was given: a secret one and a file are kept unless something else is given. */
  before?: Json;
}

/** The control for an input of a workflow, by its schema. Its name in the form is `input.<name>`. */
export function InputField({ name, schema, error, before }: InputFieldProps) {
  const isKept = before !== undefined && before !== null && (schema.secret === true || schema.type === 'file');
  const required = schema.default === undefined && !schema.optional && !isKept;
  const value = before === undefined ? schema.default : before;
  const field = { name: `input.${name}`, required, defaultValue: isKept ? '' : textOfValue(value) };
  const hint = [schema.description, isKept && 'Left empty, it is as before.'].filter(Boolean).join(' ');
  return (
    <Field label={`${schema.title ?? name}${required ? '' : ' (optional)'}`} hint={hint} error={error}>
      {(given) => {
        if (schema.enum) {
          return (
            <Select {...given} {...field}>
              {!required && <option value="" />}
              {schema.enum.map((value) => (
                <option key={String(value)}>{String(value)}</option>
              ))}
            </Select>
          );
        }
        if (schema.type === 'boolean') {
          return (
            <Select {...given} {...field}>
              {schema.optional && <option value="" />}
              <option value="false">No</option>
              <option value="true">Yes</option>
            </Select>
          );
        }
        if (schema.type === 'file') return <FileInput {...given} name={field.name} required={required} />;
        if (schema.type === 'array' || schema.type === 'object')
          return <TextArea {...given} {...field} rows={3} className="font-mono" />;
        const type = schema.secret ? 'password' : schema.type === 'string' ? 'text' : 'number';
        return (
          <Input
            {...given}
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
