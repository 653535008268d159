import { isMap, isScalar, parseDocument, visit, type Document, type YAMLMap } from 'yaml';
import type { Path } from '../../workflow-document/yaml-path.ts';
import type { JsonSchema } from '@pilothouse/core/workflow/json-schema';
import { alternativesOf, schemasAt } from './schema-lookup.ts';

/** A suggestion of the completion. */
export interface Suggestion {
  label: string;
  kind: 'key' | 'value' | 'variable';
  /** Text to insert. */
  text: string;
  help?: string;
}

export interface Suggestions {
  /** Range that a suggestion replaces. */
  start: number;
  end: number;
  items: Suggestion[];
}

/** Placeholder for the cursor in the parsed text. */
const CURSOR_MARK = 'cursor__';

/**
 * Keys, values and template variables that fit at a position of a workflow file.
 * @param offset position of the cursor in the text
 * @returns null if nothing fits
 */
export function suggest(schema: JsonSchema, text: string, offset: number): Suggestions | null {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const linePrefix = text.slice(lineStart, offset);
  // No completion in comments.
  if (/(^|\s)#/.test(linePrefix)) return null;
  const variable = /\{\{\s*([\w.]*)$/.exec(linePrefix)?.[1];
  if (variable !== undefined) return suggestVariables(text, offset - variable.length, offset);
  const word = /[\w$-]*$/.exec(linePrefix)?.[0] ?? '';
  const start = offset - word.length;
  const end = offset + (/^[\w$-]*/.exec(text.slice(offset))?.[0].length ?? 0);
  const lead = linePrefix.slice(0, linePrefix.length - word.length);
  const isValue = /(^|[\s{,])[\w$-]+:\s+['"]?$/.test(lead);
  const isKey = /^\s*(-\s+)*$/.test(lead) || /[{,]\s*$/.test(lead);
  const isListItem = /(^\s*(-\s+)+|[[,]\s*)$/.test(lead);
  const textWith = (insert: string) => text.slice(0, start) + insert + text.slice(end);
  const hasColon = /^\s*:/.test(text.slice(end));
  const items = [
    ...(isKey ? suggestKeys(schema, textWith(hasColon ? CURSOR_MARK : `${CURSOR_MARK}: `), lead, hasColon) : []),
    ...(isValue || isListItem ? suggestValues(schema, textWith(CURSOR_MARK)) : []),
  ];
  return items.length > 0 ? { start, end, items } : null;
}

/** Keys that the map at the cursor does not have yet, required ones first. */
function suggestKeys(schema: JsonSchema, text: string, lead: string, hasColon: boolean): Suggestion[] {
  const document = parse(text);
  const path = pathOfMark(document);
  const name = path?.at(-1);
  if (!path || typeof name !== 'string') return [];
  const mapPath = path.slice(0, -1);
  const node = mapPath.length === 0 ? document.contents : document.getIn(mapPath, true);
  const siblings = isMap(node) ? keysOf(node) : [];
  const data = withoutMark(document.toJS() as unknown);
  const schemas = schemasAt(schema, mapPath, data).filter(({ properties }) => properties);
  const isFlow = /[{,]\s*$/.test(lead);
  const keys = new Map<string, { child: JsonSchema; isRequired: boolean; count: number }>();
  for (const { properties = {}, required = [] } of schemas)
    for (const [key, child] of Object.entries(properties)) {
      const existing = keys.get(key);
      if (existing) existing.count += 1;
      else keys.set(key, { child, isRequired: required.includes(key), count: 1 });
    }
  // For several kinds of a map, such as the actions of a step, only the key that selects the kind is suggested first.
  const discriminator =
    schemas.length > 1 &&
    [...keys].find(([, { child, count }]) => child.const !== undefined && count === schemas.length);
  const candidates = discriminator && !siblings.includes(discriminator[0]) ? [discriminator] : [...keys];
  return candidates
    .filter(([key]) => !siblings.includes(key))
    .sort(([, a], [, b]) => Number(b.isRequired) - Number(a.isRequired))
    .map(([key, { child }]) => ({
      label: key,
      kind: 'key',
      text: hasColon ? key : key + (isFlow ? ': ' : suffixOf(schema, child, lead.length)),
      ...helpOf(schema, child),
    }));
}

/** Colon after a new key, and the start of its value. @param indent column of the key */
function suffixOf(root: JsonSchema, child: JsonSchema, indent: number): string {
  const types = new Set(alternativesOf(root, child, undefined).map(({ type }) => type));
  const inside = `\n${' '.repeat(indent + 2)}`;
  if (types.size === 1 && types.has('object')) return `:${inside}`;
  if (types.size === 1 && types.has('array')) return `:${inside}- `;
  return ': ';
}

/** Constants, enum values and defaults of the value at the cursor. */
function suggestValues(schema: JsonSchema, text: string): Suggestion[] {
  const document = parse(text);
  const path = pathOfMark(document);
  if (!path) return [];
  const suggestions = new Map<string, Suggestion>();
  // The mark is not a value of the discriminator, so all kinds are possible.
  for (const possibleSchema of schemasAt(schema, path, withoutMark(document.toJS() as unknown))) {
    const values =
      possibleSchema.enum ??
      (possibleSchema.const !== undefined
        ? [possibleSchema.const]
        : possibleSchema.type === 'boolean'
          ? [true, false]
          : []);
    for (const value of values.length > 0
      ? values
      : possibleSchema.default === undefined || typeof possibleSchema.default === 'object'
        ? []
        : [possibleSchema.default])
      suggestions.set(String(value), {
        label: String(value),
        kind: 'value',
        text: String(value),
        ...(possibleSchema.description !== undefined && { help: possibleSchema.description }),
      });
  }
  return [...suggestions.values()];
}

/** Template variables: inputs and values of steps. */
function suggestVariables(text: string, start: number, end: number): Suggestions | null {
  const data = withoutMark(parse(text).toJS() as unknown) as { inputs?: unknown } | null;
  const inputs = typeof data?.inputs === 'object' && data.inputs !== null ? Object.keys(data.inputs) : [];
  const names = [...inputs.map((name) => `inputs.${name}`), ...stepIds(data).map((id) => `steps.${id}.value`)];
  if (names.length === 0) return null;
  return { start, end, items: names.map((name) => ({ label: name, kind: 'variable', text: name })) };
}

/** Ids of all steps, including nested ones. */
function stepIds(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  const { action, id } = data as { action?: unknown; id?: unknown };
  const own = typeof action === 'string' && typeof id === 'string' ? [id] : [];
  return [...own, ...Object.values(data).flatMap(stepIds)];
}

const helpOf = (root: JsonSchema, child: JsonSchema): { help?: string } => {
  const help = child.description ?? alternativesOf(root, child, undefined)[0]?.description;
  return help === undefined ? {} : { help };
};

const parse = (text: string): Document => parseDocument(text, { strict: false, uniqueKeys: false, logLevel: 'silent' });

const keysOf = (map: YAMLMap): string[] => map.items.map(({ key }) => String(isScalar(key) ? key.value : key));

/** Path of the key or value that is the mark. */
function pathOfMark(document: Document): Path | null {
  let result: Path | null = null;
  visit(document, {
    Scalar(_, node, ancestors) {
      if (node.value !== CURSOR_MARK) return undefined;
      const path: (string | number)[] = [];
      const chain = [...ancestors, node];
      for (const [index, parent] of chain.entries()) {
        const child = chain[index + 1];
        if (typeof parent !== 'object' || child === undefined) continue;
        if ('key' in parent) path.push(String(isScalar(parent.key) ? parent.key.value : parent.key));
        else if ('items' in parent && !isMap(parent)) path.push((parent.items as readonly unknown[]).indexOf(child));
      }
      result = path;
      return visit.BREAK;
    },
  });
  return result;
}

/** Plain data without the mark, which would contradict the alternatives. */
function withoutMark(data: unknown): unknown {
  if (data === CURSOR_MARK) return null;
  if (Array.isArray(data)) return data.map(withoutMark);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => (key === CURSOR_MARK ? [] : [[key, withoutMark(value)]])),
  );
}
