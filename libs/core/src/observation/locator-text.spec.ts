import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { parse } from 'yaml';
import { locatorLines } from './locator-text.ts';

const element = (locators?: Locator[]): ElementView => ({
  index: 4,
  interactive: true,
  role: 'button',
  name: 'Save',
  state: {},
  tags: [],
  bounds: { x: 0, y: 0, width: 10, height: 10 },
  ...(locators && { locators }),
});

test('shows the most stable locator, the test id and the id, as flow maps', () => {
  const locators: Locator[] = [
    { role: 'button', name: 'Save: #1', within: { css: '#a > b' } },
    { testId: 'save' },
    { css: '#save' },
    { text: 'Save' },
    { css: 'form > button:nth-of-type(2)' },
  ];
  const lines = locatorLines(element(locators), false);
  expect(lines).toEqual([
    '    { role: button, name: "Save: #1", within: { css: "#a > b" } }',
    '    { testId: save }',
    '    { css: "#save" }',
  ]);
  expect(lines.map((line) => parse(line) as unknown)).toEqual(locators.slice(0, 3));
});

test('a long locator stays on one line', () => {
  const locator: Locator = { role: 'button', name: 'a word '.repeat(40).trim() };
  const lines = locatorLines(element([locator]), true);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('\n');
  expect(lines[0]).toMatch(/^ {4}\[4\] \{ role: button/);
});

test.each([['two\nlines'], ['\u202eevil'], ['{{inputs.name}}'], ['\u009b1m']])('%j is left out', (testId) => {
  expect(locatorLines(element([{ testId }]), false)).toEqual([]);
});

test('an element without locators has no lines', () => {
  expect(locatorLines(element(), false)).toEqual([]);
});
