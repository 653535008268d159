import type { Action } from '@pilothouse/contract/actions/action-sets';
import { contentOf, letter, sheet, slides, textsOf } from './task-files.ts';
import { isEqual, opened, save, type DesktopTask } from './desktop-task.ts';

const cell = (name: string): Action => ({ action: 'click', target: { role: 'gridcell', name, exact: true } });
const press = (key: string, times = 1): Action => ({ action: 'press', key, times });
const type = (text: string): Action => ({ action: 'type', text });

const prices = sheet([
  ['apple', 3],
  ['pear', 12],
  ['plum', 7],
]);

/** Tasks in Calc, Writer and Impress. */
export const officeTasks: readonly DesktopTask[] = [
  {
    name: 'calc-enter',
    files: { 'sheet.fods': sheet([['Item', 'Price']]) },
    steps: [...opened('libreoffice-calc', 'sheet.fods'), cell('A2'), type('bread\t4\nmilk\t2\n'), ...save],
    check: async (home) => isEqual(await textsOf(home, 'sheet.fods'), ['Item', 'Price', 'bread', '4', 'milk', '2']),
    script: ({ open, save: saveKeys }) =>
      `${open('soffice --norestore --calc', 'sheet.fods')}\nxdotool key Down\nxdotool type --delay 12 'bread'\nxdotool key Tab\nxdotool type '4'\nxdotool key Return\nxdotool type --delay 12 'milk'\nxdotool key Tab\nxdotool type '2'\nxdotool key Return\n${saveKeys('sheet.fods', 'milk')}`,
  },
  {
    name: 'calc-formula',
    files: { 'sheet.fods': prices },
    steps: [...opened('libreoffice-calc', 'sheet.fods'), cell('B4'), type('=SUM(B1:B3)\n'), ...save],
    check: async (home) => (await contentOf(home, 'sheet.fods')).includes('office:value="22"') || 'no sum of 22',
  },
  {
    name: 'calc-name-box',
    files: { 'sheet.fods': prices },
    steps: [
      ...opened('libreoffice-calc', 'sheet.fods'),
      { action: 'fill', target: { label: 'Name Box' }, text: 'C5' },
      press('Enter'),
      type('checked\n'),
      ...save,
    ],
    check: async (home) => isEqual((await textsOf(home, 'sheet.fods')).at(-1), 'checked'),
  },
  {
    name: 'calc-sort',
    files: { 'sheet.fods': prices },
    steps: [
      ...opened('libreoffice-calc', 'sheet.fods'),
      cell('A1'),
      { action: 'selectMenuItem', items: ['Data', 'Sort Descending'] },
      ...save,
    ],
    check: async (home) => isEqual((await textsOf(home, 'sheet.fods')).at(0), 'plum'),
  },
  {
    name: 'calc-sort-dialog',
    files: { 'sheet.fods': prices },
    steps: [
      ...opened('libreoffice-calc', 'sheet.fods'),
      cell('A1'),
      { action: 'selectMenuItem', items: ['Data', 'Sort...'] },
      { action: 'waitFor', condition: { title: 'Sort' } },
      { action: 'selectOption', target: { label: 'Column', near: { text: 'Sort Key 1' } }, option: 'B' },
      { action: 'click', target: { role: 'radio', name: 'Descending', near: { text: 'Sort Key 1' } } },
      { action: 'click', target: { role: 'button', name: 'OK', exact: true } },
      ...save,
    ],
    check: async (home) => isEqual(await textsOf(home, 'sheet.fods'), ['pear', '12', 'plum', '7', 'apple', '3']),
  },
  {
    name: 'writer-append',
    files: { 'letter.fodt': letter(['Dear Ada,']) },
    steps: [
      ...opened('libreoffice-writer', 'letter.fodt'),
      press('Control+End'),
      type('\nThank you for the "plan".'),
      ...save,
    ],
    check: async (home) => isEqual(await textsOf(home, 'letter.fodt'), ['Dear Ada,', 'Thank you for the "plan".']),
    script: ({ open, save: saveKeys }) =>
      `${open('soffice --norestore --writer', 'letter.fodt')}\nxdotool key ctrl+End Return\nxdotool type --delay 12 'Thank you for the "plan".'\n${saveKeys('letter.fodt', 'Thank you')}`,
  },
  {
    name: 'writer-replace',
    files: { 'letter.fodt': letter(['red car', 'red house']) },
    steps: [
      ...opened('libreoffice-writer', 'letter.fodt'),
      press('Control+H'),
      { action: 'waitFor', condition: { title: 'Find' } },
      { action: 'fill', target: { role: 'textbox', near: { text: 'Find:' } }, text: 'red' },
      { action: 'fill', target: { role: 'textbox', near: { text: 'Replace:' } }, text: 'blue' },
      { action: 'click', target: { role: 'button', name: 'Replace All' } },
      press('Escape'),
      { action: 'switchWindow', window: 'letter.fodt' },
      ...save,
    ],
    check: async (home) => isEqual(await textsOf(home, 'letter.fodt'), ['blue car', 'blue house']),
  },
  {
    name: 'writer-delete',
    files: { 'letter.fodt': letter(['first', 'second']) },
    steps: [
      ...opened('libreoffice-writer', 'letter.fodt'),
      press('Control+Home'),
      press('Shift+End'),
      type('1st'),
      ...save,
    ],
    check: async (home) => isEqual(await textsOf(home, 'letter.fodt'), ['1st', 'second']),
  },
  {
    name: 'impress-title',
    files: { 'talk.fodp': slides('Old title') },
    steps: [
      ...opened('libreoffice-impress', 'talk.fodp'),
      press('Tab'),
      press('F2'),
      press('Control+A'),
      type('New "title"'),
      press('Escape'),
      ...save,
    ],
    check: async (home) => isEqual((await textsOf(home, 'talk.fodp')).at(0), 'New "title"'),
  },
  {
    name: 'impress-slide',
    files: { 'talk.fodp': slides('Only slide') },
    steps: [...opened('libreoffice-impress', 'talk.fodp'), press('Control+M'), ...save],
    check: async (home) => isEqual((await contentOf(home, 'talk.fodp')).split('<draw:page ').length - 1, 2),
  },
];
