import { capabilitiesOf, inheritedEntry, priceUsd } from './model-registry.ts';
import type { ModelRef } from './model-endpoint.ts';

const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 0 };
const base: ModelRef = { provider: 'gemini', model: 'gemini-2.5-flash', protocol: 'gemini' };
const tuned: ModelRef = { provider: 'gemini', model: 'projects/p/locations/l/endpoints/1', protocol: 'gemini' };

test('an unknown model has the price and capabilities of its base', () => {
  expect(priceUsd(tuned, usage)).toBeNull();
  const ref = { ...tuned, entry: inheritedEntry(tuned, base) };
  expect(priceUsd(ref, usage)).toBe(priceUsd(base, usage));
  expect(capabilitiesOf(ref).acceptsImages).toBe(capabilitiesOf(base).acceptsImages);
});

test('own settings precede those of the base', () => {
  const entry = { price: { input: 7, output: 1 }, acceptsImages: false, dialect: 'aura' as const };
  expect(inheritedEntry({ ...tuned, entry }, base)).toEqual(entry);
});

test('settings of the base are inherited', () => {
  const entry = { price: { input: 3, output: 1 }, acceptsImages: false, dialect: 'ui-tars' as const };
  expect(inheritedEntry(tuned, { ...base, entry })).toEqual(entry);
});

test('without a known base nothing is inherited', () => {
  expect(inheritedEntry(tuned, null)).toEqual({});
});
