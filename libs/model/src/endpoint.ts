import type { Clock } from '@pilothouse/core';

/** Whose wire protocol a model speaks. */
export const providers = ['gemini', 'openai', 'anthropic'] as const;
export type Provider = (typeof providers)[number];

/** Where a provider is reached. */
export interface Endpoint {
  readonly apiKey: string;
  /** Without a slash at the end; the provider's own when left out. */
  readonly baseUrl?: string;
  /** Sent with every call, e.g. who is to be billed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers come piece by piece, so that a provider that has gone silent is noticed (default: whole). */
  readonly stream?: boolean;
  /** Of `gemini`: models are those of a project of Google Cloud; there is no key then. */
  readonly vertex?: Vertex;
}

/** A project of Google Cloud, as Vertex AI knows it. */
export interface Vertex {
  readonly project: string;
  /** A region, or `global`. */
  readonly location: string;
  /** Key file of a service account; without one what the machine has by itself (application default credentials). */
  readonly keyFile?: string;
}

/** A model at a provider. */
export interface ModelRef {
  readonly provider: Provider;
  /** As the provider calls it. */
  readonly model: string;
}

/** What an adapter is made of. */
export interface AdapterOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly clock: Clock;
}

/**
 * Reads `provider/model`; the model may hold slashes.
 * @returns undefined for a provider that there is no adapter for
 */
export function readModelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf('/');
  const provider = providers.find((name) => name === text.slice(0, slash));
  const model = text.slice(slash + 1);
  return provider && model ? { provider, model } : undefined;
}
