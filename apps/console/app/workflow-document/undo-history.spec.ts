import { createHistory, change, redo, undo } from './undo-history.ts';

test('changes are undone one by one, and redone', () => {
  const two = change(change(createHistory('a'), 'b', 0), 'c', 0);
  expect([undo(two).text, undo(undo(two)).text, redo(undo(two)).text]).toEqual(['b', 'a', 'c']);
  expect([undo(undo(undo(two))).text, redo(two)]).toEqual(['a', two]);
});

test('typing is one change until a pause or a change of another field', () => {
  let history = createHistory('');
  for (const [text, now, field] of [
    ['h', 0, 'title'],
    ['ha', 500, 'title'],
    ['har', 1400, 'title'],
    ['harb', 9000, 'title'],
    ['harbo', 9001, 'url'],
  ] as const)
    history = change(history, text, now, field);
  expect(history.past).toEqual(['', 'har', 'harb']);
});

test('a new change discards the redo history', () =>
  expect(redo(change(undo(change(createHistory('a'), 'b', 0)), 'c', 0)).text).toBe('c'));
