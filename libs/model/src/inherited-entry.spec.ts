import { capabilitiesOf, inheritedEntry, priceUsd } from './model-registry.ts';
import type { ModelEntry } from '@pilothouse/contract/model/model-settings.schema';
import type { ModelRef } from './model-endpoint.ts';

const NOW = new Date('2026-11-30T00:00:00Z');

const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 };
const base: ModelRef = { provider: 'gemini', model: 'gemini-2.5-flash', protocol: 'gemini' };
const tuned: ModelRef = { provider: 'gemini', model: 'projects/p/locations/l/endpoints/1', protocol: 'gemini' };

test('an unknown model has the price and capabilities of its base', () => {
  expect(priceUsd(tuned, usage, NOW)).toBeNull();
  const ref = { ...tuned, entry: inheritedEntry(tuned, base) };
  expect(priceUsd(ref, usage, NOW)).toBe(priceUsd(base, usage, NOW));
  expect(capabilitiesOf(ref).acceptsImages).toBe(capabilitiesOf(base).acceptsImages);
});

test('own settings precede those of the base', () => {
  const entry = { price: { input: 7, output: 1 }, acceptsImages: false, dialect: 'aura' as const };
  expect(inheritedEntry({ ...tuned, entry }, base)).toMatchObject(entry);
});

test('settings of the base are inherited', () => {
  const entry: ModelEntry = {
    price: { input: 3, output: 1 },
    acceptsImages: false,
    dialect: 'ui-tars',
    computerTool: 'none',
    temperature: false,
    timeoutSeconds: 300,
    contextTokens: 8192,
    outputTokens: 1024,
    minOutputTokens: 512,
    profile: 'compact',
  };
  expect(inheritedEntry(tuned, { ...base, entry })).toEqual(entry);
});

test('values of the base in the table are inherited, and own settings precede them', () => {
  const gpt: ModelRef = { provider: 'openai', model: 'gpt-6-sol', protocol: 'openai' };
  const ref = { ...gpt, model: 'tuned-1' };
  const known = { contextTokens: 1_050_000, outputTokens: 128_000, minOutputTokens: 4000, temperature: false };
  expect(capabilitiesOf({ ...ref, entry: inheritedEntry(ref, gpt) })).toMatchObject(known);
  const own = { ...ref, entry: { timeoutSeconds: 30, contextTokens: 8192, profile: 'full' as const } };
  expect(inheritedEntry(own, gpt)).toMatchObject({
    ...known,
    timeoutSeconds: 30,
    contextTokens: 8192,
    profile: 'full',
  });
});

test('without a known base nothing is inherited', () => {
  expect(inheritedEntry(tuned, null)).toEqual({});
});
