import type { AppNote } from './agent-goal.ts';

/**
 * Notes about programs of the desktop image, for agents. Notes of a step and of the project stand before them in the prompt. Each says
 * what a model cannot see in the element list.
 */
export const shippedAppNotes: readonly AppNote[] = [
  {
    app: 'mousepad',
    note: 'Control+S saves, Control+Shift+S saves under another name, Control+H replaces, Control+L goes to a line. A title that begins with * has unsaved text.',
  },
  {
    app: 'thunar',
    note: 'Control+L opens the path bar: type a path and press Enter. F2 renames the selected file, Delete moves it to the trash.',
  },
  {
    app: 'xterm',
    note: 'The terminal lists no elements: read its text with read_window. Type the command, then press Enter. Control+C stops a program.',
  },
  {
    app: 'atril',
    note: 'Control+L goes to a page, Control+F finds a text, Control+P prints.',
  },
  {
    app: 'chromium',
    note: 'Control+L selects the address bar, Control+T opens a tab, Control+W closes it, Alt+Left goes back.',
  },
  {
    app: 'libreoffice-calc',
    note: 'To go to a cell, type its name into the Name Box and press Enter. Enter confirms a cell, Escape discards it. Control+S saves. If asked about the format, choose Keep Current Format.',
  },
  {
    app: 'libreoffice-writer',
    note: 'Control+S saves. If asked about the format, choose Keep Current Format. Control+H replaces. AutoCorrect can change typed text: if it is on, Control+Z undoes the correction only.',
  },
];
