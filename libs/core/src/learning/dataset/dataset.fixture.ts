import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';

/** An example in which a model clicked button `Order`. */
export const anExample = (overrides: Partial<DatasetExample> = {}): DatasetExample => ({
  run: '0198c0de-0000-7000-8000-000000000001',
  ordinal: 1,
  split: 'train',
  workflow: 'order-supplies',
  site: 'shop.test',
  at: '2026-11-01T12:00:00.000Z',
  surface: 'browser',
  goal: 'Order three ropes',
  input: { system: 'You operate a browser.', text: 'Goal: Order three ropes' },
  prompt: { name: 'act-text', version: 10 },
  tier: 'text',
  turnSource: 'model',
  model: 'gemini/gemini-3-flash',
  dialect: 'calls',
  page: {
    url: 'https://shop.test/catalogue?session=1',
    title: 'Catalogue',
    viewport: { width: 1000, height: 800 },
    elements: [
      {
        index: 3,
        role: 'button',
        name: 'Order',
        state: {},
        tags: [],
        bounds: { x: 100, y: 200, width: 100, height: 40 },
      },
      {
        index: 4,
        role: 'textbox',
        name: 'Amount',
        value: '12,00',
        state: {},
        tags: [],
        bounds: { x: 100, y: 300, width: 100, height: 40 },
      },
    ],
  },
  image: {
    sha256: 'a'.repeat(64),
    perceptualHash: '0123456789abcdef',
    width: 1000,
    height: 800,
    bytes: 30_000,
  },
  thought: 'The button orders the ropes.',
  actions: [
    {
      kind: 'act',
      action: { action: 'click', target: { elementIndex: 3 } },
      target: { x: 100, y: 200, width: 100, height: 40 },
    },
  ],
  expects: null,
  outcome: 'Page: Order 1',
  quality: 'good',
  labelSource: 'rule',
  reason: 'Verified',
  correction: null,
  textHash: 'b'.repeat(64),
  ...overrides,
});

/** A bad step with a correction: the amount was to be changed first. */
export const aCorrectedExample = (overrides: Partial<DatasetExample> = {}): DatasetExample =>
  anExample({
    quality: 'bad',
    labelSource: 'person',
    reason: 'The amount is wrong',
    correction: {
      thought: 'The amount must be 3 first.',
      actions: [
        {
          kind: 'act',
          action: { action: 'fill', target: { elementIndex: 4 }, text: '3' },
          target: { x: 100, y: 300, width: 100, height: 40 },
        },
      ],
    },
    ...overrides,
  });
