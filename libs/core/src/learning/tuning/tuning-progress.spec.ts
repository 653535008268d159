import {
  MAX_LOSS_POINTS,
  MAX_TUNING_MESSAGES,
  tuningCheckpointSchema,
} from '@pilothouse/contract/learning/tuning-progress.schema';
import { addTuningState } from './tuning-progress.ts';

const stored = tuningCheckpointSchema.parse({ tunerJob: 'ft-1' });
const message = (text: string) => ({ at: null, text });
const aState = (facts: Partial<Parameters<typeof addTuningState>[1]> = {}) => ({
  ...{ providerStatus: 'running', trainedTokens: null, messages: [message('begun')] },
  loss: [{ step: 1, trainingLoss: 2, validationLoss: null }],
  ...facts,
});

test('a new state has the time of its first read, and a repeated one changes nothing', () => {
  const first = addTuningState(stored, aState(), '2026-05-04T12:00:00.000Z');
  expect(first.states).toEqual([{ state: 'running', at: '2026-05-04T12:00:00.000Z' }]);
  expect(addTuningState(first, aState(), '2026-05-04T12:01:00.000Z')).toBe(first);
});

test('log lines and points of several reads are joined without duplicates', () => {
  const first = addTuningState(stored, aState(), '2026-05-04T12:00:00.000Z');
  const loss = [
    { step: 2, trainingLoss: 1, validationLoss: null },
    { step: 1, trainingLoss: null, validationLoss: 3 },
  ];
  const second = addTuningState(first, aState({ messages: [message('begun'), message('ended')], loss }), 'later');
  expect(second.messages.map(({ text }) => text)).toEqual(['begun', 'ended']);
  expect(second.loss).toEqual([
    { step: 1, trainingLoss: 2, validationLoss: 3 },
    { step: 2, trainingLoss: 1, validationLoss: null },
  ]);
});

test('more messages than are stored change nothing at the second read', () => {
  const messages = Array.from({ length: 2_000 }, (_, index) => ({
    ...{ at: new Date(index * 1_000).toISOString(), text: `line ${index}` },
  }));
  const first = addTuningState(stored, aState({ messages }), 'at');
  expect(addTuningState(first, aState({ messages }), 'later')).toBe(first);
  const late = { at: new Date(1_999_500).toISOString(), text: 'late' };
  const second = addTuningState(first, aState({ messages: [late, ...messages] }), 'later');
  expect(second.messages.slice(-2).map(({ text }) => text)).toEqual(['line 1999', 'late']);
  expect(second.messages).toHaveLength(MAX_TUNING_MESSAGES);
});

test('the stored progress is bounded, with all validation losses and the last point', () => {
  const loss = Array.from({ length: 20_000 }, (_, step) => ({
    ...{ step, trainingLoss: 1 },
    validationLoss: step % 1_000 === 1 ? 2 : null,
  }));
  const messages = Array.from({ length: 2_000 }, (_, index) => message(`line ${index}`));
  const bounded = addTuningState(stored, aState({ loss, messages }), 'at');
  expect(bounded.messages.length).toBe(MAX_TUNING_MESSAGES);
  expect(bounded.messages.at(-1)).toEqual(message('line 1999'));
  expect(bounded.loss.length).toBeLessThanOrEqual(MAX_LOSS_POINTS);
  expect(bounded.loss.filter(({ validationLoss }) => validationLoss !== null)).toHaveLength(20);
  expect(bounded.loss.at(-1)?.step).toBe(19_999);
});
