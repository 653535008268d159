import type { Model } from '@pilothouse/core/ports/model.port';
import { anthropicModel } from './anthropic/anthropic.model.ts';
import type { AdapterOptions, Provider } from './model-endpoint.ts';
import { geminiModel } from './gemini/gemini.model.ts';
import { openaiModel } from './openai/openai.model.ts';

/** The adapter of each protocol. An adapter makes one call, without retries of the SDK. */
export const modelAdapters: Readonly<Record<Provider, (options: AdapterOptions) => Model>> = {
  gemini: geminiModel,
  openai: openaiModel,
  anthropic: anthropicModel,
};
