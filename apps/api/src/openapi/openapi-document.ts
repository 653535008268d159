import type { RouteDefinition, RouteResponse } from '@pilothouse/contract/api/route-definition';
import { routeList } from '@pilothouse/contract/api/route-table';
import { errorDefinition, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { problemSchema } from '@pilothouse/contract/errors/pilothouse-error';
import { jsonSchema } from '@pilothouse/contract/primitives.schema';
import { workflowJsonSchema } from '@pilothouse/core/workflow/json-schema';
import { createDocument } from 'zod-openapi';
import { VERSION } from '../common/installation.ts';

type Json = unknown;

/** Names that the generator assigns to anonymous schemas used in several places. */
const ANONYMOUS_SCHEMA = /^__schema\d+$/;
const REFERENCE = /^#\/components\/schemas\/(__schema\d+)$/;

/**
 * Inlines anonymous schemas: a name like `__schema3` is meaningless and changes with every new route.
 * These schemas are small: any JSON, or a reference to a named schema.
 */
export function inlineAnonymousSchemas<Document extends { components?: { schemas?: object } }>(
  document: Document,
): Document {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Json>;
  const inline = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, ...beside } = value as Record<string, Json>;
    const name = typeof reference === 'string' ? REFERENCE.exec(reference)?.[1] : undefined;
    if (name !== undefined) return { ...(inline(schemas[name]) as object), ...(inline(beside) as object) };
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inline(part)]));
  };
  const inlined = inline(document) as Document & { components: { schemas: Record<string, Json> } };
  const namedSchemas = Object.entries(inlined.components.schemas).filter(([name]) => !ANONYMOUS_SCHEMA.test(name));
  return { ...inlined, components: { ...inlined.components, schemas: Object.fromEntries(namedSchemas) } };
}

type Input = Parameters<typeof createDocument>[0];
type Paths = NonNullable<Input['paths']>;
type Operation = NonNullable<Paths[string]['get']>;
type Responses = NonNullable<Operation['responses']>;
type Content = NonNullable<Exclude<Operation['requestBody'], undefined>>['content'];

/** Descriptions of the route groups. */
const tags: Readonly<Record<string, string>> = {
  Runs: 'Submit runs, follow them, and read their results.',
  Workflows: 'Named, versioned lists of steps with typed inputs.',
  Files: 'Files for inputs, and objects with signed URLs.',
  Fleets: 'Workers that execute runs, and the queue of each fleet.',
  Project: 'Settings, budgets and retention of the project.',
  'API keys': 'Access of programs to the project.',
  Users: 'Sign-in, and roles of people in projects.',
  Proposals: 'Proposed versions of workflows, and their verification.',
  Profiles: 'Stored browser profiles.',
  Secrets: 'Secrets of the project that runs type by name.',
  Traces: 'Recorded turns of agents, their scores, and labels of people.',
  Datasets: 'Immutable selections of labeled steps, and their exports for trainers.',
  'Background jobs': 'Scoring, datasets, exports and tuning, outside of runs.',
  Tuning: 'Training of models on datasets, its cost and its progress.',
  'Model registry': 'Models of the project by role and surface, and their stages.',
  Savings: 'Tokens, cost and time that the action cache, compiled goals and healing saved, and goals that repeat.',
  Views: 'Saved searches of runs.',
  A2UI: 'Runs as user interfaces in A2UI.',
  MCP: 'Tools for agents, by the Model Context Protocol.',
  System: 'Health, metrics and API documentation.',
};

const description = `A self-hosted fleet of computer-use agents.

Send an API key as \`Authorization: Bearer ph_...\`. A browser with a session (\`POST /v1/sessions/current\`) sends its cookie and the project id in the
header \`Pilothouse-Project\`. Except with \`GET\`, it also sends the \`csrf\` of the session in the header \`Pilothouse-Csrf\`.

Errors are \`application/problem+json\`. \`code\` is for programs and \`detail\` for people. \`errors\` names each wrong field, and \`retry\` says whether to
repeat the request.`;

const bytes = { type: 'string', format: 'binary' } as const;

