import type { z } from 'zod';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Role } from '../project/project-roles.ts';

export interface RouteResponse {
  readonly description: string;
  /** Schema of a JSON body; without it there is no body, or one of another type. */
  readonly schema?: z.ZodType;
  /** Media types of the body besides `application/json`, each with its schema, or null for a text or bytes. */
  readonly types?: Readonly<Record<string, z.ZodType | null>>;
  /** Headers by name, with a sentence each. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fields that the audit log stores for a route. All other fields are omitted. */
export type AuditPolicy =
  /** Not recorded: the route changes nothing durable, or another log records it. */
  | 'nothing'
  | {
      /** Fields of the body, e.g. `role`. */
      readonly body?: readonly string[];
      /** Fields of the answer, e.g. `user.email`. */
      readonly answer?: readonly string[];
      /** Record only requests of users. Requests of keys are too many, and runs show them. */
      readonly usersOnly?: boolean;
    };

/** One route of the REST API: controllers, OpenAPI document and client derive from it. */
export interface RouteDefinition {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{name}` is one segment, `{name*}` the rest of the path. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Minimum role in the project; `user`: a signed-in user without a project; `public`: no authentication. */
  readonly role: Role | 'user' | 'public';
  /** Basic authentication, with the key as password, is accepted too: browsers cannot send a bearer by themselves. */
  readonly basic?: boolean;
  /** Path of the OAuth 2.0 resource metadata that a response 401 names. */
  readonly resourceMetadata?: `/${string}`;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Schema of the body; if it accepts `undefined`, the body is optional. `stream`: bytes, read by the handler. */
  readonly body?: z.ZodType | 'stream';
  /** JSON Pointers of body values that may contain any text, because the handler encrypts or filters them. */
  readonly anyText?: readonly string[];
  /** The body may also be a workflow file in YAML. */
  readonly yaml?: boolean;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** Error codes besides those of every route. */
  readonly errors?: readonly ErrorCode[];
  /** Audit log entry of a changing request. Default: actor, operation, time and client address. */
  readonly audit?: AuditPolicy;
  /** Seconds the handler may take; `null`: as long as the client stays (default 30). */
  readonly seconds?: number | null;
}

/** Checks a route definition and keeps its exact type. */
export const defineRoute = <const Definition extends RouteDefinition>(definition: Definition): Definition => definition;

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Validated input of a route handler. */
export interface RouteInput<Definition extends RouteDefinition> {
  readonly params: OutputOf<Definition['params']>;
  readonly query: OutputOf<Definition['query']>;
  readonly headers: OutputOf<Definition['headers']>;
  readonly body: OutputOf<Definition['body']>;
}

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** A coerced value has no input type of its own: a client sends what the handler receives. */
type TextInput<Input, Output> = {
  [Name in keyof Input]: unknown extends Input[Name] ? (Name extends keyof Output ? Output[Name] : never) : Input[Name];
};

/** Values that a client sends to a route, before validation. */
export interface RouteArguments<Definition extends RouteDefinition> {
  readonly params: TextInput<InputOf<Definition['params']>, OutputOf<Definition['params']>>;
  readonly query: TextInput<InputOf<Definition['query']>, OutputOf<Definition['query']>>;
  readonly headers: InputOf<Definition['headers']>;
  readonly body: InputOf<Definition['body']> | (Definition extends { yaml: true } ? string : never);
}

type SchemaOf<Response> = Response extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** Output of a route handler: the body of one of its responses. */
export type RouteOutput<Definition extends RouteDefinition> = {
  [Status in keyof Definition['responses']]: SchemaOf<Definition['responses'][Status]>;
}[keyof Definition['responses']];

/** Status code of a successful response: the first one that the route defines. */
export const defaultStatus = ({ responses }: Pick<RouteDefinition, 'responses'>): number =>
  Number(Object.keys(responses)[0]);
