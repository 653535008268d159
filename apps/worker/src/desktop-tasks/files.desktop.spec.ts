import { click, fill, openApp, press, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

/** Thunar with a list of names: its icons publish no elements. */
const open = [openApp('thunar'), untilTitle('Thunar'), press('Control+2')];
const select = (name: string) => ({
  action: 'click' as const,
  target: { role: 'gridcell', name, exact: true },
});

desktopTasks(
  'Thunar',
  ['thunar'],
  [
    {
      title: 'renames a file to a name with spaces that is not ASCII',
      files: { 'a.txt': 'one' },
      steps: [
        ...open,
        select('a.txt'),
        press('F2'),
        untilTitle('Rename'),
        fill('Enter the new name', 'ä ß 日本.txt'),
        click('button', 'Rename'),
        untilTitle('Thunar'),
        { action: 'waitFor', condition: { visible: { text: 'ä ß 日本.txt' } } },
      ],
      saved: { 'ä ß 日本.txt': 'one', 'a.txt': null },
    },
    {
      title: 'moves a file into a folder by cut and paste',
      files: { 'a.txt': 'one', 'docs/b.txt': 'two' },
      steps: [
        ...open,
        select('a.txt'),
        press('Control+X'),
        select('docs'),
        press('Enter'),
        untilTitle('docs'),
        // The list has the focus only after it has loaded.
        select('b.txt'),
        press('Control+V'),
        { action: 'waitFor', condition: { visible: { role: 'gridcell', name: 'a.txt' } } },
      ],
      saved: { 'docs/a.txt': 'one', 'docs/b.txt': 'two', 'a.txt': null },
    },
    {
      title: 'copies a file beside itself',
      files: { 'a.txt': 'one' },
      steps: [
        ...open,
        select('a.txt'),
        press('Control+C'),
        press('Control+V'),
        { action: 'waitFor', condition: { visible: { role: 'gridcell', name: 'copy' } } },
      ],
      saved: { 'a.txt': 'one', 'a (copy 1).txt': 'one' },
    },
    {
      title: 'keeps a file when the question is cancelled',
      files: { 'a.txt': 'one' },
      steps: [
        ...open,
        select('a.txt'),
        press('Delete'),
        untilTitle('Attention'),
        click('button', 'Cancel'),
        untilTitle('Thunar'),
      ],
      saved: { 'a.txt': 'one' },
    },
    {
      title: 'opens a file of the list in the editor',
      files: { 'note.txt': 'from the list' },
      steps: [
        ...open,
        select('note.txt'),
        press('Enter'),
        untilTitle('note.txt'),
        { action: 'switchWindow', title: 'note.txt' },
      ],
      saved: { 'note.txt': 'from the list' },
    },
  ],
);
