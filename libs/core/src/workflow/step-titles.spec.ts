import { actionNames, type Action } from '@pilothouse/contract/actions/action-sets';
import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { actionSummary, describeLocator, stepTitle } from './step-titles.ts';

test.each<[Locator, string]>([
  [{ role: 'button', name: 'Sign in' }, 'role=button[name="Sign in"]'],
  [{ role: 'button', name: 'Sign in', exact: true }, 'role=button[name="Sign in" exact]'],
  [{ role: 'row', hasText: 'Total' }, 'role=row[hasText="Total"]'],
  [{ label: 'User "x"' }, 'label="User \\"x\\""'],
  [{ placeholder: 'Search' }, 'placeholder="Search"'],
  [{ text: 'Go', nth: -1 }, 'text="Go"[nth=-1]'],
  [{ testId: 'go' }, 'testId="go"'],
  [{ elementIndex: 4 }, 'element=4'],
  [{ point: { x: 500, y: 20.5 } }, 'at=500,20.5'],
  [{ text: 'Buy', near: { text: 'Rope' } }, 'text="Buy"[near text="Rope"]'],
  [{ role: 'button', near: { text: 'Rope' }, side: 'right' }, 'role=button[right text="Rope"]'],
  [{ css: '#a > b', within: { role: 'dialog' } }, 'role=dialog >> css=#a > b'],
])('%j is %s', (locator, words) => expect(describeLocator(locator)).toBe(words));

const target = { role: 'button', name: 'Sign in' };
const summaries: [Action, string][] = [
  [{ action: 'navigate', url: 'https://example.org/' }, 'Open https://example.org/'],
  [{ action: 'click', target }, 'Click button “Sign in”'],
  [{ action: 'click', target: [{ css: '.a' }, target] }, 'Click .a'],
  [{ action: 'click', target, count: 2, modifiers: ['Shift', 'Alt'] }, 'Double-click button “Sign in” with Shift+Alt'],
  [{ action: 'click', target: { elementIndex: 4 } }, 'Click element 4'],
  [{ action: 'click', target: { point: { x: 1, y: 2 } } }, 'Click the element at 1, 2'],
  [{ action: 'click', target, button: 'right' }, 'Right-click button “Sign in”'],
  [{ action: 'goBack' }, 'Go back'],
  [{ action: 'goForward' }, 'Go forward'],
  [{ action: 'reload' }, 'Reload the page'],
  [{ action: 'switchTab', title: 'Invoice' }, 'Switch to the tab “Invoice”'],
  [{ action: 'switchTab', index: -1 }, 'Switch to the tab -1'],
  [{ action: 'closeTab' }, 'Close the tab'],
  [{ action: 'closeTab', url: '*/help' }, 'Close the tab */help'],
  [{ action: 'openApp', app: 'mousepad', args: ['notes.txt'] }, 'Open mousepad with “notes.txt”'],
  [{ action: 'switchWindow', window: 'notes' }, 'Switch to the window “notes”'],
  [{ action: 'closeWindow' }, 'Close the window'],
  [{ action: 'listWindows' }, 'List the windows'],
  [{ action: 'setWindow', app: 'kate', state: 'maximized' }, 'Maximize the window of kate'],
  [{ action: 'setWindow', bounds: { x: 1 } }, 'Move the window'],
  [{ action: 'setWindow', bounds: { width: 1 } }, 'Resize the window'],
  [{ action: 'setWindow', window: 'notes', bounds: { x: 1, width: 1 } }, 'Place the window “notes”'],
  [{ action: 'selectMenuItem', items: ['File', 'Save As…'] }, 'Choose File › Save As… in the menu'],
  [{ action: 'fillFileDialog', path: 'a.txt' }, 'Choose the file “a.txt”'],
  [{ action: 'putFile', file: '{{inputs.sheet}}' }, 'Copy {{inputs.sheet}} to the home folder'],
  [{ action: 'collectFile', glob: '*.pdf' }, 'Store the file “*.pdf”'],
  [{ action: 'closeWindow', app: 'mousepad', window: 'notes' }, 'Close the window “notes” of mousepad'],
  [{ action: 'handleDialog', accept: true, text: 'Robin' }, 'Accept the next dialog with “Robin”'],
  [{ action: 'handleDialog', accept: false }, 'Decline the next dialog'],
  [{ action: 'wait', seconds: 2 }, 'Wait 2 s'],
  [{ action: 'waitFor', condition: { loadState: 'networkidle' } }, 'Wait for an idle network'],
  [{ action: 'download', target: { text: 'Invoice' } }, 'Download “Invoice”'],
  [{ action: 'pdf' }, 'Save the page as PDF'],
  [{ action: 'pdf', label: 'receipt' }, 'Save the page as PDF “receipt”'],
  [{ action: 'observe' }, 'Read the element list'],
  [{ action: 'hover', target }, 'Hover over button “Sign in”'],
  [{ action: 'drag', target: { text: 'Card' }, to: { text: 'Done' } }, 'Drag “Card” to “Done”'],
  [{ action: 'drag', target: { role: 'slider' }, by: { x: 40 } }, 'Drag slider by 40, 0'],
  [{ action: 'scroll', target }, 'Scroll to button “Sign in”'],
  [{ action: 'scroll', by: { y: 500 } }, 'Scroll by 0, 500'],
  [{ action: 'scroll', target: { role: 'log' }, to: 'bottom' }, 'Scroll log to the bottom'],
  [{ action: 'clear', target: { label: 'Note' } }, 'Clear “Note”'],
  [{ action: 'press', key: 'ArrowDown', times: 3 }, 'Press ArrowDown 3 times'],
  [{ action: 'check', target: { label: 'Agree' } }, 'Tick “Agree”'],
  [{ action: 'type', text: 'A-1' }, 'Type “A-1” into the focused element'],
  [{ action: 'readClipboard' }, 'Read the clipboard'],
  [{ action: 'writeClipboard', text: 'A-1' }, 'Copy “A-1” to the clipboard'],
  [{ action: 'uncheck', target: { label: 'Agree' } }, 'Untick “Agree”'],
  [
    { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
    'Type “{{inputs.password}}” into “Password”',
  ],
  [
    { action: 'fill', target: { label: 'Note' }, text: 'x'.repeat(99), append: true },
    `Add “${'x'.repeat(59)}…” to “Note”`,
  ],
  [{ action: 'press', key: 'Enter' }, 'Press Enter'],
  [{ action: 'press', key: 'Tab', target: { testId: 'q' } }, 'Press Tab in “q”'],
  [{ action: 'selectOption', target: { label: 'Size' }, option: ['S', 'M'] }, 'Select “S”, “M” in “Size”'],
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

test.each(summaries)('%j has the summary %s', (action, summary) => expect(actionSummary(action)).toBe(summary));

test('every action is in the table above', () => {
  expect(new Set(summaries.map(([{ action }]) => action))).toEqual(new Set(actionNames));
});

test('the title of a step has precedence', () => {
  expect(stepTitle({ action: 'click', target, title: 'Log in' })).toBe('Log in');
  expect(stepTitle({ action: 'click', target })).toBe('Click button “Sign in”');
  // The title of a window is not the title of a step.
  expect(stepTitle({ action: 'switchWindow', window: 'Save As' })).toBe('Switch to the window “Save As”');
});
