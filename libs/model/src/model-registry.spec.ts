import type { ModelEntry } from '@pilothouse/contract/model/model-settings.schema';
import { capabilitiesOf, knownPrices, mergedEntry, priceUsd } from './model-registry.ts';
import type { Provider } from './model-endpoint.ts';

const NOW = new Date('2026-11-30T00:00:00Z');

const ref = (name: string, protocol: Provider = 'openai', entry?: ModelEntry) => {
  const [provider = '', ...model] = name.split('/');
  return { provider, protocol, model: model.join('/'), entry };
};
const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 };

test.each<[string, Provider, object]>([
  ['gemini/gemini-3.5-flash', 'gemini', { dialect: 'calls', computer: { desktop: 'gemini_computer_use' } }],
  ['anthropic/claude-opus-5-5', 'anthropic', { computer: { desktop: 'computer_toolset_20260801' } }],
  ['gemini/gemini-2.5-flash', 'gemini', { dialect: 'calls', computer: {} }],
  [
    'gemini/gemini-2.5-computer-use-preview-10-2025',
    'gemini',
    { dialect: 'calls', computer: { browser: 'gemini_computer_use' } },
  ],
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
  expect(priceUsd(ref('openai/gpt-5-mini', 'openai', entry), usage, NOW)).toBe(5);
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
  expect(priceUsd(ref(name, protocol), usage, NOW)).toBe(usd);
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

/** Models in the types of the newest SDKs that the providers list for chat, with a published price. */
const listedModels = {
  openai: ['gpt-5.4-mini', 'gpt-5.5', 'gpt-5.5-pro', 'gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'].concat([
    'gpt-6-astra',
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6.1-sol',
    'gpt-6.1-terra',
    'gpt-6.2-astra',
    'gpt-6.2-sol',
  ]),
  anthropic: ['claude-opus-5', 'claude-opus-5-5', 'claude-sonnet-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'].concat([
    'claude-fable-5',
    'claude-fable-5-1',
    'claude-mythos-5',
  ]),
  gemini: [
    'gemini-3.1-pro',
    'gemini-3.5-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.6-flash',
    'gemini-3.7-flash',
  ].concat(['gemini-3.8-flash', 'gemini-4-argon', 'gemini-4-carbon', 'gemini-4-hydrogen']),
} as const;

test.each(
  Object.entries(listedModels).flatMap(([provider, models]) => models.map((name) => [provider, name] as const)),
)('%s/%s has a price with a source, and abilities', (provider, name) => {
  const target = ref(`${provider}/${name}`, provider as Provider);
  expect(priceUsd(target, usage, NOW)).toBeGreaterThan(0);
  expect(knownPrices().find(({ model }) => model === `${provider}/${name}`)?.source).toMatchObject({
    kind: expect.stringMatching(/^(provider|third-party)$/),
    read: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
  });
  expect(capabilitiesOf(target)).toMatchObject({ dialect: 'calls' });
});

test.each([
  ['openai/gpt-6.9-nova', 'openai'],
  ['openai/gpt-7', 'openai'],
  ['anthropic/claude-fable-6', 'anthropic'],
  ['gemini/gemini-4-neon', 'gemini'],
] as const)('an unknown successor %s has abilities and no price', (name, provider) => {
  expect(capabilitiesOf(ref(name, provider))).toMatchObject({ dialect: 'calls' });
  expect(priceUsd(ref(name, provider), usage, NOW)).toBeNull();
});

test('prices of the settings come first and have no source', () => {
  expect(knownPrices({ 'llama/*': { price: { input: 0, output: 0 } } })[0]).toEqual({
    model: 'llama/*',
    input: 0,
    output: 0,
    source: null,
  });
});

test('an announced price applies from its date', () => {
  const target = ref('gemini/gemini-3.8-flash', 'gemini');
  expect(priceUsd(target, usage, new Date('2026-12-31T23:59:59Z'))).toBe(0.75);
  expect(priceUsd(target, usage, new Date('2027-01-01T00:00:00Z'))).toBe(1.5);
});
