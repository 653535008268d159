import type { CorrectedAction } from '@pilothouse/contract/learning/trace.schema';
import { turnRecord } from '@pilothouse/testing/turn-record-builder';
import { correctedActionText } from './corrected-action-text.ts';

test.each<[CorrectedAction, string]>([
  [{ kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } }, 'Click [3] button “B3”'],
  [{ kind: 'act', action: { action: 'fill', target: { elementIndex: 9 }, text: 'Ada' } }, 'Fill element 9: Ada'],
  [{ kind: 'act', action: { action: 'click', target: { point: { x: 10.4, y: 20 } } } }, 'Click point 10, 20'],
  [{ kind: 'done', answer: null }, 'Done'],
  [{ kind: 'act', action: { action: 'goBack' } }, '{"kind":"act","action":{"action":"goBack"}}'],
])('%j is written as %s', (action, text) => expect(correctedActionText(action, turnRecord())).toBe(text));
