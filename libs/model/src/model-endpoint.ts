import { modelProtocols, type ModelEntry, type ModelProtocol } from '@pilothouse/contract';
import type { Clock } from '@pilothouse/core';

/** Whose wire protocol a model speaks. */
export const providers = modelProtocols;
export type Provider = ModelProtocol;

/** A model endpoint. */
export interface Endpoint {
  readonly apiKey: string;
  /** Without a slash at the end; the provider's own when left out. */
  readonly baseUrl?: string;
  /** Headers of every call, e.g. for billing. */
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
  /** Key file of a service account. Default: application default credentials. */
  readonly keyFile?: string;
}

/** A model at an endpoint. */
export interface ModelRef {
  /** Name of the endpoint; defaults to the protocol. */
  readonly provider: string;
  /** As the provider calls it. */
  readonly model: string;
  readonly protocol: Provider;
  /** Settings of the installation for the model, which override the built-in tables. */
  readonly entry?: ModelEntry | undefined;
}

/** Options of an adapter. */
export interface AdapterOptions {
  readonly endpoint: Endpoint;
  readonly model: string;
  /** Name of the endpoint (default: the protocol). */
  readonly name?: string;
  readonly entry?: ModelEntry | undefined;
  readonly clock: Clock;
}

/** The model of an adapter. */
export const toModelRef = (protocol: Provider, { name = protocol, model, entry }: AdapterOptions): ModelRef => ({
  provider: name,
  model,
  protocol,
  entry,
});

/** `endpoint/model`, as people name it. */
export const fullModelName = ({ provider, model }: Pick<ModelRef, 'provider' | 'model'>): string =>
  `${provider}/${model}`;

/**
 * Reads `endpoint/model`; the model may hold slashes.
 * @returns undefined for a text that is none
 */
export function parseModelName(text: string): { readonly endpoint: string; readonly model: string } | undefined {
  const slash = text.indexOf('/');
  const [endpoint, model] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)];
  return endpoint && model ? { endpoint, model } : undefined;
}
