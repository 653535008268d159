import { readYaml } from '@pilothouse/core/workflow/parse-yaml';
import { Button, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { X } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { keyOf, type Path } from '../../workflow-document/yaml-path.ts';
import type { Control, FormField, Forms } from './action-forms.ts';

/** Description from the contract. Text in backticks is shown as code. */
export const Help = ({ text }: { text: string }) => (
  <>
    {text.split('`').map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        <code key={index} className="font-mono">
          {part}
        </code>
      ),
    )}
  </>
);

/** Context of a step's fields. Paths are relative to the step. */
export interface StepFields {
  forms: Forms;
  /** @param value undefined removes the field */
  onSet: (field: Path, value: unknown) => void;
  /** Error message by field path, written as a JSON pointer. */
  errors: ReadonlyMap<string, string>;
  /** Picks an element on a live page for a field. Omitted: no page is available. */
  onPick?: ((field: Path) => void) | undefined;
}

export interface ControlProps extends StepFields {
  field: Pick<FormField, 'name' | 'help'> & { required?: true };
  control: Control;
  value: unknown;
  path: Path;
}

export const labelOf = (path: Path) => path.map((part) => (typeof part === 'number' ? part + 1 : part)).join(' ');

/** Removes an optional field. */
const RemoveButton = ({ field, path, onSet }: Pick<ControlProps, 'field' | 'path' | 'onSet'>) =>
  field.required ? null : (
    <Button
      variant="quiet"
      icon
      aria-label={`Remove ${labelOf(path)}`}
      title="Remove"
      onClick={() => onSet(path, undefined)}
    >
      <X aria-hidden="true" />
    </Button>
  );

/** Frame around a field that consists of several controls. */
export function FieldGroup({
  children,
  ...props
}: Pick<ControlProps, 'field' | 'path' | 'onSet' | 'errors'> & { children: ReactNode }) {
  const { field, path, errors } = props;
  const error = errors.get(keyOf(path));
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-md border border-line p-3 pt-1">
      <legend className="flex items-center gap-1 px-1 text-sm font-medium">
        {field.name} <RemoveButton {...props} />
      </legend>
      {field.help && (
        <p className="text-xs text-muted">
          <Help text={field.help} />
        </p>
      )}
      {error && <p className="text-xs text-bad">{error}</p>}
      {children}
    </fieldset>
  );
}

/** Control for a text, number, flag or choice. */
export function PlainField({ control, value, ...props }: ControlProps) {
  const { field, path, onSet, errors } = props;
  const text = value === undefined ? '' : String(value as string | number | boolean);
  return (
    <Field label={field.name} hint={field.help && <Help text={field.help} />} error={errors.get(keyOf(path))}>
      {(controlProps) => {
        const common = { ...controlProps, 'aria-label': labelOf(path), className: 'font-mono' };
        return (
          <div className="flex gap-1">
            {control.kind === 'choice' || control.kind === 'flag' ? (
              <Select
                {...common}
                value={text}
                onChange={({ target }) => onSet(path, control.kind === 'flag' ? target.value === 'true' : target.value)}
              >
                {value === undefined && <option value="" />}
                {(control.kind === 'flag' ? ['true', 'false'] : control.options).map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </Select>
            ) : control.kind === 'number' ? (
              <NumberInput {...common} value={value as number | undefined} onNumber={(number) => onSet(path, number)} />
            ) : control.kind === 'text' && (control.long || text.includes('\n')) ? (
              <TextArea {...common} rows={2} value={text} onChange={({ target }) => onSet(path, target.value)} />
            ) : (
              <Input {...common} value={text} autoComplete="off" onChange={({ target }) => onSet(path, target.value)} />
            )}
            <RemoveButton {...props} />
          </div>
        );
      }}
    </Field>
  );
}

/** Keeps an incomplete number such as `1.` in the field until it is valid. */
function NumberInput({
  value,
  onNumber,
  ...rest
}: { value: number | undefined; onNumber: (value: number) => void } & Omit<Parameters<typeof Input>[0], 'value'>) {
  const [text, setText] = useState(value === undefined ? '' : String(value));
  useEffect(() => {
    if (value !== undefined) setText((now) => (Number(now) === value && now !== '' ? now : String(value)));
  }, [value]);
  return (
    <Input
      {...rest}
      inputMode="decimal"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const number = Number(target.value);
        if (target.value.trim() !== '' && Number.isFinite(number)) onNumber(number);
      }}
    />
  );
}

/** Edits any value as YAML. Valid YAML is applied at once. */
export function YamlField({ value, ...props }: ControlProps) {
  const { field, path, onSet, errors } = props;
  const yaml = value === undefined ? '' : stringify(value).trimEnd();
  const [text, setText] = useState(yaml);
  const [parseError, setParseError] = useState<string>();
  useEffect(() => {
    setText((now) => (isSameYaml(now, yaml) ? now : yaml));
  }, [yaml]);
  return (
    <Field
      label={field.name}
      hint={field.help && <Help text={field.help} />}
      error={parseError ?? errors.get(keyOf(path))}
    >
      {(controlProps) => (
        <div className="flex gap-1">
          <TextArea
            {...controlProps}
            aria-label={`${labelOf(path)} (YAML)`}
            rows={Math.min(8, text.split('\n').length + 1)}
            spellCheck={false}
            className="font-mono"
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              try {
                const parsed: unknown = readYaml(target.value)?.value ?? null;
                setParseError(undefined);
                onSet(path, parsed);
              } catch {
                setParseError('Invalid YAML');
              }
            }}
          />
          <RemoveButton {...props} />
        </div>
      )}
    </Field>
  );
}

/** True if both texts have the same YAML value, or if one of them is incomplete. */
function isSameYaml(text: string, otherText: string): boolean {
  try {
    return stringify(readYaml(text)?.value) === stringify(readYaml(otherText)?.value);
  } catch {
    return true;
  }
}
