import type { Action } from '@pilothouse/contract/actions/action-sets';
import { aGoal, anElement, aPage } from '@pilothouse/testing/agent-builders';
import { initialAgentState, type ActionEffect } from './agent-state.ts';
import { effectAfter, knownTextsAfter, readsWholeText } from './known-text.ts';

const home = aPage(
  [
    anElement(1, { role: 'link', name: 'Settings' }),
    anElement(2, { role: 'button', name: 'Enable' }),
    anElement(3, { role: 'tab', name: 'Display' }),
  ],
  { url: 'https://demo.test/home' },
);
const settings = aPage([anElement(9, { role: 'heading', name: 'Dark mode' })], { url: 'https://demo.test/settings' });

const clickOf = (elementIndex: number): Action => ({ action: 'click', target: { elementIndex } });

/** The known text once the settings are in view, after these actions on the home page. */
function knownTextAfter(actions: readonly Action[], page = settings): string {
  const effect = actions.reduce<ActionEffect>((last, action) => effectAfter(last, action, home), { kind: 'none' });
  const { page: pages, counters } = initialAgentState(aGoal());
  const state = {
    page: { ...pages, initialText: 'home', knownText: 'home', effect },
    counters: { ...counters, succeededActions: actions.length },
  };
  const { initialText, knownText } = knownTextsAfter(state, page);
  expect(initialText).toBe('home');
  return knownText ?? '';
}

test.each<[string, readonly Action[]]>([
  ['an opened page', [{ action: 'navigate', url: 'https://demo.test/settings' }]],
  ['a link', [clickOf(1)]],
  ['a tab', [clickOf(3)]],
  ['another tab of the browser', [{ action: 'switchTab', index: 1 } as unknown as Action]],
  ['a scroll after a link', [clickOf(1), { action: 'scroll', by: { y: 500 } }]],
  ['a page that was opened after a change', [clickOf(2), { action: 'goBack' }]],
])('%s makes the text known', (_, actions) => expect(knownTextAfter(actions)).toContain('dark mode'));

test.each<[string, readonly Action[]]>([
  ['a button', [clickOf(2)]],
  ['a button after a link', [clickOf(1), clickOf(2)]],
  ['waiting after a button', [clickOf(2), { action: 'wait', seconds: 1 }]],
  ['reloading after a button', [clickOf(2), { action: 'reload' }]],
  ['a key', [{ action: 'press', key: 'Enter' }]],
])('%s may have caused the text', (_, actions) => expect(knownTextAfter(actions)).toBe('home'));

test('pages of 1 MB that differ in their title become known in milliseconds, each once', () => {
  const long = (title: string) => aPage([], { title, text: { text: 'a'.repeat(900_000), length: 900_000 } });
  const { page: pages, counters } = initialAgentState(aGoal());
  let page = { ...pages, knownText: 'home' as string | null, effect: { kind: 'navigation' } as ActionEffect };
  const start = performance.now();
  for (const title of ['One', 'Two', 'One'])
    page = { ...page, ...knownTextsAfter({ page, counters: { ...counters, succeededActions: 1 } }, long(title)) };
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(page.knownText?.match(/^(home|one |two )/gm)).toEqual(['home', 'one ', 'two ']);
});

test('a link that keeps the address may have caused the text', () =>
  expect(knownTextAfter([clickOf(1)], { ...settings, url: home.url })).toBe('home'));

test('the whole text is read when a goal begins and when another page is in view', () => {
  const state = initialAgentState(aGoal());
  const readsAfter = (effect: ActionEffect) =>
    readsWholeText({
      ...state,
      page: { ...state.page, initialText: 'home', knownText: 'home', effect },
      counters: { ...state.counters, succeededActions: 1 },
    });
  expect(readsWholeText(state)).toBe(true);
  expect(readsAfter({ kind: 'navigation' })).toBe(true);
  expect(readsAfter({ kind: 'change' })).toBe(false);
});
