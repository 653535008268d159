import { startModels, type ModelServer } from '@pilothouse/testing';
import type { GatewayHarness } from './gateway.fixture.ts';

/** Models that answer the gateways of a house from a script, each by the protocol of its provider; of a provider's own and of two that only name one. */
export async function startScriptedModels(
  house: GatewayHarness,
  { overrides, fallback }: Partial<Pick<GatewayHarness['models'], 'overrides' | 'fallback'>> = {},
): Promise<ModelServer> {
  const server = await startModels();
  const endpoints = {
    gemini: { apiKey: 'key-of-gemini', baseUrl: server.url },
    openai: { apiKey: 'key-of-openai', baseUrl: `${server.url}/v1` },
    groq: { protocol: 'openai' as const, apiKey: 'key-of-groq', baseUrl: `${server.url}/v1` },
    work: { protocol: 'anthropic' as const, apiKey: 'key-of-work', baseUrl: server.url },
  };
  house.models = { endpoints, overrides, fallback };
  return server;
}
