import { fieldErrors, PilothouseError, type FieldError, type RouteDefinition } from '@pilothouse/contract';
import { storableTextErrors } from '@pilothouse/core';
import { YamlBody } from './body-parser.ts';
import { readWorkflowText } from './workflow-text.ts';

/** The parts of a request as they came. */
export interface RawRequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
}

/** A refusal that names each wrong field and how to mend it. */
export function validationError(what: string, fields: readonly FieldError[]): PilothouseError {
  const [first] = fields;
  const where = first?.pointer ? ` at ${first.pointer}` : '';
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  return new PilothouseError('VALIDATION_FAILED', `The ${what} is not valid${where}: ${first?.detail ?? ''}${more}`, {
    fields: [...fields],
  });
}

/** Pointers of path, query and headers begin with the part, those of the body with a slash. */
const within = (part: string, fields: readonly FieldError[]) =>
  fields.map(({ pointer, detail }) => ({ pointer: `${part}${pointer}`, detail }));

/**
 * Checks all parts of a request by the schemas of its route.
 * @throws PilothouseError VALIDATION_FAILED naming every wrong field of the first part that is wrong; wrong is, too, what PostgreSQL would
 *   refuse later, in a commit with what others sent
 */
export async function validateRequest(route: RouteDefinition, given: RawRequestParts) {
  return {
    params: check(route.params, pathOf(route, given.params), 'path'),
    // A misspelled filter must not be taken for none.
    query: check(route.query?.strict(), given.query, 'query'),
    headers: check(route.headers, given.headers, 'headers'),
    body: route.body === 'stream' ? undefined : await checkBody(route, given.body),
    yaml: given.body instanceof YamlBody ? given.body.text : null,
  };
}

/** Fastify calls the rest of a path `*`; in the table it has a name: `/v1/objects/{key*}`. */
function pathOf({ path }: RouteDefinition, params: unknown): unknown {
  const rest = /\{(\w+)\*\}$/.exec(path)?.[1];
  if (!rest || typeof params !== 'object' || params === null || !('*' in params)) return params;
  const { '*': value, ...others } = params;
  return { ...others, [rest]: value };
}

function check(schema: RouteDefinition['query'], value: unknown, part: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value ?? {});
  const fields = parsed.success ? storableTextErrors(parsed.data) : fieldErrors(parsed.error);
  if (parsed.success && fields.length === 0) return parsed.data;
  throw validationError(part, within(part, fields));
}

async function checkBody(route: RouteDefinition, given: unknown): Promise<unknown> {
  const { body: schema } = route;
  if (!schema || schema === 'stream') return undefined;
  const value = given instanceof YamlBody ? await readWorkflowText(given.text) : given;
  const parsed = schema.safeParse(value);
  const odd = parsed.success ? storableTextErrors(value, { except: route.anyText }) : [];
  if (odd.length > 0) throw validationError('body', odd);
  if (parsed.success) return parsed.data;
  if (value === undefined) throw validationError('body', [{ pointer: '', detail: 'It is missing' }]);
  throw validationError('body', fieldErrors(parsed.error));
}
