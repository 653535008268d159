import { Button, Select } from '@pilothouse/ui-kit';
import { Crosshair } from 'lucide-react';
import { defaultValueOf, fieldsIn, fits, type Control, type FormField } from './action-forms.ts';
import { FieldGroup, labelOf, PlainField, YamlField, type ControlProps, type StepFields } from './basic-fields.tsx';
import type { Path } from '../../workflow-document/yaml-path.ts';

/** The set and required fields of an object, and a menu that adds the others. */
export function FieldList({
  fields,
  value,
  path,
  skip = [],
  ...step
}: StepFields & {
  fields: readonly FormField[];
  value: Readonly<Record<string, unknown>>;
  path: Path;
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
          path={[...path, field.name]}
        />
      ))}
      {unknownNames.map((name) => (
        <FieldControl
          key={name}
          {...step}
          field={{ name }}
          control={{ kind: 'yaml' }}
          value={value[name]}
          path={[...path, name]}
        />
      ))}
      {addable.length > 0 && (
        <Select
          aria-label={path.length === 0 ? 'Add field' : `Add field to ${path.join(' ')}`}
          value=""
          onChange={({ target }) => {
            const field = addable.find(({ name }) => name === target.value);
            if (field) step.onSet([...path, field.name], defaultValueOf(field.control));
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

function FieldControl({ field, control, value, path, ...step }: ControlProps) {
  const props = { ...step, field, value, path };
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
  const { field, path, onSet } = props;
  if (!Array.isArray(value)) {
    const add = () => onSet(path, [value, defaultValueOf(control.item)]);
    return (
      <>
        <FieldControl {...props} control={control.item} value={value} />
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
      {value.map((item: unknown, index) => (
        <FieldControl
          key={index}
          {...props}
          field={{ name: `${index + 1}.`, ...(value.length === 1 && { required: true as const }) }}
          control={control.item}
          value={item}
          path={[...path, index]}
        />
      ))}
      <span className="flex flex-wrap gap-1">
        <PickField {...props} control={control} />
        <Button variant="quiet" onClick={() => onSet([...path, value.length], defaultValueOf(control.item))}>
          Add item to {field.name}
        </Button>
      </span>
    </FieldGroup>
  );
}

/** Picks a target on the live page. */
const PickField = ({
  control,
  path,
  onPick,
}: Pick<ControlProps, 'path' | 'onPick'> & { control: Extract<Control, { kind: 'one-or-many' }> }) =>
  onPick && control.item.kind === 'shape' && control.item.shape === 'Locator' ? (
    <Button variant="quiet" onClick={() => onPick(path)}>
      <Crosshair aria-hidden="true" /> Pick element for {labelOf(path)}
    </Button>
  ) : null;

function UnionField({ control, value, ...props }: ControlProps & { control: Extract<Control, { kind: 'union' }> }) {
  const { field, path, onSet } = props;
  const selected = Math.max(
    0,
    control.controls.findIndex((candidate) => fits(candidate, value)),
  );
  const optionLabel = (optionControl: Control) =>
    optionControl.kind === 'shape' ? optionControl.shape.toLowerCase() : 'expression';
  return (
    <div className="grid gap-1">
      <FieldControl {...props} control={control.controls[selected] ?? { kind: 'yaml' }} value={value} />
      <Select
        aria-label={`Type of ${labelOf(path)}`}
        value={selected}
        onChange={({ target }) =>
          onSet(path, defaultValueOf(control.controls[Number(target.value)] ?? { kind: 'yaml' }))
        }
        className="w-auto! justify-self-start text-muted"
      >
        {control.controls.map((optionControl, index) => (
          <option key={index} value={index}>
            {field.name}: {optionLabel(optionControl)}
          </option>
        ))}
      </Select>
    </div>
  );
}
