import type { Checkpoint, Step, StepStatus } from '@pilothouse/contract';
import { takeoverPlan } from './takeover.ts';

const look: Step = { action: 'extract', target: { css: 'h1' }, value: {} };
const click: Step = { action: 'click', target: { text: 'Next' } };
const order: Step = { action: 'click', id: 'order', target: { text: 'Order' }, repeatable: false };
const at = (step: number, status: StepStatus): Checkpoint => ({ step, status, epoch: 1, value: null });

describe('how an attempt begins', () => {
  test.each<[string, Step[], Checkpoint[], string]>([
    ['first attempt', [click], [], 'start'],
    ['the former one only looked at the list', [order], [at(0, 'pending')], 'start'],
    ['a skipped step did nothing', [order], [at(0, 'skipped')], 'start'],
    ['repeatable steps happened', [click, look], [at(0, 'acted'), at(1, 'acting')], 'restart'],
    ['a repeatable step failed and the run was handed back', [click], [at(0, 'failed')], 'restart'],
    ['the order comes later', [click, order], [at(0, 'acted')], 'restart'],
    ['the order may have happened', [click, order], [at(0, 'acted'), at(1, 'acting')], 'fail'],
    ['the order happened', [order, look], [at(0, 'acted'), at(1, 'acting')], 'fail'],
    ['the order failed half-way', [order], [at(0, 'failed')], 'fail'],
    ['half an order, to be repeated', [{ ...order, onUnknown: 'repeat' }], [at(0, 'acting')], 'restart'],
    ['a whole order is never repeated', [{ ...order, onUnknown: 'repeat' }], [at(0, 'acted')], 'fail'],
    ['half a click that wants to fail', [{ ...click, onUnknown: 'fail' }], [at(0, 'acting')], 'fail'],
    ['half a click that wants to be asked about', [{ ...click, onUnknown: 'ask' }], [at(0, 'acting')], 'fail'],
    ['a whole click that would have asked', [{ ...click, onUnknown: 'ask' }], [at(0, 'acted')], 'restart'],
    ['a checkpoint of a step that is not there', [click], [at(7, 'acting')], 'fail'],
  ])('%s: %#', (_, steps, checkpoints, kind) => {
    expect(takeoverPlan({ steps }, checkpoints).kind).toBe(kind);
  });

  test('says which step nobody knows about', () => {
    const plan = takeoverPlan({ steps: [click, order] }, [at(1, 'acting'), at(0, 'acted')]);
    expect(plan).toMatchObject({
      step: 1,
      error: { code: 'STEP_UNKNOWN', message: expect.stringContaining('Step 2 ("order", click)') },
    });
  });

  test('a workflow may refuse a second attempt', () => {
    const plan = takeoverPlan({ steps: [click], resume: 'fail' }, [at(0, 'acting')]);
    expect(plan).toMatchObject({ kind: 'fail', error: { code: 'WORKER_LOST' } });
    expect(takeoverPlan({ steps: [click], resume: 'fail' }, []).kind).toBe('start');
  });
});