/** The OpenAPI 3.1 document of the REST API, derived from the table of routes. @param url public address of the API */
export function openApiDocument(url: string) {
  const paths: Paths = {};
  for (const route of routeList) {
    const path = route.path.replaceAll('*}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Pilothouse',
        version: VERSION,
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url }],
      tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
      security: [{ bearer: [] }],
      paths,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `ph_...`' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'pilothouse',
            description: 'Set by `POST /v1/sessions/current`; `__Host-pilothouse` over TLS',
          },
          basic: { type: 'http', scheme: 'basic', description: 'For browsers: any user name, the API key as password' },
        },
      },
    },
    { override: describeJson },
  );
  return inlineAnonymousSchemas(document);
}

/** Describes arbitrary JSON as such, not as a recursive schema. */
const describeJson: NonNullable<Parameters<typeof createDocument>[1]>['override'] = ({
  zodSchema,
  jsonSchema: schema,
}) => {
  if (zodSchema !== jsonSchema) return;
  for (const key of Object.keys(schema)) delete (schema as Record<string, unknown>)[key];
  schema.description = 'Any JSON';
};

function operationOf(route: RouteDefinition & { readonly name: string }): Operation {
  const { name, summary, tag, params, query, headers, role, basic } = route;
  const needs = role === 'public' ? [] : [role === 'user' ? 'Needs a session.' : `Needs the role \`${role}\`.`];
  const body = bodyOf(route);
  return {
    operationId: name,
    summary,
    description: [...(route.description ? [route.description] : []), ...needs].join('\n\n'),
    tags: [tag],
    security: securityOf(role, basic),
    requestParams: { ...(params && { path: params }), ...(query && { query }), ...(headers && { header: headers }) },
    ...(body && { requestBody: body }),
    responses: responsesOf(route),
  };
}

const securityOf = (role: RouteDefinition['role'], basic = false): NonNullable<Operation['security']> => {
  if (role === 'public') return [];
  if (role === 'user') return [{ session: [] }];
  return [{ bearer: [] }, { session: [] }, ...(basic ? [{ basic: [] }] : [])];
};

function bodyOf({ body, yaml }: RouteDefinition): Operation['requestBody'] {
  if (body === undefined) return undefined;
  if (body === 'stream') return { required: true, content: { '*/*': { schema: bytes } } };
  const text = { type: 'string', description: 'A workflow file in YAML' } as const;
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema: body }, ...(yaml && { 'application/yaml': { schema: text } }) },
  };
}

/** Answers that every route may give in addition to its own. */
function errorsOf({ role, params, query, headers, body, errors = [] }: RouteDefinition): ErrorCode[] {
  const validatedPart = params ?? query ?? headers ?? body;
  const always: ErrorCode[] = ['INTERNAL'];
  if (validatedPart !== undefined) always.push('VALIDATION_FAILED');
  if (role !== 'public') always.push('UNAUTHENTICATED', 'UNAVAILABLE');
  if (role === 'operator' || role === 'admin') always.push('FORBIDDEN');
  if (body !== undefined && body !== 'stream') always.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set([...errors, ...always])];
}

function responsesOf(route: RouteDefinition): Responses {
  const responses: Record<string, Responses[`${1 | 2 | 3 | 4 | 5}${string}`]> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    const content = contentOf(response);
    responses[status] = {
      description: response.description,
      ...(response.headers && { headers: headersOf(response.headers) }),
      ...(content && { content }),
    };
  }
  for (const [status, codes] of byStatus(errorsOf(route))) {
    // The route itself describes its answers with this status above.
    responses[status] ??= {
      description: codes.map((code) => `${errorDefinition(code).title} (\`${code}\`)`).join('; '),
      ...(route.method !== 'HEAD' && { content: { 'application/problem+json': { schema: problemSchema } } }),
    };
  }
  return responses as Responses;
}

function byStatus(codes: readonly ErrorCode[]): [string, ErrorCode[]][] {
  const groups = Map.groupBy(codes, (code) => String(errorDefinition(code).http));
  return [...groups].sort(([a], [b]) => Number(a) - Number(b));
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' as const } }]),
  );

function contentOf({ schema, types }: RouteResponse): Content | undefined {
  if (!schema && !types) return undefined;
  const otherContent = Object.entries(types ?? {}).map(([type, schema]) => [
    type,
    { schema: schema ?? (type.startsWith('text/') ? { type: 'string' as const } : bytes) },
  ]);
  return { ...(schema && { 'application/json': { schema } }), ...(Object.fromEntries(otherContent) as Content) };
}

/** JSON Schema of workflow files, for editors. */
export const workflowSchemaDocument = workflowJsonSchema;
