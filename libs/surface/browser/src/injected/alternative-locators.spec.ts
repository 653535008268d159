import { identifiesItem } from './alternative-locators.ts';
import { isGeneratedId } from './locator-search.ts';

test.each([
  [{ role: 'button', name: 'Delete Ada' }, true],
  [{ role: 'button', name: 'Delete' }, false],
  [{ label: 'Quantity of Ada' }, true],
  [{ text: 'Bob' }, false],
  [{ css: '#row-a button' }, true],
  [{ testId: 'Ada' }, false],
])('locator %j identifies the list item with the key Ada: %p', (locator, expected) => {
  expect(identifiesItem(locator, ['Ada'])).toBe(expected);
});

test.each([
  ['email', false],
  ['step-12', false],
  ['field-1042', true],
  [':r3:', true],
  ['3f2a9c1b', true],
])('id %p is made by a generator: %p', (id, expected) => {
  expect(isGeneratedId(id)).toBe(expected);
});
