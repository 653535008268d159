import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { fieldErrors, withKnownKeys } from '@pilothouse/contract/errors/field-errors';
import { PilothouseError, type FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { storableTextErrors } from '@pilothouse/core/workflow/storable-text';
import { YamlBody } from './body-parser.ts';
import { readWorkflowText } from './workflow-text.ts';

/** The parts of a request before validation. */
export interface RawRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/** Creates an error that names each invalid field and how to fix it. @param subject such as `body` */
export function validationError(subject: string, fields: readonly FieldError[]): PilothouseError {
  const [first] = fields;
  const location = first?.pointer ? ` at ${first.pointer}` : '';
  const remainder = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  return new PilothouseError(
    'VALIDATION_FAILED',
    `The ${subject} is invalid${location}: ${first?.detail ?? ''}${remainder}`,
    {
      fields: [...fields],
    },
  );
}

/** Prefixes the pointers of path, query and headers with the part; those of the body start with a slash. */
const prefixPointers = (part: string, fields: readonly FieldError[]) =>
  fields.map(({ pointer, detail }) => ({ pointer: `${part}${pointer}`, detail }));

/**
 * Validates all parts of a request with the schemas of its route. Text that PostgreSQL cannot store is invalid too: it would fail later, in
 * a commit that it shares with other requests.
 * @throws PilothouseError VALIDATION_FAILED with every invalid field of the first invalid part
 */
export async function validateRequest(route: RouteDefinition, raw: RawRequest) {
  return {
    params: check(route.params, pathOf(route, raw.params), 'path'),
    // A misspelled filter must not be ignored.
    query: check(route.query?.strict(), raw.query, 'query'),
    headers: check(route.headers, raw.headers, 'headers'),
    body: route.body === 'stream' ? undefined : await checkBody(route, raw.body),
    yaml: raw.body instanceof YamlBody ? raw.body.text : null,
  };
}

/** Renames the wildcard `*` of Fastify to its name in the route table: `/v1/objects/{key*}`. */
function pathOf({ path }: RouteDefinition, params: unknown): unknown {
  const wildcard = /\{(\w+)\*\}$/.exec(path)?.[1];
  if (!wildcard || typeof params !== 'object' || params === null || !('*' in params)) return params;
  const { '*': value, ...namedParams } = params;
  return { ...namedParams, [wildcard]: value };
}

function check(schema: RouteDefinition['query'], value: unknown, part: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value ?? {}, { error: withKnownKeys });
  const fields = parsed.success ? storableTextErrors(parsed.data) : fieldErrors(parsed.error);
  if (parsed.success && fields.length === 0) return parsed.data;
  throw validationError(part, prefixPointers(part, fields));
}

async function checkBody(route: RouteDefinition, raw: unknown): Promise<unknown> {
  const { body: schema } = route;
  if (!schema || schema === 'stream') return undefined;
  const value = raw instanceof YamlBody ? await readWorkflowText(raw.text) : raw;
  const parsed = schema.safeParse(value, { error: withKnownKeys });
  const unstorable = parsed.success ? storableTextErrors(value, { except: route.anyText }) : [];
  if (unstorable.length > 0) throw validationError('body', unstorable);
  if (parsed.success) return parsed.data;
  if (value === undefined) throw validationError('body', [{ pointer: '', detail: 'It is missing' }]);
  throw validationError('body', fieldErrors(parsed.error));
}
