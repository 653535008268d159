import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import type { GatewayHarness } from './gateway.fixture.ts';

/** Scripted models for the gateways of a harness, one per protocol: one built-in model and two that are only named. */
export async function startScriptedModels(
  harness: GatewayHarness,
  { overrides, fallback }: Partial<Pick<GatewayHarness['models'], 'overrides' | 'fallback'>> = {},
): Promise<ModelServer> {
  const server = await startModels();
  const endpoints = {
    gemini: { apiKey: 'key-of-gemini', baseUrl: server.url },
    openai: { apiKey: 'key-of-openai', baseUrl: `${server.url}/v1` },
    groq: { protocol: 'openai' as const, apiKey: 'key-of-groq', baseUrl: `${server.url}/v1` },
    work: { protocol: 'anthropic' as const, apiKey: 'key-of-work', baseUrl: server.url },
  };
  harness.models = { endpoints, overrides, fallback };
  return server;
}
