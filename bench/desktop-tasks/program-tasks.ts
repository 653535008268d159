import type { Action } from '@pilothouse/contract/actions/action-sets';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { contentOf, imageOf } from './task-files.ts';
import { isEqual, opened, save, type DesktopTask } from './desktop-task.ts';

const press = (key: string, times = 1): Action => ({ action: 'press', key, times });
const type = (text: string): Action => ({ action: 'type', text });

/** A red image of 60 × 30 pixels. */
const photo = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#c80000' } })
  .png()
  .toBuffer();

/** First bytes of a KeePass database. */
const KEEPASS_SIGNATURE = '03d9a29a';

const openPhoto: readonly Action[] = [
  { action: 'openApp', app: 'gimp', args: ['photo.png'] },
  { action: 'waitFor', condition: { window: 'photo' } },
  { action: 'switchWindow', window: 'photo' },
  { action: 'waitFor', condition: { title: 'photo', stableMs: 1_500 } },
];

const gimp = (items: string[]): Action[] => [
  ...openPhoto,
  { action: 'selectMenuItem', items },
  { action: 'selectMenuItem', items: ['File', 'Overwrite photo.png'] },
  { action: 'waitFor', condition: { stableMs: 1_500 } },
];

const thunar = (steps: readonly Action[]): Action[] => [
  { action: 'openApp', app: 'thunar', args: ['work'] },
  { action: 'waitFor', condition: { title: 'work', stableMs: 500 } },
  press('Control+2'),
  ...steps,
  { action: 'waitFor', condition: { stableMs: 1_000 } },
];

const file = (name: string): Action => ({ action: 'click', target: { role: 'gridcell', name, exact: true } });

const workFiles = { 'work/a.txt': 'first', 'work/b.txt': 'second' };
const workOf = async (home: string) => (await readdir(join(home, 'work')).catch(() => [])).toSorted();

