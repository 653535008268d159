import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The official schemas come with the official renderer core. */
const sources = dirname(dirname(createRequire(import.meta.url).resolve('@a2ui/web_core')));
const schema = (path: string) => JSON.parse(readFileSync(join(sources, path), 'utf8')) as Record<string, unknown>;

/** Compiles the schema of 0.9. That of 0.9.1 differs in the version only, and accepts both names. */
function compile09(versions: readonly string[]): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(schema('v0_9/schemas/common_types.json'));
  // Messages name their catalog by this address; `createSurface` selects it.
  const catalog = schema('v0_9/schemas/catalogs/basic/catalog.json');
  ajv.addSchema({ ...catalog, $id: 'https://a2ui.org/specification/v0_9/catalog.json' });
  const messages = schema('v0_9/schemas/server_to_client.json');
  const definitions = Object.entries(messages['$defs'] as Record<string, { properties: object }>).map(
    ([name, message]) => [name, { ...message, properties: { ...message.properties, version: { enum: versions } } }],
  );
  return ajv.compile({ ...messages, $defs: Object.fromEntries(definitions) as object });
}

const checks: Readonly<Record<A2uiVersion, () => ValidateFunction>> = {
  '0.9': () => compile09(['v0.9']),
  '0.9.1': () => compile09(['v0.9', 'v0.9.1']),
  '0.8': () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    return ajv.compile(schema('v0_8/schemas/server_to_client_with_standard_catalog.json'));
  },
};

const compiled = new Map<A2uiVersion, ValidateFunction>();

/** Violations of the official schema of the version, one per line. */
export function schemaErrors(version: A2uiVersion, messages: readonly A2uiMessage[]): string[] {
  const check = compiled.get(version) ?? checks[version]();
  compiled.set(version, check);
  return messages.flatMap((message, index) =>
    check(message) ? [] : (check.errors ?? []).map((error) => `${index}${error.instancePath}: ${error.message ?? ''}`),
  );
}

/** State of a client, of any version, after some messages. */
export interface RenderedSurface {
  readonly id: string;
  /** Properties of each component, by id. */
  readonly components: ReadonlyMap<string, Json>;
  readonly data: Readonly<Record<string, Json>>;
  /** True when the client may render. */
  readonly canRender: boolean;
}

type Node = { [key: string]: Json };

/**
 * Applies messages as a client does, for one surface.
 * @throws Error for a second surface, and for messages before their surface
 */
export function renderSurface(version: A2uiVersion, messages: readonly A2uiMessage[]): RenderedSurface {
  const components = new Map<string, Json>();
  const data: Node = {};
  let id: string | undefined;
  let canRender = false;
  for (const message of messages) {
    const [[kind, body]] = Object.entries(message).filter(([key]) => key !== 'version') as [[string, Node]];
    const surface = body.surfaceId as string;
    if (kind === 'createSurface' && id !== undefined) throw new Error(`Surface ${id} is there already`);
    if (version !== '0.8' && kind !== 'createSurface' && id === undefined)
      throw new Error(`${kind} before its surface`);
    id ??= surface;
    if (surface !== id) throw new Error(`${kind} is of ${surface}, not of ${id}`);
    if (kind === 'updateComponents' || kind === 'surfaceUpdate') {
      for (const component of body.components as Node[]) components.set(component.id as string, component);
    }
    if (kind === 'updateDataModel') set(data, body.path as string, body.value ?? null);
    if (kind === 'dataModelUpdate') set(data, body.path as string, fromEntries(body.contents as Node[]));
    if (kind === 'createSurface' || kind === 'beginRendering') canRender = true;
  }
  return { id: id ?? '', components, data, canRender };
}

/** Errors in the component tree, one per line: no root, a missing child, a cycle, an unreachable component. */
export function brokenTopology({ components }: RenderedSurface): string[] {
  const problems: string[] = [];
  const visited = new Set<string>();
  const visit = (id: string, above: readonly string[]) => {
    if (above.includes(id)) return void problems.push(`cycle: ${[...above, id].join(' > ')}`);
    const component = components.get(id);
    if (component === undefined)
      return void problems.push(`${above.at(-1) ?? 'no component'} shows ${id}, which does not exist`);
    visited.add(id);
    for (const child of childrenOf(component)) visit(child, [...above, id]);
  };
  visit('root', []);
  for (const id of components.keys()) if (!visited.has(id)) problems.push(`no component shows ${id}`);
  return problems;
}

/** Bindings without data, one per line. */
export function danglingBindings({ components, data }: RenderedSurface): string[] {
  const problems: string[] = [];
  const visit = (id: string, scope: string) => {
    const component = components.get(id) ?? null;
    for (const path of pathsOf(component)) {
      const fullPath = path.startsWith('/') ? path : `${scope}/${path}`;
      if (get(data, fullPath) === undefined) problems.push(`${id}: ${fullPath}`);
    }
    const template = templateOf(component);
    if (template) {
      const items = get(data, template.path);
      for (const key of Object.keys((items ?? {}) as Node)) visit(template.id, `${template.path}/${key}`);
      return;
    }
    for (const child of childrenOf(component)) visit(child, scope);
  };
  visit('root', '');
  return problems;
}

/** All objects of a component, including itself. */
function objectsOf(value: Json): Node[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap(objectsOf);
  return [value as Node, ...Object.values(value as Node).flatMap(objectsOf)];
}

function templateOf(component: Json): { id: string; path: string } | undefined {
  for (const node of objectsOf(component)) {
    if (typeof node.componentId === 'string') {
      return { id: node.componentId, path: (node.dataBinding ?? node.path) as string };
    }
  }
  return undefined;
}

function childrenOf(component: Json): string[] {
  const template = templateOf(component);
  if (template) return [template.id];
  return objectsOf(component).flatMap((node) => [
    ...(typeof node.child === 'string' ? [node.child] : []),
    ...(Array.isArray(node.children) ? (node.children as string[]) : []),
    ...(Array.isArray(node.explicitList) ? (node.explicitList as string[]) : []),
  ]);
}

const pathsOf = (component: Json): string[] =>
  objectsOf(component).flatMap((node) =>
    typeof node.path === 'string' && node.componentId === undefined ? [node.path] : [],
  );

/** Converts maps of version 0.8 to objects. */
const fromEntries = (entries: readonly Node[]): Node =>
  Object.fromEntries(
    entries.map((entry) => [
      entry.key as string,
      'valueMap' in entry ? fromEntries(entry.valueMap as Node[]) : (entry.valueString ?? null),
    ]),
  );

const segments = (path: string) => path.split('/').filter((part) => part !== '');

function get(data: Json, path: string): Json | undefined {
  let current: Json | undefined = data;
  for (const part of segments(path)) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as Node)[part];
  }
  return current;
}

function set(data: Node, path: string, value: Json): void {
  const pathSegments = segments(path);
  const last = pathSegments.pop();
  const parent = get(data, pathSegments.join('/'));
  if (last === undefined || parent === null || typeof parent !== 'object')
    throw new Error(`There is no place for ${path}`);
  (parent as Node)[last] = value;
}
