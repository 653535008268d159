import { modelNameSchema, type ModelChoice } from '@pilothouse/contract';
import { z } from 'zod';
import { flag, json, readable, url, whole } from './parts.ts';

const names = z.string().transform((text, context) => {
  const list = text.split(',').flatMap((part) => part.trim() || []);
  if (list.length <= 5 && list.every((name) => modelNameSchema.safeParse(name).success)) return list;
  context.addIssue({
    code: 'custom',
    message:
      'set it to at most five models with commas between them, each as provider/model with gemini, openai or anthropic, e.g. gemini/gemini-2.5-flash',
  });
  return z.NEVER;
});

const headers = json(
  z.record(z.string().regex(/^[\w-]+$/), z.string(), { error: 'set it to a JSON object of texts by header' }),
);

const key = z.string().regex(/^[\x21-\x7e]+$/, { error: 'set it to a key, without spaces or line breaks' });

/** A project or a region of Google Cloud: a part of addresses. */
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9:.-]*$/, { error: 'set it to a name of Google Cloud: small letters, digits, hyphens' });

/** Where models are asked, and which one. */
export const modelSettings = {
  PILOTHOUSE_MODEL: names.optional(),
  PILOTHOUSE_MODEL_CALLS_PER_MINUTE: whole(1, 1_000_000).optional(),
  PILOTHOUSE_MODEL_STREAM: flag.default(false),
  GEMINI_API_KEY: key.optional(),
  GEMINI_BASE_URL: url('http', 'https').optional(),
  GEMINI_VERTEX_PROJECT: name.optional(),
  GEMINI_VERTEX_LOCATION: name.optional(),
  GEMINI_VERTEX_KEY_FILE: readable.optional(),
  OPENAI_API_KEY: key.optional(),
  OPENAI_BASE_URL: url('http', 'https').optional(),
  OPENAI_HEADERS: headers.optional(),
  ANTHROPIC_API_KEY: key.optional(),
  ANTHROPIC_BASE_URL: url('http', 'https').optional(),
};

/** Variables of the environment that only the API is given: they hold keys, or say where keys are sent. */
export const modelVariables: readonly string[] = Object.keys(modelSettings);

/** Where a provider is reached. */
export interface ModelEndpoint {
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers come piece by piece. */
  readonly stream?: boolean;
  /** Of Gemini: a project of Google Cloud in the place of a key. */
  readonly vertex?: { readonly project: string; readonly location: string; readonly keyFile?: string };
}

/** The models of an installation. */
export interface ModelsConfig {
  /** What is asked where a project says nothing. */
  readonly fallback: ModelChoice | undefined;
  /** Calls a minute with one key, over all replicas; without it nobody counts. */
  readonly callsPerMinute: number | undefined;
  readonly endpoints: {
    readonly gemini?: ModelEndpoint;
    readonly openai?: ModelEndpoint;
    readonly anthropic?: ModelEndpoint;
  };
}

/** The settings as they were read. */
interface Read {
  readonly PILOTHOUSE_MODEL?: string[];
  readonly PILOTHOUSE_MODEL_CALLS_PER_MINUTE?: number;
  readonly PILOTHOUSE_MODEL_STREAM: boolean;
  readonly GEMINI_API_KEY?: string;
  readonly GEMINI_BASE_URL?: string;
  readonly GEMINI_VERTEX_PROJECT?: string;
  readonly GEMINI_VERTEX_LOCATION?: string;
  readonly GEMINI_VERTEX_KEY_FILE?: string;
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_BASE_URL?: string;
  readonly OPENAI_HEADERS?: Record<string, string>;
  readonly ANTHROPIC_API_KEY?: string;
  readonly ANTHROPIC_BASE_URL?: string;
}

/** A server in one's own network may want no key. */
function endpoint(apiKey: string | undefined, base: string | undefined): ModelEndpoint | undefined {
  if (apiKey === undefined && base === undefined) return undefined;
  const baseUrl = base?.replace(/\/+$/, '');
  return { apiKey: apiKey ?? 'none', ...(baseUrl && { baseUrl }) };
}

function gemini(env: Read): ModelEndpoint | undefined {
  const { GEMINI_VERTEX_PROJECT: project, GEMINI_VERTEX_LOCATION: location = 'global' } = env;
  const { GEMINI_VERTEX_KEY_FILE: keyFile, GEMINI_API_KEY: key, GEMINI_BASE_URL: base } = env;
  const plain = endpoint(key, base);
  if (project === undefined) return plain;
  return { apiKey: 'none', ...plain, vertex: { project, location, ...(keyFile !== undefined && { keyFile }) } };
}

/** What goes together, and what does not. */
export function modelProblems(env: Read, say: (name: string, message: string) => void): void {
  const { GEMINI_VERTEX_PROJECT: project, GEMINI_VERTEX_LOCATION: location, GEMINI_VERTEX_KEY_FILE: file } = env;
  if (project === undefined && (location ?? file) !== undefined)
    say(
      'GEMINI_VERTEX_PROJECT',
      'set it to the project of Google Cloud that the other GEMINI_VERTEX_ variables are of',
    );
  if (project !== undefined && env.GEMINI_API_KEY !== undefined)
    say('GEMINI_API_KEY', 'leave it out with GEMINI_VERTEX_PROJECT: calls are made with one or the other');
}

/** The settings as the API uses them. */
export function modelsOf(env: Read): ModelsConfig {
  const openai = endpoint(env.OPENAI_API_KEY, env.OPENAI_BASE_URL);
  const streamed = (one: ModelEndpoint | undefined) =>
    one && { ...one, ...(env.PILOTHOUSE_MODEL_STREAM && { stream: true }) };
  return {
    fallback: env.PILOTHOUSE_MODEL && { use: env.PILOTHOUSE_MODEL },
    callsPerMinute: env.PILOTHOUSE_MODEL_CALLS_PER_MINUTE,
    endpoints: {
      gemini: streamed(gemini(env)),
      openai: streamed(openai && { ...openai, ...(env.OPENAI_HEADERS && { headers: env.OPENAI_HEADERS }) }),
      anthropic: streamed(endpoint(env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL)),
    },
  };
}
