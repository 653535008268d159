import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import { notFoundError } from './not-found-error.ts';
import type { ScreenRead } from './screen-snapshot.ts';

const element = (role: string, name: string, fallbackName?: string) => ({ role, name, fallbackName, state: {} });

const read = {
  tree: { incomplete: null },
  elements: [element('text', 'Find:'), element('button', 'Close'), element('textbox', '', 'Find')],
} as unknown as ScreenRead;

test.each<[string, Locator, string]>([
  ['a label: the fields', { label: 'Replace' }, '. It has textbox "Find"'],
  ['a role: its elements', { role: 'button', name: 'Go' }, '. It has button "Close"'],
  ['a text: all elements', { text: 'Go' }, '. It has text "Find:", button "Close", textbox "Find"'],
])('the error lists for %s', (_, locator, list) => {
  expect(notFoundError([locator], read).message.endsWith(list)).toBe(true);
});
