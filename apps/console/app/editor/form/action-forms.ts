import { surfaceTraits } from '@pilothouse/core/surface/surface-traits';
import type { JsonSchema } from '@pilothouse/core/workflow/json-schema';

/** Control of a field. */
export type Control =
  | { kind: 'text'; long?: true }
  | { kind: 'number' }
  | { kind: 'flag' }
  | { kind: 'choice'; options: readonly string[] }
  /** An object, by the name of its fields in `shapes`. */
  | { kind: 'shape'; shape: string }
  /** One value or a list of values. */
  | { kind: 'one-or-many'; item: Control }
  /** One of several controls, selected by the kind of the value. */
  | { kind: 'union'; controls: readonly Control[] }
  /** Steps, which only the graph edits. */
  | { kind: 'steps' }
  /** Any other value, edited as YAML. */
  | { kind: 'yaml' };

export interface FormField {
  name: string;
  help?: string;
  control: Control;
  required?: true;
}

interface ActionForm {
  help: string;
  fields: readonly number[];
  /** Surfaces that carry it out; left out: browser and desktop. */
  surfaces?: readonly string[];
}

/** Forms of all actions. `fields` are indices, so that common fields are stored once. */
export interface Forms {
  fields: readonly FormField[];
  actions: Readonly<Record<string, ActionForm>>;
  shapes: Readonly<Record<string, readonly number[]>>;
}

/** Texts with a higher maximum length get a multi-line control. */
const LONG_TEXT = 5000;

/** Surfaces of most actions. */
const COMMON_SURFACES = Object.keys(surfaceTraits);

/**
 * Derives forms from the JSON Schema of a workflow.
 * @param schema result of `workflowJsonSchema`
 * @param surfacesOf surfaces that carry out an action
 */
export function formsOf({ $defs: defs = {} }: JsonSchema, surfacesOf: (action: string) => readonly string[]): Forms {
  const table = new Map<string, number>();
  const fields: FormField[] = [];
  const shapes: Record<string, readonly number[]> = {};

  const nameOf = ({ $ref }: JsonSchema) => $ref?.split('/').at(-1);
  const resolved = (schema: JsonSchema): JsonSchema => {
    const name = nameOf(schema);
    return name === undefined ? schema : { ...resolved(defs[name] ?? {}), ...schema, $ref: undefined as never };
  };

  const shapeOf = (name: string, schema: JsonSchema): Control => {
    if (!(name in shapes)) {
      shapes[name] = [];
      shapes[name] = fieldsOf(name, schema);
    }
    return { kind: 'shape', shape: name };
  };
  const controlOf = (declared: JsonSchema, name: string): Control => {
    const shapeName = nameOf(declared) ?? name;
    const schema = resolved(declared);
    if (schema.items && nameOf(schema.items) === 'Node') return { kind: 'steps' };
    if (schema.items && nameOf(resolved(schema.items)) === 'Node') return { kind: 'steps' };
    if (schema.enum?.every((value) => typeof value === 'string'))
      return { kind: 'choice', options: schema.enum as string[] };
    if (schema.anyOf?.length === 2) {
      const [first = {}, second = {}] = schema.anyOf;
      const list = resolved(second);
      const item = controlOf(first, shapeName);
      if (list.type === 'array' && list.items && item.kind !== 'yaml') return { kind: 'one-or-many', item };
      const controls = schema.anyOf.map((part) => controlOf(part, shapeName));
      return controls.every(({ kind }) => kind === 'text' || kind === 'shape')
        ? { kind: 'union', controls }
        : { kind: 'yaml' };
    }
    if (schema.type === 'string')
      return (schema.maxLength ?? 0) > LONG_TEXT ? { kind: 'text', long: true } : { kind: 'text' };
    if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number' };
    if (schema.type === 'boolean') return { kind: 'flag' };
    if (schema.type === 'object' && schema.properties) return shapeOf(shapeName, schema);
    return { kind: 'yaml' };
  };
  const fieldsOf = (owner: string, { properties = {}, required = [] }: JsonSchema): number[] =>
    Object.entries(properties)
      .filter(([, property]) => property.const === undefined)
      .map(([name, property]) => {
        const help = property.description ?? resolved(property).description;
        const field: FormField = {
          name,
          ...(help !== undefined && { help }),
          control: controlOf(property, `${owner}.${name}`),
          ...(required.includes(name) && { required: true as const }),
        };
        const key = JSON.stringify(field);
        const existing = table.get(key);
        if (existing !== undefined) return existing;
        table.set(key, fields.length);
        return fields.push(field) - 1;
      });

  const actions = Object.fromEntries(
    (defs.Node?.oneOf ?? []).map((node) => {
      const { action } = node.properties ?? {};
      const name = String(action?.const);
      const surfaces = surfacesOf(name);
      const form: ActionForm = {
        help: action?.description ?? '',
        fields: fieldsOf(name, node),
        ...(COMMON_SURFACES.some((surface) => !surfaces.includes(surface)) && { surfaces }),
      };
      return [name, form];
    }),
  );
  return { fields, actions, shapes };
}

/** Names and help of the actions that a surface carries out. */
export const actionsOn = (forms: Forms, surface: string): readonly (readonly [string, ActionForm])[] =>
  Object.entries(forms.actions).filter(([, { surfaces = COMMON_SURFACES }]) => surfaces.includes(surface));

/** True if an action contains steps. */
export const acceptsSteps = (forms: Forms, action: string): boolean =>
  (forms.actions[action]?.fields ?? []).some((index) => forms.fields[index]?.control.kind === 'steps');

export const fieldsIn = (forms: Forms, indices: readonly number[] | undefined): FormField[] =>
  (indices ?? []).flatMap((index) => forms.fields[index] ?? []);

/** True if a control can edit a value. Other values are edited as YAML. */
export function fits(control: Control, value: unknown): boolean {
  switch (control.kind) {
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'shape':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'one-or-many':
      return Array.isArray(value) ? value.every((item) => fits(control.item, item)) : fits(control.item, value);
    case 'union':
      return control.controls.some((candidate) => fits(candidate, value));
    case 'steps':
    case 'yaml':
      return true;
  }
}

/** Initial value of a new field. */
export function defaultValueOf(control: Control): unknown {
  switch (control.kind) {
    case 'text':
      return '';
    case 'number':
      return 1;
    case 'flag':
      return true;
    case 'choice':
      return control.options[0] ?? '';
    case 'shape':
      return {};
    case 'one-or-many':
      return defaultValueOf(control.item);
    case 'union':
      return defaultValueOf(control.controls[0] ?? { kind: 'yaml' });
    case 'steps':
      return [];
    case 'yaml':
      return null;
  }
}
