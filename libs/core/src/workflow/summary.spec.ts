import { actionNames, type Action, type Locator } from '@pilothouse/contract';
import { actionSummary, describeLocator, stepTitle } from './summary.ts';

test.each<[Locator, string]>([
  [{ role: 'button', name: 'Sign in' }, 'role=button[name="Sign in"]'],
  [{ role: 'button', name: 'Sign in', exact: true }, 'role=button[name="Sign in" exact]'],
  [{ role: 'row', hasText: 'Total' }, 'role=row[hasText="Total"]'],
  [{ label: 'User "x"' }, 'label="User \\"x\\""'],
  [{ placeholder: 'Search' }, 'placeholder="Search"'],
  [{ text: 'Go', nth: -1 }, 'text="Go"[nth=-1]'],
  [{ testId: 'go' }, 'testId="go"'],
  [{ css: '#a > b', within: { role: 'dialog' } }, 'role=dialog >> css=#a > b'],
])('%j is %s', (locator, words) => expect(describeLocator(locator)).toBe(words));

const target = { role: 'button', name: 'Sign in' };
const summaries: [Action, string][] = [
  [{ action: 'navigate', url: 'https://example.org/' }, 'Open https://example.org/'],
  [{ action: 'click', target }, 'Click button “Sign in”'],
  [{ action: 'click', target: [{ css: '.a' }, target] }, 'Click .a'],
  [
    { action: 'type', target: { label: 'Password' }, text: '{{inputs.password}}' },
    'Type “{{inputs.password}}” into “Password”',
  ],
  [
    { action: 'type', target: { label: 'Note' }, text: 'x'.repeat(99), append: true },
    `Add “${'x'.repeat(59)}…” to “Note”`,
  ],
  [{ action: 'press', key: 'Enter' }, 'Press Enter'],
  [{ action: 'press', key: 'Tab', target: { testId: 'q' } }, 'Press Tab in “q”'],
  [{ action: 'select', target: { label: 'Size' }, option: ['S', 'M'] }, 'Select “S”, “M” in “Size”'],
  [{ action: 'upload', target: { css: '#f' }, file: '{{inputs.paper}}' }, 'Attach {{inputs.paper}} to #f'],
  [{ action: 'waitFor', condition: { url: '*/done', text: 'Thanks' } }, 'Wait for URL */done and text “Thanks”'],
  [
    { action: 'assert', condition: { title: 'Home', visible: target, hidden: { css: '.x' } } },
    'Check title “Home” and button “Sign in” and no .x',
  ],
  [{ action: 'extract', target: { css: 'table' }, table: { columns: { a: 'A' } } }, 'Read table table'],
  [{ action: 'extract', target: { role: 'heading' }, value: {} }, 'Read value heading'],
  [{ action: 'screenshot', label: 'cart' }, 'Take a screenshot “cart”'],
];

test.each(summaries)('%j is summed up as %s', (action, summary) => expect(actionSummary(action)).toBe(summary));

test('every action is in the table above', () => {
  expect(new Set(summaries.map(([{ action }]) => action))).toEqual(new Set(actionNames));
});

test('the title of a step goes first', () => {
  expect(stepTitle({ action: 'click', target, title: 'Log in' })).toBe('Log in');
  expect(stepTitle({ action: 'click', target })).toBe('Click button “Sign in”');
});
