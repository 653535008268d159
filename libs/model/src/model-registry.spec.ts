import type { ModelEntry } from '@pilothouse/contract/model/model-settings.schema';
import { capabilitiesOf, mergedEntry, priceUsd } from './model-registry.ts';
import type { Provider } from './model-endpoint.ts';

const ref = (name: string, protocol: Provider = 'openai', entry?: ModelEntry) => {
  const [provider = '', ...model] = name.split('/');
  return { provider, protocol, model: model.join('/'), entry };
};
const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 };

test.each<[string, Provider, object]>([
  ['gemini/gemini-3.5-flash', 'gemini', { dialect: 'calls', computer: ['desktop'] }],
  ['gemini/gemini-2.5-flash', 'gemini', { dialect: 'calls', computer: [] }],
  ['gemini/gemini-2.5-computer-use-preview-10-2025', 'gemini', { dialect: 'calls', computer: ['browser'] }],
  ['openai/o1-mini', 'openai', { dialect: 'aura', acceptsImages: false }],
  ['work/claude-haiku-4-5', 'anthropic', { dialect: 'calls', acceptsImages: true }],
  ['openrouter/openai/gpt-5-mini', 'openai', { dialect: 'calls' }],
  ['vllm/ByteDance-Seed/UI-TARS-1.5-7B', 'openai', { dialect: 'ui-tars-1.5', acceptsImages: true }],
  ['ollama/avil/ui-tars:latest', 'openai', { dialect: 'ui-tars' }],
  ['gemini/tuned-echo-prism-3', 'gemini', { dialect: 'echo-prism' }],
  ['vllm/gpt-oss-20b', 'openai', { dialect: undefined, acceptsImages: true }],
])('capabilities of %s', (name, protocol, capabilities) => {
  expect(capabilitiesOf(ref(name, protocol))).toMatchObject(capabilities);
});

test('settings of the installation override the tables', () => {
  const entry: ModelEntry = { dialect: 'aura', acceptsImages: false, price: { input: 5, output: 9 } };
  expect(capabilitiesOf(ref('openai/gpt-5-mini', 'openai', entry))).toMatchObject({
    dialect: 'aura',
    acceptsImages: false,
  });
  expect(priceUsd(ref('openai/gpt-5-mini', 'openai', entry), usage)).toBe(5);
  expect(capabilitiesOf(ref('openai/gpt-5-mini', 'openai', { acceptsImages: false }))).toMatchObject({
    dialect: 'calls',
    acceptsImages: false,
  });
});

test.each<[string, Provider, number | null]>([
  ['openai/gpt-5-mini', 'openai', 0.25],
  ['azure/gpt-5-mini-2025-08-07', 'openai', 0.25],
  ['openrouter/openai/gpt-5-mini', 'openai', 0.25],
  ['work/claude-haiku-4-5-20251001', 'anthropic', 1],
  ['groq/llama-4', 'openai', null],
])('%s has the price of its family', (name, protocol, usd) => {
  expect(priceUsd(ref(name, protocol), usage)).toBe(usd);
});

test('merges patterns by specificity; an exact name overrides patterns', () => {
  const table = {
    '*': { acceptsImages: true, dialect: 'calls' },
    'vllm/*-VL-*': { dialect: 'aura' },
    'vllm/qwen-vl-7b': { acceptsImages: false },
    'vllm/*x': { dialect: 'deskpilot' },
  };
  expect(mergedEntry(table, ref('vllm/Qwen-vl-7b'))).toEqual({ acceptsImages: true, dialect: 'aura' });
  expect(mergedEntry(table, ref('vllm/qwen-vl-7b'))).toEqual({ acceptsImages: false, dialect: 'aura' });
  expect(mergedEntry(table, ref('vllm/x'))).toEqual({ acceptsImages: true, dialect: 'deskpilot' });
  expect(mergedEntry({ [`${'*a'.repeat(30)}`]: { acceptsImages: true } }, ref(`vllm/${'a'.repeat(5_000)}b`))).toEqual(
    {},
  );
  expect(mergedEntry({}, ref('constructor/constructor'))).toEqual({});
});
