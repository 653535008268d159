import { turnRecordSchema, type TurnRecord } from '@pilothouse/contract/learning/turn-record.schema';
import { anElement } from './agent-builders.ts';

const RUN = '0198c0de-0000-7000-8000-000000000001';
const SCREENSHOT = '0198c0de-0000-7000-8000-000000000002';

/** Record of a turn of a model that clicked button `B3`, and was verified. */
export const turnRecord = (overrides: Partial<TurnRecord> = {}): TurnRecord =>
  turnRecordSchema.parse({
    version: 1,
    run: RUN,
    attempt: 1,
    step: 0,
    id: null,
    turn: 1,
    order: 1,
    at: '2026-11-01T12:00:00.000Z',
    surface: 'browser',
    goal: 'Order three ropes',
    input: { system: 'You operate a browser.', text: 'Goal: Order three ropes' },
    prompt: { name: 'act-text', version: 1 },
    tier: 'text',
    source: 'model',
    model: 'gemini/gemini-3-flash',
    dialect: 'calls',
    observation: {
      url: 'https://shop.test/catalogue',
      title: 'Catalogue',
      viewport: { width: 1000, height: 800 },
      elements: [anElement(3)],
      text: '',
    },
    screenshot: { artifact: SCREENSHOT, width: 1000, height: 800, scale: 1, hasMarks: false },
    thought: 'The button orders the ropes.',
    answer: { text: 'The button orders the ropes.', calls: [{ name: 'click', args: { element: 3 } }] },
    actions: [
      {
        sequence: 1,
        kind: 'act',
        title: 'Click [3] button "B3"',
        action: { action: 'click', target: { elementIndex: 3 } },
        target: { x: 0, y: 60, width: 100, height: 20 },
        call: { name: 'click', args: { element: 3 } },
      },
    ],
    outcomes: [
      {
        sequence: 1,
        error: null,
        durationMs: 120,
        urlAfter: 'https://shop.test/orders/1',
        titleAfter: 'Order 1',
        hasChanged: true,
      },
    ],
    verification: { result: 'verified', note: 'As expected: title “Order 1”' },
    ...overrides,
  });
