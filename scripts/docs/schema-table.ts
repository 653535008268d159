/** Describes JSON Schemas in tables of fields. */
import { errorCodes } from '@pilothouse/contract/errors/error-codes';
import { eventTypes } from '@pilothouse/contract/events/event-log.schema';

/** The parts of a JSON Schema that the pages show. */
export interface SchemaNode {
  $ref?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  items?: SchemaNode;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: SchemaNode | boolean;
}

/** Returns the text for a reference to a named schema. */
export type LinkTo = (name: string) => string;

/** Lists with this many values or more are not written out. */
const MAX_VALUES = 12;

/** Objects with this many fields are described once in a table. */
const MIN_REPEATED_FIELDS = 3;

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((element) => b.includes(element));

/** Returns the name of a referenced schema. */
export const nameOf = (reference: string): string => reference.split('/').at(-1) ?? '';

/** Describes the type of a value, e.g. `integer 1–100` or a link to an object. */
export function typeText(schema: SchemaNode, link: LinkTo): string {
  if (schema.$ref !== undefined) return link(nameOf(schema.$ref));
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return enumText(schema.enum);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map((member) => typeText(member, link)))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type }, link)).join(' or ');
  switch (schema.type) {
    case 'array':
      return `array of ${typeText(schema.items ?? {}, link)}`;
    case 'object': {
      const values = schema.additionalProperties;
      return typeof values === 'object' && !schema.properties ? `map of ${typeText(values, link)}` : 'object';
    }
    case 'string':
      return stringText(schema);
    case undefined:
      return 'any JSON';
    default:
      return [schema.type, rangeText(schema)].filter(Boolean).join(' ');
  }
}

function enumText(values: readonly unknown[]): string {
  if (isSame(values, errorCodes)) return '[error code](errors.md)';
  if (isSame(values, eventTypes)) return '[event type](events.md)';
  if (values.length < MAX_VALUES) return values.map(code).join(', ');
  return `${values.slice(0, 3).map(code).join(', ')} … (${values.length} values)`;
}

const formats: Readonly<Record<string, string>> = { 'date-time': 'timestamp', uuid: 'id', uri: 'URL', email: 'email' };

const stringText = ({ format = '', maxLength }: SchemaNode) =>
  formats[format] ?? (maxLength === undefined ? 'string' : `string (≤ ${maxLength})`);

function rangeText({ minimum, maximum }: SchemaNode): string {
  const [low, high] = [minimum, maximum].map((bound) =>
    Number.isSafeInteger(bound) && Math.abs(bound ?? 0) < Number.MAX_SAFE_INTEGER ? bound : undefined,
  );
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  return low !== undefined ? `≥ ${low}` : high !== undefined ? `≤ ${high}` : '';
}

/** Returns the object that a field holds itself, also as items of an array or beside null. */
function nestedObject(schema: SchemaNode): { object: SchemaNode; suffix: string } | undefined {
  if (schema.properties) return { object: schema, suffix: '' };
  if (schema.items) {
    const nested = nestedObject(schema.items);
    return nested && { object: nested.object, suffix: `[]${nested.suffix}` };
  }
  const others = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return others.length === 1 && others[0] ? nestedObject(others[0]) : undefined;
}

/** Ends a description with a period. */
export const sentence = (text: string): string => (text === '' || /[.!?:]$/.test(text) ? text : `${text}.`);

/** Keeps markdown from reading `<name>` outside of code as a tag. */
export const escapeTags = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');

/** Descriptions that repeat the type. */
const GENERIC = /^(UUID|ISO 8601 instant in UTC|Any JSON)$/;

function descriptionText({ description = '', default: initial }: SchemaNode): string {
  const isEmpty = typeof initial === 'object' && initial !== null && Object.keys(initial).length === 0;
  const isShown = initial !== undefined && initial !== null && !isEmpty && !/default/i.test(description);
  return [
    GENERIC.test(description) ? '' : sentence(escapeTags(description)),
    isShown ? `Default: ${code(initial)}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Returns a row for each field: name, type, description. Fields of anonymous objects follow their object. A `?` marks an optional field.
 * An object with the same fields as an earlier one refers to it.
 */
export function fieldRows(schema: SchemaNode, link: LinkTo, prefix = ''): string[][] {
  const firstByFields = new Map<string, string>();
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isOptional = !(schema.required ?? []).includes(name);
    const nested = field.$ref === undefined ? nestedObject(field) : undefined;
    const rows = nested ? fieldRows(nested.object, link, `${prefix}${name}${nested.suffix}.`) : [];
    const fields = JSON.stringify(nested?.object.properties);
    const first = rows.length >= MIN_REPEATED_FIELDS ? firstByFields.get(fields) : undefined;
    firstByFields.set(fields, first ?? name);
    const text = [descriptionText(field), first === undefined ? '' : `Same fields as \`${first}\`.`];
    return [
      [`\`${prefix}${name}${isOptional ? '?' : ''}\``, typeText(field, link), text.filter(Boolean).join(' ')],
      ...(first === undefined ? rows : []),
    ];
  });
}
