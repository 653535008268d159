import { readOnlyActions } from '@pilothouse/contract/actions/action-sets';
import { effectOf } from './default-effects.ts';

test.each([...readOnlyActions])('%s has no effect', (action) => {
  expect(effectOf(action, {})).toEqual({ effect: 'none' });
});

test('the surface decides if it reports an effect', () => {
  expect(effectOf('click', {})).toEqual({ effect: 'confirmed' });
  expect(effectOf('click', { effect: 'unverifiable', effectReason: 'It was covered' })).toEqual({
    effect: 'unverifiable',
    effectReason: 'It was covered',
  });
});
