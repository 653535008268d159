import { openApp, press, type } from '../testing/desktop-steps.fixture.ts';
import { desktopTasks, type DesktopTask } from '../testing/desktop-task.fixture.ts';

const SPECIAL = 'Grüße 日本 € "ok" ёЖ';

/**
 * Writes a text by a shell command. Waits for the file through a second command, which sets the title of the window.
 */
const writesFile = (app: string): DesktopTask => ({
  title: `${app}: a command writes special characters into a file with spaces`,
  steps: [
    openApp(app),
    { action: 'waitFor', condition: { url: 'app://' } },
    type(`printf '%s' '${SPECIAL}' > 'my ö.txt'; echo done > end; printf '\\033]0;%s\\007' finished; sleep 60\n`),
    { action: 'waitFor', condition: { title: 'finished' } },
  ],
  saved: { 'my ö.txt': SPECIAL, end: 'done\n' },
});

desktopTasks(
  'terminals',
  ['xterm', 'xfce4-terminal', 'qterminal'],
  [
    writesFile('debian-xterm'),
    writesFile('xfce4-terminal'),
    writesFile('qterminal'),
    {
      title: 'xterm stays open while it is read and typed into twice: it takes a ping for a request to close',
      steps: [
        openApp('debian-xterm'),
        { action: 'observe' },
        type('echo one > 1.txt\n'),
        type('echo two > 2.txt\n'),
        type(`printf '\\033]0;%s\\007' finished; sleep 60\n`),
        { action: 'waitFor', condition: { title: 'finished' } },
      ],
      saved: { '1.txt': 'one\n', '2.txt': 'two\n' },
    },
    {
      title: 'a running command is interrupted by Control+C',
      steps: [
        openApp('xfce4-terminal'),
        type(`printf '\\033]0;%s\\007' waiting; sleep 60\n`),
        { action: 'waitFor', condition: { title: 'waiting' } },
        press('Control+C'),
        type(`echo $? > code; printf '\\033]0;%s\\007' finished; sleep 60\n`),
        { action: 'waitFor', condition: { title: 'finished' } },
      ],
      saved: { code: '130\n' },
    },
  ],
);
