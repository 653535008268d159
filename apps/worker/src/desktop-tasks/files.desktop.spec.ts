import { click, fill, openApp, press, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
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
        { action: 'switchWindow', window: 'note.txt' },
      ],
      saved: { 'note.txt': 'from the list' },
    },
    {
      title: 'drags a file from one window into a folder of another window',
      files: { 'left/a.txt': 'one', 'right/inbox/b.txt': 'two' },
      steps: [
        openApp('thunar', 'left'),
        untilTitle('left'),
        press('Control+2'),
        { action: 'setWindow', window: 'left', bounds: { x: 10, y: 30, width: 600, height: 400 } },
        openApp('thunar', 'right'),
        untilTitle('right'),
        press('Control+2'),
        { action: 'setWindow', window: 'right', bounds: { x: 640, y: 30, width: 600, height: 400 } },
        { action: 'switchWindow', window: 'left' },
        {
          action: 'drag',
          target: { role: 'gridcell', name: 'a.txt', exact: true },
          to: { role: 'gridcell', name: 'inbox', exact: true, window: 'right' },
        },
        { action: 'waitFor', condition: { hidden: { role: 'gridcell', name: 'a.txt', exact: true } } },
      ],
      saved: { 'right/inbox/a.txt': 'one', 'right/inbox/b.txt': 'two', 'left/a.txt': null },
    },
    {
      title: 'sorts a list by size, and renames the smallest file',
      files: { 'all/a.bin': 'x'.repeat(3_000), 'all/b.bin': 'x'.repeat(200), 'all/c.bin': 'x' },
      steps: [
        openApp('thunar', 'all'),
        untilTitle('all'),
        press('Control+2'),
        select('c.bin'),
        click('columnheader', 'Size'),
        press('Home'),
        { action: 'waitFor', condition: { visible: { role: 'status', name: '"c.bin"' } } },
        press('F2'),
        untilTitle('Rename'),
        fill('Enter the new name', 'smallest.bin'),
        click('button', 'Rename'),
        untilTitle('all'),
        untilText('smallest.bin'),
      ],
      saved: { 'all/smallest.bin': 'x', 'all/a.bin': /^x{3000}$/, 'all/b.bin': /^x{200}$/, 'all/c.bin': null },
    },
    {
      title: 'pastes into an empty folder, which has no rows to click',
      files: { 'docs/a.txt': 'one', 'docs/empty/.keep': '' },
      steps: [
        openApp('thunar', 'docs'),
        untilTitle('docs'),
        press('Control+2'),
        select('a.txt'),
        press('Control+C'),
        select('empty'),
        press('Enter'),
        untilTitle('empty'),
        untilText('0 items'),
        press('Control+V'),
        { action: 'waitFor', condition: { visible: { role: 'gridcell', name: 'a.txt', exact: true } } },
      ],
      saved: { 'docs/empty/a.txt': 'one', 'docs/a.txt': 'one' },
    },
  ],
);
