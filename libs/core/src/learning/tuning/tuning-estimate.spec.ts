import type { Json } from '@pilothouse/contract/primitives.schema';
import { countExample, estimateTuning } from './tuning-estimate.ts';

const image = { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${'A'.repeat(4_000)}` } };

test.each<[string, Json, object]>([
  [
    'messages with an image',
    { messages: [{ role: 'user', content: [image, { type: 'text', text: '12345678' }] }] },
    { textBytes: 8, images: 1 },
  ],
  ['a text content', { messages: [{ role: 'assistant', content: 'größe' }] }, { textBytes: 7, images: 0 }],
  [
    'contents of Gemini',
    {
      systemInstruction: { parts: [{ text: 'abcd' }] },
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } }, { text: 'ef' }] }],
    },
    { textBytes: 6, images: 1 },
  ],
  [
    'a pair',
    { input: { messages: [] }, preferred_output: [{ content: 'ab' }], non_preferred_output: [{ content: 'c' }] },
    { textBytes: 3, images: 0 },
  ],
])('counts %s', (_title, example, counts) => {
  expect(countExample(example)).toEqual(counts);
});

test('counts an example with a very long list', () => {
  expect(countExample({ ids: Array.from({ length: 300_000 }, () => 'a') })).toEqual({ textBytes: 300_000, images: 0 });
});

const counts = { examples: 10, textBytes: 4_000, images: 10 };

test('the price is that of all tokens of all epochs', () => {
  const request = { tuner: 'together' as const, hyperparameters: { epochs: 2 } };
  expect(estimateTuning({ request, counts, share: 1, usdPerMillionTokens: 2 })).toEqual({
    ...{ examples: 10, textTokens: 1_000, images: 10, imageTokens: 12_000, epochs: 2, isEpochsAssumed: false },
    ...{ trainedTokens: 26_000, isExtrapolated: false, usdPerMillionTokens: 2, usd: 0.052, reason: null },
  });
});

test('a part of a file is scaled to the whole file, and missing epochs are those of the tuner', () => {
  const request = { tuner: 'vertex' as const, hyperparameters: {} };
  expect(estimateTuning({ request, counts, share: 0.5, usdPerMillionTokens: 1 })).toMatchObject({
    ...{ examples: 20, textTokens: 2_000, imageTokens: 20 * 516, epochs: 3, isEpochsAssumed: true },
    isExtrapolated: true,
  });
});

test('an unknown price and an unreadable file have no price, but a reason', () => {
  const request = { tuner: 'openai' as const, hyperparameters: { epochs: 1 } };
  expect(estimateTuning({ request, counts, share: 1, usdPerMillionTokens: null })).toMatchObject({
    ...{ trainedTokens: 13_000, usd: null },
    reason: expect.stringContaining('Price not known: set `trainingUsdPerMillionTokens`'),
  });
  expect(estimateTuning({ request, counts: null, share: 1, usdPerMillionTokens: 5 })).toMatchObject({
    ...{ examples: null, trainedTokens: null, usd: null },
    reason: expect.stringContaining('Tokens not known'),
  });
});
