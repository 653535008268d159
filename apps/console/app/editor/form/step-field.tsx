import { Button, Select } from '@pilothouse/ui-kit';
import { Crosshair } from 'lucide-react';
import { defaultValueOf, fieldsIn, fits, type Control, type FormField } from './action-forms.ts';
import { FieldGroup, labelOf, PlainField, YamlField, type ControlProps, type StepFields } from './basic-fields.tsx';
import type { Path } from '../../workflow-document/yaml-path.ts';

/** The set and required fields of an object, and a menu that adds the others. */
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
  const fieldNames = new Set(fields.map(({ name }) => name));
  const visibleFields = fields.filter(({ name, required }) => required || value[name] !== undefined);
  const unknownNames = Object.keys(value).filter((name) => !fieldNames.has(name) && !skip.includes(name));
  const addable = fields.filter((field) => !visibleFields.includes(field));
  return (
    <>
      {visibleFields.map((field) => (
        <FieldControl
          key={field.name}
          {...step}
          field={field}
          control={field.control}
          value={value[field.name]}
          at={[...at, field.name]}
        />
      ))}
      {unknownNames.map((name) => (
        <FieldControl
          key={name}
          {...step}
          field={{ name }}
          control={{ kind: 'yaml' }}
          value={value[name]}
          at={[...at, name]}
        />
      ))}
      {addable.length > 0 && (
        <Select
          aria-label={at.length === 0 ? 'Add field' : `Add field to ${at.join(' ')}`}
          value=""
          onChange={({ target }) => {
            const field = addable.find(({ name }) => name === target.value);
            if (field) step.onSet([...at, field.name], defaultValueOf(field.control));
          }}
          className="w-auto! max-w-full justify-self-start text-muted"
        >
          <option value="">Add field…</option>
          {addable.map(({ name }) => (
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
    case 'one-or-many':
      return <OneOrMoreField {...props} control={control} />;
    case 'union':
      return <UnionField {...props} control={control} />;
    case 'yaml':
      return <YamlField {...props} control={control} />;
    case 'steps':
      return (
        <FieldGroup {...props}>
          <p className="text-xs text-muted">Edit its steps in the graph.</p>
        </FieldGroup>
      );
    default:
      return <PlainField {...props} control={control} />;
  }
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

function OneOrMoreField({
  control,
  value,
  ...props
}: ControlProps & { control: Extract<Control, { kind: 'one-or-many' }> }) {
  const { field, at, onSet } = props;
  if (!Array.isArray(value)) {
    const add = () => onSet(at, [value, defaultValueOf(control.of)]);
    return (
      <>
        <FieldControl {...props} control={control.of} value={value} />
        <span className="-mt-2 flex flex-wrap gap-1">
          <PickField {...props} control={control} />
          {value !== undefined && (
            <Button variant="quiet" onClick={add}>
              Add item to {field.name}
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
        <Button variant="quiet" onClick={() => onSet([...at, value.length], defaultValueOf(control.of))}>
          Add item to {field.name}
        </Button>
      </span>
    </FieldGroup>
  );
}

/** Picks a target on the live page. */
const PickField = ({
  control,
  at,
  onPick,
}: Pick<ControlProps, 'at' | 'onPick'> & { control: Extract<Control, { kind: 'one-or-many' }> }) =>
  onPick && control.of.kind === 'shape' && control.of.shape === 'Locator' ? (
    <Button variant="quiet" onClick={() => onPick(at)}>
      <Crosshair aria-hidden="true" /> Pick element for {labelOf(at)}
    </Button>
  ) : null;

function UnionField({ control, value, ...props }: ControlProps & { control: Extract<Control, { kind: 'union' }> }) {
  const { field, at, onSet } = props;
  const selected = Math.max(
    0,
    control.of.findIndex((one) => fits(one, value)),
  );
  const optionLabel = (one: Control) => (one.kind === 'shape' ? one.shape.toLowerCase() : 'expression');
  return (
    <div className="grid gap-1">
      <FieldControl {...props} control={control.of[selected] ?? { kind: 'yaml' }} value={value} />
      <Select
        aria-label={`Type of ${labelOf(at)}`}
        value={selected}
        onChange={({ target }) => onSet(at, defaultValueOf(control.of[Number(target.value)] ?? { kind: 'yaml' }))}
        className="w-auto! justify-self-start text-muted"
      >
        {control.of.map((one, index) => (
          <option key={index} value={index}>
            {field.name}: {optionLabel(one)}
          </option>
        ))}
      </Select>
    </div>
  );
}
