import {
  endpointNameSchema,
  headersSchema,
  modelEndpointSchema,
  modelEntrySchema,
  modelNameSchema,
  modelProtocols,
  type ModelChoice,
  type ModelEntry,
  type ModelProtocol,
  type NamedEndpoint,
} from '@pilothouse/contract/model/model-settings.schema';
import { z } from 'zod';
import { booleanVariable, jsonVariable, readablePath, url, integer } from './variable-types.ts';
import { readEnvironment, type Environment } from './read-environment.ts';

const modelNames = z.string().transform((text, context) => {
  const list = text.split(',').flatMap((part) => part.trim() || []);
  if (list.length <= 5 && list.every((name) => modelNameSchema.safeParse(name).success)) return list;
  context.addIssue({
    code: 'custom',
    message: 'set it to at most five models separated by commas, each as endpoint/model, e.g. gemini/gemini-2.5-flash',
  });
  return z.NEVER;
});

const headers = jsonVariable(headersSchema);

const apiKeySchema = z.string().regex(/^[\x21-\x7e]+$/, { error: 'set it to a key, without spaces or line breaks' });

/** Validates a project or a region of Google Cloud, which becomes a part of addresses. */
const googleCloudName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9:.-]*$/, { error: 'set it to a Google Cloud name: lowercase letters, digits, hyphens' });

/** Endpoint names whose key variables have another meaning: those of the API itself and of Google Cloud. */
const RESERVED_NAMES = ['pilothouse', 'vertex'];

/**
 * Endpoints in addition to the three that are named like their protocol. The key of `my-vllm` is in MY_VLLM_API_KEY.
 */
