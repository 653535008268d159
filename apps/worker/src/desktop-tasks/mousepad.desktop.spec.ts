import { click, openApp, press, saveAs, type, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

const editor = 'org.xfce.mousepad';
/** A point in the first line of the text. */
const LINE = { x: 15, y: 10 };
const SPECIAL = 'Grüße: 5 € – „ok“ ÄÖÜß ñ ёЖ 日本 "quotes" {}[]|~\\';

desktopTasks(
  'mousepad (GTK 3)',
  ['mousepad'],
  [
    {
      title: 'saves special characters under a name that is not ASCII',
      steps: [openApp(editor), type(SPECIAL), press('Control+S'), ...saveAs('nötes ß.txt'), untilTitle('nötes ß.txt')],
      saved: { 'nötes ß.txt': SPECIAL },
    },
    {
      title: 'edits a file that exists, and keeps the rest of it',
      files: { 'list.txt': 'first\nsecond\n' },
      steps: [
        openApp(editor, 'list.txt'),
        press('Control+End'),
        type('third – ✓\n'),
        press('Control+S'),
        untilTitle('list.txt - Mousepad'),
      ],
      saved: { 'list.txt': 'first\nsecond\nthird – ✓\n' },
    },
    {
      title: 'finds and replaces by the dialog',
      files: { 'letter.txt': 'Dear Anna,\nAnna, thank you. Anna' },
      steps: [
        openApp(editor, 'letter.txt'),
        press('Control+R'),
        untilTitle('Find and Replace'),
        { action: 'fill', target: { label: 'Search for' }, text: 'Anna' },
        { action: 'fill', target: { label: 'Replace with' }, text: 'Zoë' },
        { action: 'check', target: { role: 'checkbox', name: 'Replace all in' } },
        click('button', 'Replace All'),
        // Mousepad replaces in the background. Closing the dialog ends that.
        { action: 'switchWindow', window: 'letter.txt' },
        untilText('Dear Zoë'),
        press('Control+S'),
      ],
      saved: { 'letter.txt': 'Dear Zoë,\nZoë, thank you. Zoë' },
    },
    {
      title: 'undoes what was typed, by the menu path',
      files: { 'kept.txt': 'as it was' },
      steps: [
        openApp(editor, 'kept.txt'),
        press('Control+A'),
        type('x'),
        untilText('x'),
        click('menuitem', 'Edit'),
        click('menuitem', 'Undo'),
        untilText('as it was'),
        press('Control+S'),
      ],
      saved: { 'kept.txt': 'as it was' },
    },
    {
      title: 'discards unsaved changes when the dialog asks',
      files: { 'draft.txt': 'before' },
      steps: [
        openApp(editor, 'draft.txt'),
        type('changed '),
        { action: 'closeWindow', app: 'mousepad' },
        untilTitle('Save Changes'),
        click('button', "Don't Save"),
        { action: 'waitFor', condition: { url: 'about:desktop' } },
      ],
      saved: { 'draft.txt': 'before' },
    },
    {
      title: 'saves unsaved changes when the dialog asks',
      files: { 'draft.txt': 'before' },
      steps: [
        openApp(editor, 'draft.txt'),
        type('changed '),
        { action: 'closeWindow', app: 'mousepad' },
        untilTitle('Save Changes'),
        click('button', 'Save'),
        { action: 'waitFor', condition: { url: 'about:desktop' } },
      ],
      saved: { 'draft.txt': 'changed before' },
    },
    {
      title: 'overwrites a file after the question',
      files: { 'old.txt': 'old' },
      steps: [
        openApp(editor),
        type('new'),
        press('Control+S'),
        ...saveAs('old.txt'),
        { action: 'waitFor', condition: { text: 'already exists' } },
        click('button', 'Replace'),
        untilTitle('old.txt'),
      ],
      saved: { 'old.txt': 'new' },
    },
    {
      title: 'copies between two tabs of one window',
      files: { 'source.txt': 'copied ñ' },
      steps: [
        openApp(editor, 'source.txt'),
        press('Control+A'),
        press('Control+C'),
        press('Control+N'),
        untilTitle('Untitled'),
        press('Control+V'),
        press('Control+S'),
        ...saveAs('target.txt'),
        untilTitle('target.txt'),
      ],
      saved: { 'target.txt': 'copied ñ', 'source.txt': 'copied ñ' },
    },
    {
      title: 'drags the selected line to the end of the text',
      files: { 'order.txt': 'last\nfirst\nsecond\n' },
      steps: [
        openApp(editor, 'order.txt'),
        untilTitle('order.txt'),
        // Three clicks select the line without its end.
        { action: 'click', target: { role: 'textbox' }, position: LINE, count: 3 },
        { action: 'drag', target: { role: 'textbox' }, fromPosition: LINE, by: { x: 0, y: 200 } },
        untilTitle('*'),
        press('Control+S'),
        { action: 'waitFor', condition: { hidden: { role: 'tab', name: '*' } } },
      ],
      saved: { 'order.txt': '\nfirst\nsecond\nlast' },
    },
    {
      title: 'saves under a name of 200 characters',
      steps: [
        openApp(editor),
        type('long'),
        press('Control+S'),
        ...saveAs(`${'n'.repeat(196)}.txt`),
        untilTitle('nnnn'),
      ],
      saved: { [`${'n'.repeat(196)}.txt`]: 'long' },
    },
  ],
);
