import { click, openApp, press, type, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

const SPECIAL = 'Grüße – „ok“ ñ ёЖ 日本 {}[]|~';

/** Answers the file dialog of a Qt application. */
const saveInQt = (name: string) => [
  { action: 'fill' as const, target: { role: 'textbox', name: 'File name:' }, text: name },
  click('button', 'Save'),
];

/** Waits until the tab marks the file as changed, then saves. Without the wait, an unchanged file looks like a saved one. */
const saveInTab = (name: string) => [
  { action: 'waitFor' as const, condition: { visible: { role: 'tab', name: `*${name}` } } },
  press('Control+S'),
  { action: 'waitFor' as const, condition: { hidden: { role: 'tab', name: `*${name}` } } },
];

desktopTasks(
  'FeatherPad (Qt)',
  ['featherpad'],
  [
    {
      title: 'edits a file that exists',
      files: { 'list.txt': 'first\n' },
      steps: [
        openApp('featherpad', 'list.txt'),
        untilTitle('list.txt'),
        press('Control+End'),
        type(SPECIAL),
        ...saveInTab('list.txt'),
      ],
      saved: { 'list.txt': `first\n${SPECIAL}\n` },
    },
    {
      title: 'saves a copy under another name by the dialog of Qt',
      files: { 'a.txt': 'same content\n' },
      steps: [
        openApp('featherpad', 'a.txt'),
        untilTitle('a.txt'),
        press('Control+Shift+S'),
        untilTitle('Save as'),
        ...saveInQt('cöpy of a.txt'),
        untilTitle('cöpy of a.txt'),
      ],
      saved: { 'cöpy of a.txt': 'same content\n', 'a.txt': 'same content\n' },
    },
    {
      title: 'cuts from one file and pastes into another tab',
      files: { 'from.txt': 'moved text', 'to.txt': 'to: ' },
      steps: [
        openApp('featherpad', 'from.txt'),
        untilTitle('from.txt'),
        press('Control+A'),
        press('Control+X'),
        ...saveInTab('from.txt'),
        openApp('featherpad', 'to.txt'),
        untilTitle('to.txt'),
        press('Control+End'),
        press('Control+V'),
        untilText('to: moved text'),
        ...saveInTab('to.txt'),
      ],
      saved: { 'to.txt': /^to: moved text\n?$/, 'from.txt': /^\n?$/ },
    },
  ],
);

desktopTasks(
  'Kate (Qt)',
  ['kate'],
  [
    {
      title: 'edits and saves a file',
      files: { 'code.py': 'print(1)\n' },
      steps: [
        openApp('org.kde.kate', 'code.py'),
        untilTitle('code.py'),
        { action: 'click', target: { role: 'textbox', name: 'code.py' } },
        press('Control+End'),
        type("print('Größe')"),
        untilTitle('code.py *'),
        press('Control+S'),
        // Kate shows the star of a changed file between these two spaces.
        untilTitle('code.py  — Kate'),
      ],
      saved: { 'code.py': "print(1)\nprint('Größe')\n" },
    },
  ],
);

desktopTasks(
  'GNOME Text Editor (GTK 4)',
  ['gnome-text-editor', 'xterm'],
  [
    {
      title: 'edits a file that exists, and saves it',
      files: { 'note.txt': 'first line ' },
      steps: [
        openApp('org.gnome.TextEditor', 'note.txt'),
        // The title has the name before the text is there, and the program publishes no text.
        { action: 'waitFor', condition: { visible: { screenText: 'first line' } } },
        press('Control+End'),
        type(SPECIAL),
        press('Control+S'),
        // Nothing on the screen says when the file is written.
        openApp('debian-xterm'),
        type(`until grep -q 日本 note.txt; do sleep 0.1; done; printf '\\033]0;%s\\007' finished; sleep 60\n`),
        untilTitle('finished'),
      ],
      saved: { 'note.txt': `first line ${SPECIAL}\n` },
    },
  ],
);