const namedEndpointsSchema = z
  .record(z.string(), modelEndpointSchema, {
    error: 'set it to a JSON object of endpoints by name, e.g. {"groq": {"baseUrl": "https://api.groq.com/openai/v1"}}',
  })
  .superRefine((endpoints, context) => {
    for (const name of Object.keys(endpoints)) {
      const [issue] = endpointNameSchema.safeParse(name).error?.issues ?? [];
      const isReserved = [...modelProtocols, ...RESERVED_NAMES].includes(name);
      const message = isReserved
        ? `${[...modelProtocols, ...RESERVED_NAMES].join(', ')} have their own variables; use another name`
        : issue?.message;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
  });

const overrides = z.record(z.string(), modelEntrySchema, {
  error: 'set it to a JSON object by model, e.g. {"vllm/*": {"dialect": "aura"}}',
});

/** Variables of the model settings. */
export const modelSettings = {
  PILOTHOUSE_MODEL: modelNames.optional(),
  PILOTHOUSE_MODEL_ENDPOINTS: jsonVariable(namedEndpointsSchema).optional(),
  PILOTHOUSE_MODEL_OVERRIDES: jsonVariable(overrides).optional(),
  PILOTHOUSE_MODEL_CALLS_PER_MINUTE: integer(1, 1_000_000).optional(),
  PILOTHOUSE_MODEL_STREAMING: booleanVariable.default(false),
  GEMINI_API_KEY: apiKeySchema.optional(),
  GEMINI_BASE_URL: url('http', 'https').optional(),
  GEMINI_VERTEX_PROJECT: googleCloudName.optional(),
  GEMINI_VERTEX_LOCATION: googleCloudName.optional(),
  GEMINI_VERTEX_KEY_FILE: readablePath.optional(),
  OPENAI_API_KEY: apiKeySchema.optional(),
  OPENAI_BASE_URL: url('http', 'https').optional(),
  OPENAI_HEADERS: headers.optional(),
  ANTHROPIC_API_KEY: apiKeySchema.optional(),
  ANTHROPIC_BASE_URL: url('http', 'https').optional(),
};

const settings: ReadonlySet<string> = new Set(Object.keys(modelSettings));

/** True if only API and job runner may have an environment variable: a key, or an address that receives keys. */
export const isModelVariable = (name: string): boolean =>
  settings.has(name) || name.endsWith('_API_KEY') || name.startsWith('DESTINATION_');

/** Connection settings of a model endpoint. */
export interface ModelEndpoint {
  /** Protocol. Default: the name of the endpoint. */
  readonly protocol?: ModelProtocol;
  /** Maximum calls per minute with its key. Default: the installation-wide limit. */
  readonly callsPerMinute?: number;
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Streams responses. */
  readonly stream?: boolean;
  /** Maximum seconds of a call with its retries. */
  readonly timeoutSeconds?: number;
  /** Gemini only: a Google Cloud project instead of a key. */
  readonly vertex?: { readonly project: string; readonly location: string; readonly keyFile?: string };
}

/** Model settings of an installation. */
export interface ModelsConfig {
  /** Models for projects without configured models. */
  readonly fallback: ModelChoice | undefined;
  /** Calls per minute with one key, over all replicas. Undefined: no limit. */
  readonly callsPerMinute: number | undefined;
  /**
   * By name: `gemini`, `openai` and `anthropic` when they have a key or an address, and endpoints that the
   * installation names.
   */
  readonly endpoints: Readonly<Record<string, ModelEndpoint | undefined>>;
  /** Capabilities and prices of models by name; `*` matches any text. */
  readonly overrides?: Readonly<Record<string, ModelEntry>> | undefined;
}

/** Settings as parsed from the environment. */
interface ParsedModelSettings {
  readonly PILOTHOUSE_MODEL?: string[];
  readonly PILOTHOUSE_MODEL_ENDPOINTS?: Record<string, NamedEndpoint>;
  readonly PILOTHOUSE_MODEL_OVERRIDES?: Record<string, ModelEntry>;
  readonly PILOTHOUSE_MODEL_CALLS_PER_MINUTE?: number;
  readonly PILOTHOUSE_MODEL_STREAMING: boolean;
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

/** A server on a private address may need no key. */
function endpoint(apiKey: string | undefined, base: string | undefined): ModelEndpoint | undefined {
  if (apiKey === undefined && base === undefined) return undefined;
  const baseUrl = base?.replace(/\/+$/, '');
  return { apiKey: apiKey ?? 'none', ...(baseUrl && { baseUrl }) };
}

function gemini(env: ParsedModelSettings): ModelEndpoint | undefined {
  const { GEMINI_VERTEX_PROJECT: project, GEMINI_VERTEX_LOCATION: location = 'global' } = env;
  const { GEMINI_VERTEX_KEY_FILE: keyFile, GEMINI_API_KEY: apiKey, GEMINI_BASE_URL: base } = env;
  const plain = endpoint(apiKey, base);
  if (project === undefined) return plain;
  return { apiKey: 'none', ...plain, vertex: { project, location, ...(keyFile !== undefined && { keyFile }) } };
}

/** Checks combinations of settings. */
export function validateModelSettings(
  env: ParsedModelSettings,
  addIssue: (name: string, message: string) => void,
): void {
  const { GEMINI_VERTEX_PROJECT: project, GEMINI_VERTEX_LOCATION: location, GEMINI_VERTEX_KEY_FILE: file } = env;
  if (project === undefined && (location ?? file) !== undefined)
    addIssue('GEMINI_VERTEX_PROJECT', 'set it to the Google Cloud project of the other GEMINI_VERTEX_ variables');
  if (project !== undefined && env.GEMINI_API_KEY !== undefined)
    addIssue('GEMINI_API_KEY', 'unset it, or unset GEMINI_VERTEX_PROJECT: only one of them may be set');
  const endpointNames = [...modelProtocols, ...Object.keys(env.PILOTHOUSE_MODEL_ENDPOINTS ?? {})];
  for (const name of env.PILOTHOUSE_MODEL ?? []) {
    if (endpointNames.includes(name.split('/')[0] ?? '')) continue;
    addIssue(
      'PILOTHOUSE_MODEL',
      `there is no endpoint for ${name}: use ${endpointNames.join(', ')}, or add it to PILOTHOUSE_MODEL_ENDPOINTS`,
    );
  }
}

/** Name of the variable with the key of a named endpoint. */
const keyVariable = (name: string) => `${name.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** @throws ConfigError when the key is invalid */
function namedEndpoints(env: ParsedModelSettings, environment: Environment): [string, ModelEndpoint][] {
  const entries = Object.entries(env.PILOTHOUSE_MODEL_ENDPOINTS ?? {});
  const schema = z.object(Object.fromEntries(entries.map(([name]) => [keyVariable(name), apiKeySchema.optional()])));
  const keys = readEnvironment(schema, environment);
  return entries.map(([name, { baseUrl, ...rest }]) => [
    name,
    { ...rest, apiKey: keys[keyVariable(name)] ?? 'none', ...(baseUrl && { baseUrl: baseUrl.replace(/\/+$/, '') }) },
  ]);
}

/**
 * Converts the parsed settings for the API.
 * @param environment contains the keys of the named endpoints
 * @throws ConfigError
 */
export function toModelsConfig(env: ParsedModelSettings, environment: Environment): ModelsConfig {
  const openai = endpoint(env.OPENAI_API_KEY, env.OPENAI_BASE_URL);
  const endpoints: [string, ModelEndpoint | undefined][] = [
    ['gemini', gemini(env)],
    ['openai', openai && { ...openai, ...(env.OPENAI_HEADERS && { headers: env.OPENAI_HEADERS }) }],
    ['anthropic', endpoint(env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL)],
    ...namedEndpoints(env, environment),
  ];
  return {
    fallback: env.PILOTHOUSE_MODEL && { use: env.PILOTHOUSE_MODEL },
    callsPerMinute: env.PILOTHOUSE_MODEL_CALLS_PER_MINUTE,
    endpoints: Object.fromEntries(
      endpoints.flatMap(([name, endpoint]) =>
        endpoint ? [[name, { ...(env.PILOTHOUSE_MODEL_STREAMING && { stream: true }), ...endpoint }]] : [],
      ),
    ),
    ...(env.PILOTHOUSE_MODEL_OVERRIDES && { overrides: env.PILOTHOUSE_MODEL_OVERRIDES }),
  };
}
