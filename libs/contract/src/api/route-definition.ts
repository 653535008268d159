import type { z } from 'zod';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Role } from '../project/api-key.schema.ts';

/** What a route answers with one status. */
export interface RouteResponse {
  readonly description: string;
  /** Schema of a JSON body; without it there is no body, or one of another type. */
  readonly schema?: z.ZodType;
  /** Media types of the body besides `application/json`, each with its schema, or null for a text or bytes. */
  readonly types?: Readonly<Record<string, z.ZodType | null>>;
  /** Headers by name, with a sentence each. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the audit log keeps of a route. Nothing of a body or an answer is kept that is not named here. */
export type AuditPolicy =
  /** Nothing: it changes nothing that lasts, or the log of it is elsewhere. */
  | 'nothing'
  | {
      /** Fields of the body, e.g. `role`. */
      readonly body?: readonly string[];
      /** Fields of the answer, e.g. `user.email`. */
      readonly answer?: readonly string[];
      /** Only what users do: what keys do is too much, and is seen elsewhere. */
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
  /** Least role in the project; `user`: somebody who is signed in, in no project; `public`: nobody is asked. */
  readonly role: Role | 'user' | 'public';
  /** Basic authentication, with the key as password, is accepted too: browsers cannot send a bearer by themselves. */
  readonly basic?: boolean;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** Schema of the body; where it accepts `undefined`, the body may be left out. `stream`: bytes, read by the handler. */
  readonly body?: z.ZodType | 'stream';
  /** Pointers into the body at and below which texts may be any: they are sealed, or the handler sees which of them are kept. */
  readonly anyText?: readonly string[];
  /** The body may also be a workflow file in YAML. */
  readonly yaml?: boolean;
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** What may go wrong besides what every route may answer. */
  readonly errors?: readonly ErrorCode[];
  /** What the audit log keeps of a request that changed something; without it, who, what, when and from where. */
  readonly audit?: AuditPolicy;
  /** Seconds the handler may take; `null`: as long as the client stays (default 30). */
  readonly seconds?: number | null;
}

/** Says of a value that it is a route, and keeps its exact type. */
export const defineRoute = <const Definition extends RouteDefinition>(definition: Definition): Definition => definition;

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** What a handler of the route gets, checked. */
export interface RouteInput<Definition extends RouteDefinition> {
  readonly params: OutputOf<Definition['params']>;
  readonly query: OutputOf<Definition['query']>;
  readonly headers: OutputOf<Definition['headers']>;
  readonly body: OutputOf<Definition['body']>;
}

type SchemaOf<Response> = Response extends { schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;

/** What a handler of the route gives: the body of one of its answers. */
export type RouteOutput<Definition extends RouteDefinition> = {
  [Status in keyof Definition['responses']]: SchemaOf<Definition['responses'][Status]>;
}[keyof Definition['responses']];

/** Status of a route's answer when nothing else is said: the first it names. */
export const defaultStatus = ({ responses }: Pick<RouteDefinition, 'responses'>): number =>
  Number(Object.keys(responses)[0]);
