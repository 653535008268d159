import { modelProtocols, type ModelEntry, type ModelProtocol } from '@pilothouse/contract/model/model-settings.schema';
import type { Clock } from '@pilothouse/core/ports/runtime.port';

/** Wire protocols, by their provider. */
export const providers = modelProtocols;
export type Provider = ModelProtocol;

/** A model endpoint. */
export interface Endpoint {
  readonly apiKey: string;
  /** Without a trailing slash (default: the URL of the provider). */
  readonly baseUrl?: string;
  /** Headers of every call, e.g. for billing. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Streams answers, which detects silent providers (default: false). */
  readonly stream?: boolean;
  /** Maximum seconds of a call with its retries (default: 120). */
  readonly timeoutSeconds?: number;
  /** `gemini` only: uses Vertex AI with a service account instead of a key. */
  readonly vertex?: Vertex;
}

/** A Google Cloud project for Vertex AI. */
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
  /** Name at the provider. */
  readonly model: string;
  readonly protocol: Provider;
  /** Settings of the installation for the model, which override the built-in tables. */
  readonly entry?: ModelEntry | undefined;
}

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

/** Returns `endpoint/model`. */
export const fullModelName = ({ provider, model }: Pick<ModelRef, 'provider' | 'model'>): string =>
  `${provider}/${model}`;

/**
 * Parses `endpoint/model`. The model may contain slashes.
 * @returns undefined for any other text
 */
export function parseModelName(text: string): { readonly endpoint: string; readonly model: string } | undefined {
  const slash = text.indexOf('/');
  const [endpoint, model] = [text.slice(0, Math.max(0, slash)), text.slice(slash + 1)];
  return endpoint && model ? { endpoint, model } : undefined;
}
