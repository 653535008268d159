import { unfinishedWork } from './unfinished-work.ts';

test.each([
  ['*Untitled 1 - Mousepad', false, 'has unsaved changes'],
  ['notes.txt* - Editor', false, 'has unsaved changes'],
  ['• notes.txt', false, 'has unsaved changes'],
  ['notes.txt [modified] — Kate', false, 'has unsaved changes'],
  ['Save As', true, 'is an open dialog'],
])('%s: warns', (title, isDialog, part) => {
  expect(unfinishedWork([{ title, appId: 'editor', isDialog }])).toEqual([expect.stringContaining(part)]);
});

test.each(['notes.txt - Editor', 'a * b.ods', 'Terminal'])('%s: no warning', (title) => {
  expect(unfinishedWork([{ title, appId: 'editor', isDialog: false }])).toEqual([]);
});
