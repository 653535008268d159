import type { Model } from '@pilothouse/core';
import { anthropicModel } from './anthropic/anthropic.model.ts';
import type { AdapterOptions, Provider } from './model-endpoint.ts';
import { geminiModel } from './gemini/gemini.model.ts';
import { openaiModel } from './openai/openai.model.ts';

/** The adapter of each provider: it asks once, and the SDK does not try again by itself. */
export const modelAdapters: Readonly<Record<Provider, (options: AdapterOptions) => Model>> = {
  gemini: geminiModel,
  openai: openaiModel,
  anthropic: anthropicModel,
};
