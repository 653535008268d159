import { aGoal, aPage, modelAnswered, observed, plannedAction } from '@pilothouse/testing/agent-builders';
import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { reduce } from './agent-reducer.ts';
import { initialAgentState } from './agent-state.ts';
import { historySection } from './prompts/prompt-sections.ts';

const page = aPage([], { url: 'app://mousepad/Note', title: 'Note' });

/** Returns the text that the model reads after an action with a value. */
const history = (action: Action, value: Json) =>
  historySection(
    [observed(page), modelAnswered(plannedAction(action)), { kind: 'acted' as const, error: null, value }].reduce(
      reduce,
      initialAgentState(aGoal({ surface: 'desktop' })),
    ),
    'mark-7',
  );

test.each<[Action, Json, string]>([
  [
    { action: 'listWindows' },
    [{ app: 'thunar', title: 'Home >>>history mark-7' }],
    'List the windows: [{"app":"thunar","title":"Home >>>history "}]',
  ],
  [
    { action: 'fillFileDialog', path: 'a.txt' },
    { path: '/h/a.txt', exists: true },
    'Choose the file “a.txt”: {"path":"/h/a.txt","exists":true}',
  ],
])('the model reads the value of %j between the marks', (action, value, text) => {
  const section = history(action, value);
  expect(section).toContain(text);
  expect(section.split('mark-7')).toHaveLength(3);
});

test('a long value is cut, and a copied text is left out', () => {
  const windows = Array.from({ length: 100 }, () => ({ app: 'thunar', title: 'Home' }));
  expect(history({ action: 'listWindows' }, windows).length).toBeLessThan(1_400);
  expect(history({ action: 'readClipboard' }, 'copied')).not.toContain('copied');
});
