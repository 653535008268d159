import { click, openApp, press, type, untilText, untilTitle } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks } from '../testing/desktop-task.fixture.ts';

const SPECIAL = 'Grüße – „ok“ ñ ёЖ 日本 {}[]|~';

/** Answers the file dialog of a Qt application. */
const saveInQt = (name: string) => [
  { action: 'fill' as const, target: { role: 'textbox', name: 'File name:' }, text: name },
  click('button', 'Save'),
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
        press('Control+S'),
        { action: 'waitFor', condition: { count: { target: { role: 'button', name: 'Save' }, min: 1 } } },
        { action: 'waitFor', condition: { hidden: { role: 'tab', name: '*list.txt' } } },
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
        press('Control+S'),
        openApp('featherpad', 'to.txt'),
        untilTitle('to.txt'),
        press('Control+End'),
        press('Control+V'),
        untilText('to: moved text'),
        press('Control+S'),
        { action: 'waitFor', condition: { hidden: { role: 'tab', name: '*to.txt' } } },
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
        press('Control+S'),
        { action: 'waitFor', condition: { visible: { role: 'textbox', name: 'code.py' } } },
        { action: 'waitFor', condition: { title: 'code.py ' } },
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
