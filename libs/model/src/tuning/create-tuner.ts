import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { TunerKind } from '@pilothouse/contract/learning/tuning.schema';
import type { Tuner } from '@pilothouse/core/ports/tuner.port';
import type { Endpoint } from '../model-endpoint.ts';
import { FireworksTuner } from './fireworks.tuner.ts';
import { OpenAITuner } from './openai.tuner.ts';
import { TogetherTuner } from './together.tuner.ts';
import { TunerHttp } from './tuner-http.ts';
import { VertexTuner } from './vertex.tuner.ts';

/** A service at a model endpoint of the installation. */
export interface TunerOptions {
  readonly kind: Exclude<TunerKind, 'kubernetes'>;
  /** Name of the endpoint. */
  readonly name: string;
  readonly endpoint: Endpoint;
}

/** @throws PilothouseError MODEL_NOT_CONFIGURED if the endpoint lacks what the service needs */
export function createTuner({ kind, name, endpoint }: TunerOptions): Tuner {
  const { baseUrl, vertex } = endpoint;
  if (kind === 'vertex') {
    if (vertex) return new VertexTuner(vertex, baseUrl);
    throw new PilothouseError(
      'MODEL_NOT_CONFIGURED',
      `The endpoint ${name} has no project of Google Cloud: set GEMINI_VERTEX_PROJECT.`,
    );
  }
  if (baseUrl === undefined)
    throw new PilothouseError(
      'MODEL_NOT_CONFIGURED',
      `The endpoint ${name} has no base URL: add it to PILOTHOUSE_MODEL_ENDPOINTS.`,
    );
  const http = new TunerHttp(name, endpoint, baseUrl);
  if (kind === 'openai') return new OpenAITuner(http);
  if (kind === 'together') return new TogetherTuner(http);
  const [account] = /accounts\/[^/]+$/.exec(baseUrl.replace(/\/$/, '')) ?? [];
  if (account !== undefined) return new FireworksTuner(http, account);
  throw new PilothouseError(
    'MODEL_NOT_CONFIGURED',
    `The base URL of ${name} has no account: use https://api.fireworks.ai/v1/accounts/ACCOUNT.`,
  );
}
