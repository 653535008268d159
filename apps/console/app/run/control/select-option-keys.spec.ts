import { nextOption } from './select-option-keys.ts';

const options = ['Bergen', 'Oslo', 'Bodø', 'Odda', 'Tromsø'].map((label, index) => ({ label, disabled: index === 1 }));

test.each([
  [0, 'ArrowDown', 2],
  [2, 'ArrowUp', 0],
  [0, 'ArrowUp', 0],
  [4, 'ArrowDown', 4],
  [2, 'Home', 0],
  [0, 'End', 4],
  [0, 'PageDown', 4],
  [4, 'PageUp', 0],
  // By the first letter, on from where one is, and round.
  [0, 'b', 2],
  [2, 'B', 0],
  [0, 'o', 3],
  [0, 'x', null],
  [0, 'Shift', null],
])('from option %i the key %s selects %p', (index, key, next) => expect(nextOption(options, index, key)).toBe(next));
