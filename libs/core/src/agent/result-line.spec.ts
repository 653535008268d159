import type { Result } from '@pilothouse/contract/run/outcome';
import { resultLine } from './result-line.ts';

test.each<[string, Result | undefined, string | null, string]>([
  ['a confirmed effect', { outcome: 'completed', effect: 'confirmed' }, null, 'Click “Go”'],
  ['an action that reads', { outcome: 'completed', effect: 'none' }, null, 'Click “Go”'],
  [
    'no effect',
    { outcome: 'completed', effect: 'none', effectReason: 'Nothing moved' },
    null,
    'Click “Go”: completed, no effect (Nothing moved)',
  ],
  [
    'an effect that nothing checks',
    { outcome: 'completed', effect: 'unverifiable' },
    null,
    'Click “Go”: completed, effect unverifiable',
  ],
  [
    'an effect that was not seen',
    { outcome: 'completed', effect: 'unverifiable', effectReason: 'It was covered' },
    null,
    'Click “Go”: completed, effect unverifiable (It was covered). Check it before relying on it.',
  ],
  ['a refusal', { outcome: 'refused', effect: 'none' }, 'No element', 'Click “Go”: refused: No element'],
  ['an error after input', { outcome: 'unknown', effect: 'unverifiable' }, 'Late', 'Click “Go”: unknown: Late'],
  ['an error without a result', undefined, 'Late', 'Click “Go”: Late'],
])('words %s', (_name, result, error, line) => {
  expect(resultLine('Click “Go”', result, error)).toBe(line);
});
