/** Applications of ten toolkits that `desktop-typing` types into. Each has a way to read the text without AT-SPI. */
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemTimers } from '@pilothouse/core/time/timers';
import { openOffice, type BenchDesktop } from './desktop-bench.ts';

/** Milliseconds for an application to write its file. */
const SAVE_TIMEOUT_MS = 20_000;

/** Milliseconds for an application to copy its text. */
const COPY_TIMEOUT_MS = 10_000;

/** Text of the clipboard before a copy. */
const EMPTY_MARK = 'nothing is copied yet';

const FILE = 'typed.txt';

export interface TypingTarget {
  readonly toolkit: string;
  /** Opens an empty field that has the focus. */
  open(desktop: BenchDesktop): Promise<void>;
  /** Text of the field. @param length expected number of UTF-16 units */
  read(desktop: BenchDesktop, length: number): Promise<string>;
}

/** Operator commands of the targets without a `.desktop` file. @param folder with the files of `writePrograms` */
export const typingCommands = (folder: string): Record<string, readonly string[]> => ({
  'bench-tk': ['python3', join(folder, 'tk.py'), FILE],
  'bench-qt6': ['python3', join(folder, 'qt6.py'), FILE],
  'bench-xterm': ['xterm', '-e', 'sh', '-c', `cat > ${FILE}`],
  'bench-vte': ['xfce4-terminal', '--disable-server', '-x', 'sh', '-c', `cat > ${FILE}`],
  'bench-chromium': ['chromium', join(folder, 'page.html')],
  'bench-firefox': ['firefox-esr', '--new-instance', join(folder, 'page.html')],
});

const TK = `import sys, tkinter
window = tkinter.Tk()
window.title('typed.txt')
text = tkinter.Text(window)
def save(event):
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(text.get('1.0', 'end-1c'))
    return 'break'
text.bind('<Control-s>', save)
text.pack()
text.focus_force()
window.mainloop()
`;

const QT6 = `import sys
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QApplication, QPlainTextEdit
app = QApplication(sys.argv)
text = QPlainTextEdit()
text.setWindowTitle('typed.txt')
def save():
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(text.toPlainText())
QShortcut(QKeySequence('Ctrl+S'), text, save)
text.show()
text.setFocus()
app.exec()
`;

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>typed.txt</title><textarea aria-label="Text" rows="20" cols="90"></textarea>';

/** Writes the programs and the page of the targets. Users of sessions read the folder. */
export async function writePrograms(folder: string): Promise<void> {
  await writeFile(join(folder, 'tk.py'), TK);
  await writeFile(join(folder, 'qt6.py'), QT6);
  await writeFile(join(folder, 'page.html'), PAGE);
}

export const typingTargets: readonly TypingTarget[] = [
  { toolkit: 'GTK 3', open: (desktop) => openFile(desktop, 'org.xfce.mousepad'), read: saveAndRead },
  { toolkit: 'GTK 4', open: (desktop) => openFile(desktop, 'org.gnome.TextEditor'), read: saveAndRead },
  { toolkit: 'Qt 5', open: (desktop) => openFile(desktop, 'featherpad'), read: saveAndRead },
  { toolkit: 'Qt 6', open: (desktop) => openCommand(desktop, 'bench-qt6'), read: saveAndRead },
  {
    toolkit: 'LibreOffice Writer',
    open: (desktop) => openOffice(desktop, 'libreoffice-writer', 'LibreOffice Writer'),
    read: copyAll,
  },
  { toolkit: 'xterm', open: (desktop) => openTerminal(desktop, 'bench-xterm'), read: endInput },
  { toolkit: 'VTE', open: (desktop) => openTerminal(desktop, 'bench-vte'), read: endInput },
  { toolkit: 'Chromium', open: (desktop) => openPage(desktop, 'bench-chromium'), read: copyAll },
  { toolkit: 'Firefox', open: (desktop) => openPage(desktop, 'bench-firefox'), read: copyAll },
  { toolkit: 'Tk', open: (desktop) => openCommand(desktop, 'bench-tk'), read: saveAndRead },
];

async function openFile({ act, home }: BenchDesktop, app: string): Promise<void> {
  const file = join(home, FILE);
  const { uid, gid } = await stat(home);
  await writeFile(file, '');
  // The user of the session writes it.
  await chown(file, uid, gid);
  await act({ action: 'openApp', app, args: [FILE] }, 60);
  await act({ action: 'waitFor', condition: { title: FILE } }, 30);
}

async function openCommand({ act }: BenchDesktop, app: string): Promise<void> {
  await act({ action: 'openApp', app, args: [] }, 60);
  await act({ action: 'waitFor', condition: { title: FILE } }, 30);
}

async function openTerminal({ act }: BenchDesktop, app: string): Promise<void> {
  await act({ action: 'openApp', app, args: [] }, 60);
  await act({ action: 'waitFor', condition: { stableMs: 500 } }, 30);
}

async function openPage({ act }: BenchDesktop, app: string): Promise<void> {
  await act({ action: 'openApp', app, args: [] }, 60);
  await act({ action: 'click', target: { role: 'textbox', name: 'Text' } }, 60);
}

async function saveAndRead({ act, home }: BenchDesktop, length: number): Promise<string> {
  await act({ action: 'press', key: 'Control+S' });
  return readSaved(join(home, FILE), length);
}

/** Ends the input of `cat`. */
async function endInput({ act, home }: BenchDesktop, length: number): Promise<string> {
  await act({ action: 'press', key: 'Control+D' });
  return readSaved(join(home, FILE), length);
}

/** Copies the whole text. Applications take over the clipboard with a delay. */
async function copyAll({ act }: BenchDesktop): Promise<string> {
  await act({ action: 'writeClipboard', text: EMPTY_MARK });
  await act({ action: 'press', key: 'Control+A' });
  await act({ action: 'press', key: 'Control+C' });
  const deadline = performance.now() + COPY_TIMEOUT_MS;
  let text = EMPTY_MARK;
  while (text === EMPTY_MARK && performance.now() < deadline) {
    await systemTimers.delay(50);
    text = String((await act({ action: 'readClipboard' })).value);
  }
  return text === EMPTY_MARK ? '' : text;
}

/** Text of a file when it has as many characters as were typed, or after the timeout. */
async function readSaved(file: string, length: number): Promise<string> {
  const deadline = performance.now() + SAVE_TIMEOUT_MS;
  let text = '';
  while (text.length < length && performance.now() < deadline) {
    text = await readFile(file, 'utf8').catch(() => '');
    await systemTimers.delay(50);
  }
  return text;
}