/** Tasks in GIMP, Thunar, terminals, a Qt editor and KeePassXC. */
export const programTasks: readonly DesktopTask[] = [
  {
    name: 'gimp-rotate',
    files: { 'photo.png': photo },
    steps: gimp(['Image', 'Transform', 'Rotate 90° clockwise']),
    check: async (home) => {
      const image = await imageOf(home, 'photo.png');
      return isEqual([image?.width, image?.height], [30, 60]);
    },
  },
  {
    name: 'gimp-invert',
    files: { 'photo.png': photo },
    steps: gimp(['Colors', 'Invert']),
    check: async (home) => ((await imageOf(home, 'photo.png'))?.red ?? 255) < 100 || 'the colors are not inverted',
  },
  {
    name: 'gimp-export',
    files: { 'photo.png': photo },
    steps: [
      ...openPhoto,
      { action: 'selectMenuItem', items: ['Image', 'Scale Image'] },
      { action: 'fill', target: { role: 'spinbutton', name: 'Width' }, text: '30' },
      press('Tab'),
      { action: 'click', target: { role: 'button', name: 'Scale', exact: true } },
      { action: 'selectMenuItem', items: ['File', 'Export As'] },
      { action: 'fillFileDialog', path: 'small.png' },
      { action: 'click', target: { role: 'button', name: 'Export', exact: true } },
      { action: 'waitFor', condition: { stableMs: 1_500 } },
    ],
    check: async (home) => {
      const image = await imageOf(home, 'small.png');
      return isEqual([image?.width, image?.height], [30, 15]);
    },
  },
  {
    name: 'thunar-rename',
    files: workFiles,
    steps: thunar([
      file('a.txt'),
      press('F2'),
      { action: 'waitFor', condition: { title: 'Rename' } },
      press('Control+A'),
      type('renamed.txt'),
      press('Enter'),
    ]),
    check: async (home) => isEqual(await workOf(home), ['b.txt', 'renamed.txt']),
  },
  {
    name: 'thunar-folder',
    files: workFiles,
    steps: thunar([
      press('Control+Shift+N'),
      { action: 'waitFor', condition: { title: 'Create New Folder' } },
      press('Control+A'),
      type('archive'),
      press('Enter'),
    ]),
    check: async (home) => isEqual(await workOf(home), ['a.txt', 'archive', 'b.txt']),
  },
  {
    name: 'thunar-delete',
    files: workFiles,
    steps: thunar([
      file('b.txt'),
      press('Shift+Delete'),
      { action: 'click', target: { role: 'button', name: 'Delete', exact: true } },
    ]),
    check: async (home) => isEqual(await workOf(home), ['a.txt']),
  },
  {
    name: 'xterm-sort',
    files: { 'names.txt': 'pear\napple\n' },
    steps: [
      { action: 'openApp', app: 'debian-xterm' },
      type('sort names.txt > sorted.txt; exit\n'),
      { action: 'wait', seconds: 1 },
    ],
    check: async (home) => isEqual(await contentOf(home, 'sorted.txt'), 'apple\npear\n'),
    script: () =>
      `xterm -e sh -c 'cd "$HOME"; exec sh' &\nxdotool search --sync --onlyvisible --class xterm\nsleep 0.5\nxdotool type --delay 12 'sort names.txt > sorted.txt; exit'\nxdotool key Return\nwait`,
  },
  {
    name: 'terminal-count',
    files: { 'names.txt': 'pear\napple\n' },
    steps: [
      { action: 'openApp', app: 'xfce4-terminal' },
      type('wc -l < names.txt > count.txt\n'),
      { action: 'waitFor', condition: { stableMs: 1_000 } },
    ],
    check: async (home) => isEqual((await contentOf(home, 'count.txt')).trim(), '2'),
  },
  {
    name: 'editor-append',
    files: { 'note.txt': 'first line\n' },
    steps: [...opened('featherpad', 'note.txt'), press('Control+End'), type('Grüße: 5 €'), ...save],
    check: async (home) => isEqual((await contentOf(home, 'note.txt')).trim(), 'first line\nGrüße: 5 €'),
    script: ({ open, save: saveKeys }) =>
      `${open('featherpad', 'note.txt')}\nxdotool key ctrl+End\nxdotool type --delay 12 'Grüße: 5 €'\n${saveKeys('note.txt', 'Grüße: 5 €')}`,
  },
  {
    name: 'editor-replace',
    files: { 'note.txt': 'old\n' },
    steps: [...opened('featherpad', 'note.txt'), press('Control+A'), type('new text'), ...save],
    check: async (home) => isEqual((await contentOf(home, 'note.txt')).trim(), 'new text'),
    script: ({ open, save: saveKeys }) =>
      `${open('featherpad', 'note.txt')}\nxdotool key ctrl+a\nxdotool type --delay 12 'new text'\n${saveKeys('note.txt', 'new text')}`,
  },
  {
    name: 'editor-save-as',
    files: {},
    steps: [
      { action: 'openApp', app: 'featherpad' },
      type('some words'),
      press('Control+S'),
      { action: 'fillFileDialog', path: 'Documents/mixed.txt' },
    ],
    check: async (home) => isEqual((await contentOf(home, 'Documents/mixed.txt')).trim(), 'some words'),
  },
  {
    name: 'keepassxc-database',
    files: {},
    steps: [
      { action: 'openApp', app: 'org.keepassxc.KeePassXC' },
      press('Control+Shift+N'),
      { action: 'waitFor', condition: { title: 'Create a new KeePassXC database' } },
      { action: 'fill', target: { label: 'Database name' }, text: 'Safe' },
      { action: 'click', target: { role: 'button', name: 'Continue' } },
      { action: 'waitFor', condition: { text: 'Encryption Settings' } },
      { action: 'click', target: { role: 'button', name: 'Continue' } },
      { action: 'waitFor', condition: { text: 'Database Credentials' } },
      {
        action: 'fill',
        target: { role: 'textbox', near: { text: 'Enter password:' }, side: 'right' },
        text: 'correct horse battery staple 42',
      },
      {
        action: 'fill',
        target: { role: 'textbox', near: { text: 'Confirm password:' }, side: 'right' },
        text: 'correct horse battery staple 42',
      },
      { action: 'click', target: { role: 'button', name: 'Done' } },
      { action: 'fillFileDialog', path: 'safe.kdbx' },
      { action: 'waitFor', condition: { title: 'Safe' } },
    ],
    check: async (home) => {
      const head = await readFile(join(home, 'safe.kdbx')).catch(() => Buffer.alloc(0));
      return isEqual(head.subarray(0, 4).toString('hex'), KEEPASS_SIGNATURE);
    },
  },
];
