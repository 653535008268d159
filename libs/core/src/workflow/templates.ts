import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';

/*
 * Templates are references only: `{{inputs.sku}}`, `{{steps.rows.value.0.sku}}`, `{{vars.row}}`, `{{run.id}}`. Unknown syntax is rejected,
 * so that later extensions cannot change the meaning of stored workflows.
 */

/** A piece of a text: literal, or a template by its path. */
export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'template'; readonly path: readonly [string, string, ...string[]]; readonly source: string };

/** A template in a value: JSON Pointer, reference and source text. */
export interface FoundTemplate {
  readonly pointer: string;
  readonly path: readonly [string, string, ...string[]];
  readonly source: string;
}

const segment = /^(?:[A-Za-z_][A-Za-z0-9_]*|0|[1-9][0-9]*)$/;

/** Template syntax, for messages. */
export const TEMPLATE_FORMS = '{{inputs.<name>}}, {{steps.<id>.value}}, {{vars.<name>}}, {{run.id}} or {{run.epoch}}';

/** An error about one template. */
export const templateError = (message: string, pointer?: string): PilothouseError =>
  new PilothouseError(
    'TEMPLATE_INVALID',
    pointer ? `${message} (at ${pointer})` : message,
    pointer === undefined ? {} : { fields: [{ pointer, detail: message }] },
  );

function parsePath(inner: string, source: string): TemplatePart {
  const path = inner.trim().split('.');
  const [root, name, ...rest] = path;
  if (root === undefined || name === undefined || !path.every((part) => segment.test(part))) {
    throw templateError(`${source} is not a template: use ${TEMPLATE_FORMS}. Write \\{{ for literal braces.`);
  }
  if (root === 'steps' && rest[0] !== 'value') {
    throw templateError(`${source} is not a template: use {{steps.${name}.value}} for the value of a step`);
  }
  if (root === 'run' && (rest.length > 0 || (name !== 'id' && name !== 'epoch'))) {
    throw templateError(`${source} is not a template: use {{run.id}} or {{run.epoch}}`);
  }
  if (root !== 'inputs' && root !== 'steps' && root !== 'run' && root !== 'vars') {
    throw templateError(`${source} is not a template: use ${TEMPLATE_FORMS}. Write \\{{ for literal braces.`);
  }
  return { kind: 'template', path: [root, name, ...rest], source };
}

/**
 * Splits a text into literals and templates. `\{{` stands for two braces; before braces `\\` stands for one backslash.
 * @throws PilothouseError TEMPLATE_INVALID for an invalid template
 */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let literal = '';
  let position = 0;
  for (;;) {
    const start = text.indexOf('{{', position);
    if (start < 0) break;
    let slashes = 0;
    while (start - slashes > position && text[start - slashes - 1] === '\\') slashes += 1;
    literal += text.slice(position, start - slashes) + '\\'.repeat(Math.floor(slashes / 2));
    if (slashes % 2 === 1) {
      literal += '{{';
      position = start + 2;
      continue;
    }
    const end = text.indexOf('}}', start + 2);
    const next = text.indexOf('{{', start + 2);
    if (end < 0 || (next >= 0 && next < end)) {
      const snippet = text.slice(start, start + 40);
      throw templateError(`"${snippet}" opens a template that is not closed: add }}, or write \\{{ for literal braces`);
    }
    if (literal !== '') parts.push({ kind: 'literal', text: literal });
    literal = '';
    parts.push(parsePath(text.slice(start + 2, end), text.slice(start, end + 2)));
    position = end + 2;
  }
  literal += text.slice(position);
  if (literal !== '') parts.push({ kind: 'literal', text: literal });
  return parts;
}

/** Calls `visit` for each string in a JSON value, with its pointer. Keys cannot contain templates. */
export function forEachString(value: unknown, visit: (text: string, pointer: string) => void, pointer = ''): void {
  if (typeof value === 'string') return visit(value, pointer);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) forEachString(child, visit, `${pointer}/${escapePointer(key)}`);
}

/** One segment of a JSON Pointer (RFC 6901). */
export const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * The templates in any JSON value, in order.
 * @throws PilothouseError TEMPLATE_INVALID for an invalid template
 */
export function findTemplates(value: unknown): FoundTemplate[] {
  const templates: FoundTemplate[] = [];
  forEachString(value, (text, pointer) => {
    for (const part of parseTemplate(text)) {
      if (part.kind === 'template') templates.push({ pointer, path: part.path, source: part.source });
    }
  });
  return templates;
}

/** Escapes a text so that it contains no template. */
export const escapeTemplates = (text: string): string =>
  text.replace(/(?<!\\)(\\*)\{\{/g, (_, slashes: string) => `${slashes}${slashes}\\{{`);

/** Escapes text before a template: a trailing backslash would escape the template. */
export const escapeBeforeTemplate = (text: string): string =>
  escapeTemplates(text).replace(/(?<!\\)\\+$/, (slashes) => slashes + slashes);

/** Converts a value for use inside a text: strings unchanged, null to the empty string, objects and arrays to JSON. */
export const toText = (value: Json): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** Name of the secret if the value consists only of its template; otherwise undefined. */
export function soleSecretName(value: Json): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [firstPart, ...others] = parseTemplate(value);
  if (
    firstPart?.kind !== 'template' ||
    others.length > 0 ||
    firstPart.path[0] !== 'inputs' ||
    firstPart.path.length > 2
  )
    return undefined;
  return firstPart.path[1];
}
