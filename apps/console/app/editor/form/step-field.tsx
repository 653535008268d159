import { Button, Field, Input, Select, TextArea } from '@pilothouse/ui-kit';
import { Crosshair, X } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { readYaml } from '@pilothouse/core/yaml';
import { stringify } from 'yaml';
import { defaultValueOf, fieldsIn, fits, type Control, type FormField, type Forms } from './action-forms.ts';
import { keyOf, type Path } from '../document/yaml-path.ts';
import { Help } from './field-help.tsx';

/** What the fields of a step need to know of it. Paths count from the step. */
export interface StepFields {
  forms: Forms;
  /** @param value undefined takes the field away */
  onSet: (field: Path, value: unknown) => void;
  /** What is wrong at a place, by its path as a text. */
  wrong: ReadonlyMap<string, string>;
  /** Has an element picked for a field; left out: there is nothing to pick from. */
  onPick?: ((field: Path) => void) | undefined;
}

interface ControlProps extends StepFields {
  field: Pick<FormField, 'name' | 'help'> & { required?: true };
  control: Control;
  value: unknown;
  at: Path;
}

/** The fields of an object that are set or have to be, and a way to the others. */
export function FieldList({
  fields,
  value,
  at,
  skip = [],
  ...step
}: StepFields & {
  fields: readonly FormField[];
  value: Readonly<Record<string, unknown>>;
  at: Path;
  skip?: readonly string[];
}) {
  const known = new Set(fields.map(({ name }) => name));
  const shown = fields.filter(({ name, required }) => required || value[name] !== undefined);
  const unknown = Object.keys(value).filter((name) => !known.has(name) && !skip.includes(name));
  const others = fields.filter((field) => !shown.includes(field));
  return (
    <>
      {shown.map((field) => (
        <FieldControl
          key={field.name}
          {...step}
          field={field}
          control={field.control}
          value={value[field.name]}
          at={[...at, field.name]}
        />
      ))}
      {unknown.map((name) => (
        <FieldControl
          key={name}
          {...step}
          field={{ name }}
          control={{ kind: 'yaml' }}
          value={value[name]}
          at={[...at, name]}
        />
      ))}
      {others.length > 0 && (
        <Select
          aria-label={at.length === 0 ? 'Add a field' : `Add a field to ${at.join(' ')}`}
          value=""
          onChange={({ target }) => {
            const field = others.find(({ name }) => name === target.value);
            if (field) step.onSet([...at, field.name], defaultValueOf(field.control));
          }}
          className="w-auto! max-w-full justify-self-start text-muted"
        >
          <option value="">Add a field…</option>
          {others.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </>
  );
}

function FieldControl({ field, control, value, at, ...step }: ControlProps) {
  const props = { ...step, field, value, at };
  if (value !== undefined && !fits(control, value)) return <YamlField {...props} control={control} />;
  switch (control.kind) {
    case 'shape':
      return <ShapeField {...props} control={control} />;
    case 'some':
      return <OneOrManyField {...props} control={control} />;
    case 'either':
      return <UnionField {...props} control={control} />;
    case 'yaml':
      return <YamlField {...props} control={control} />;
    case 'steps':
      return (
        <FieldGroup {...props}>
          <p className="text-xs text-muted">Its steps are in the graph.</p>
        </FieldGroup>
      );
    default:
      return <PlainField {...props} control={control} />;
  }
}

const labelOf = (at: Path) => at.map((part) => (typeof part === 'number' ? part + 1 : part)).join(' ');

/** A way to take a field away that does not have to be there. */
const Remove = ({ field, at, onSet }: Pick<ControlProps, 'field' | 'at' | 'onSet'>) =>
  field.required ? null : (
    <Button look="quiet" icon aria-label={`Remove ${labelOf(at)}`} title="Remove" onClick={() => onSet(at, undefined)}>
      <X aria-hidden="true" />
    </Button>
  );

/** Something that is made of several controls. */
function FieldGroup({
  children,
  ...props
}: Pick<ControlProps, 'field' | 'at' | 'onSet' | 'wrong'> & { children: ReactNode }) {
  const { field, at, wrong } = props;
  const error = wrong.get(keyOf(at));
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-md border border-line p-3 pt-1">
      <legend className="flex items-center gap-1 px-1 text-sm font-medium">
        {field.name} <Remove {...props} />
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

/** A text, a number, a yes or no, or one of several words. */
function PlainField({ control, value, ...props }: ControlProps) {
  const { field, at, onSet, wrong } = props;
  const shown = value === undefined ? '' : String(value as string | number | boolean);
  return (
    <Field label={field.name} hint={field.help && <Help text={field.help} />} error={wrong.get(keyOf(at))}>
      {(given) => {
        const common = { ...given, 'aria-label': labelOf(at), className: 'font-mono' };
        return (
          <div className="flex gap-1">
            {control.kind === 'choice' || control.kind === 'flag' ? (
              <Select
                {...common}
                value={shown}
                onChange={({ target }) => onSet(at, control.kind === 'flag' ? target.value === 'true' : target.value)}
              >
                {value === undefined && <option value="" />}
                {(control.kind === 'flag' ? ['true', 'false'] : control.options).map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </Select>
            ) : control.kind === 'number' ? (
              <NumberInput {...common} value={value as number | undefined} onNumber={(number) => onSet(at, number)} />
            ) : control.kind === 'text' && (control.long || shown.includes('\n')) ? (
              <TextArea {...common} rows={2} value={shown} onChange={({ target }) => onSet(at, target.value)} />
            ) : (
              <Input {...common} value={shown} autoComplete="off" onChange={({ target }) => onSet(at, target.value)} />
            )}
            <Remove {...props} />
          </div>
        );
      }}
    </Field>
  );
}

/** Half a number, such as `1.`, stays in the field until it is one. */
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

function ShapeField({ control, value, ...props }: ControlProps & { control: Extract<Control, { kind: 'shape' }> }) {
  const { field, ...step } = props;
  return (
    <FieldGroup {...props}>
      <FieldList
        {...step}
        fields={fieldsIn(step.forms, step.forms.shapes[control.shape])}
        value={(value ?? {}) as Record<string, unknown>}
      />
    </FieldGroup>
  );
}

function OneOrManyField({ control, value, ...props }: ControlProps & { control: Extract<Control, { kind: 'some' }> }) {
  const { field, at, onSet } = props;
  if (!Array.isArray(value)) {
    const add = () => onSet(at, [value, defaultValueOf(control.of)]);
    return (
      <>
        <FieldControl {...props} control={control.of} value={value} />
        <span className="-mt-2 flex flex-wrap gap-1">
          <PickField {...props} control={control} />
          {value !== undefined && (
            <Button look="quiet" onClick={add}>
              Add another {field.name}
            </Button>
          )}
        </span>
      </>
    );
  }
  return (
    <FieldGroup {...props}>
      {value.map((one: unknown, index) => (
        <FieldControl
          key={index}
          {...props}
          field={{ name: `${index + 1}.`, ...(value.length === 1 && { required: true as const }) }}
          control={control.of}
          value={one}
          at={[...at, index]}
        />
      ))}
      <span className="flex flex-wrap gap-1">
        <PickField {...props} control={control} />
        <Button look="quiet" onClick={() => onSet([...at, value.length], defaultValueOf(control.of))}>
          Add another {field.name}
        </Button>
      </span>
    </FieldGroup>
  );
}

/** A way to point at what a target means. */
const PickField = ({
  control,
  at,
  onPick,
}: Pick<ControlProps, 'at' | 'onPick'> & { control: Extract<Control, { kind: 'some' }> }) =>
  onPick && control.of.kind === 'shape' && control.of.shape === 'Locator' ? (
    <Button look="quiet" onClick={() => onPick(at)}>
      <Crosshair aria-hidden="true" /> Pick {labelOf(at)} on the page
    </Button>
  ) : null;

function UnionField({ control, value, ...props }: ControlProps & { control: Extract<Control, { kind: 'either' }> }) {
  const { field, at, onSet } = props;
  const chosen = Math.max(
    0,
    control.of.findIndex((one) => fits(one, value)),
  );
  const words = (one: Control) => (one.kind === 'shape' ? one.shape.toLowerCase() : 'expression');
  return (
    <div className="grid gap-1">
      <FieldControl {...props} control={control.of[chosen] ?? { kind: 'yaml' }} value={value} />
      <Select
        aria-label={`How ${labelOf(at)} is said`}
        value={chosen}
        onChange={({ target }) => onSet(at, defaultValueOf(control.of[Number(target.value)] ?? { kind: 'yaml' }))}
        className="w-auto! justify-self-start text-muted"
      >
        {control.of.map((one, index) => (
          <option key={index} value={index}>
            {field.name} as {words(one)}
          </option>
        ))}
      </Select>
    </div>
  );
}

/** Whatever has no control of its own, as YAML: it is taken over whenever it can be read. */
function YamlField({ value, ...props }: ControlProps) {
  const { field, at, onSet, wrong } = props;
  const written = value === undefined ? '' : stringify(value).trimEnd();
  const [text, setText] = useState(written);
  const [unread, setUnread] = useState<string>();
  useEffect(() => {
    setText((now) => (same(now, written) ? now : written));
  }, [written]);
  return (
    <Field label={field.name} hint={field.help && <Help text={field.help} />} error={unread ?? wrong.get(keyOf(at))}>
      {(given) => (
        <div className="flex gap-1">
          <TextArea
            {...given}
            aria-label={`${labelOf(at)}, in YAML`}
            rows={Math.min(8, text.split('\n').length + 1)}
            spellCheck={false}
            className="font-mono"
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              try {
                const read: unknown = readYaml(target.value)?.value ?? null;
                setUnread(undefined);
                onSet(at, read);
              } catch {
                setUnread('This is no YAML yet');
              }
            }}
          />
          <Remove {...props} />
        </div>
      )}
    </Field>
  );
}

/** Whether two texts say the same. */
function same(text: string, other: string): boolean {
  try {
    return stringify(readYaml(text)?.value) === stringify(readYaml(other)?.value);
  } catch {
    // Half a value is being written.
    return true;
  }
}
