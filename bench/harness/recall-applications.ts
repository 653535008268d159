/** Applications of `desktop-recall`. Each opens with the same files and the same window bounds, as in its stored screenshot. */
import type { Action } from '@pilothouse/contract/actions/action-sets';
import { systemTimers } from '@pilothouse/core/time/timers';
import { libreOfficeProfile } from '@pilothouse/testing/libreoffice-profile';
import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contextWithin } from '../../libs/surface/desktop/src/testing/desktop.fixture.ts';
import type { BenchDesktop } from './desktop-bench.ts';
import { layoutDifference } from './recall-layout.ts';
import { pngOf, tinyPdf } from './recall-files.ts';

/** Window bounds of the applications that a person enlarges. */
const WINDOW = { x: 20, y: 40, width: 1_240, height: 740 };

/** An application counts as open after this many screenshots in a row that differ in less than this share. */
const STABLE_SCREENSHOTS = 4;
const STABLE_DIFFERENCE = 0.000_5;
const SCREENSHOT_INTERVAL_MS = 1_000;
const STABLE_TIMEOUT_MS = 40_000;

export interface RecallApplication {
  /** Name of its files in `bench/recall`. */
  readonly id: string;
  readonly name: string;
  readonly toolkit: string;
  /** `.desktop` id, or a name of `recallCommands`. */
  readonly app: string;
  readonly args?: readonly string[];
  /** Title of its window, or a part of it. */
  readonly title: string;
  /** Title of a second window, which opens last and is moved aside. */
  readonly secondTitle?: string;
  /** Text that is typed after the start. */
  readonly text?: string;
}

const NOTES = 'Shopping list\n\n- bread\n- 2 kg apples\n- coffee\n';

/** Cells of a sheet: a tab goes to the next one, a line break to the first one of the next row. */
const CELLS = 'Item\tPieces\tPrice\nBread\t1\t3.25\nApples\t2\t2.55\n';

/** Place of a second window, which covers no control of the first one. */
const ASIDE = { x: 960, y: 540 };

const PAGE = `<!doctype html><meta charset="utf-8"><title>Order</title>
<style>body { font: 16px sans-serif; margin: 24px } label { display: block; margin: 10px 0 } td, th { padding: 4px 12px }</style>
<h1>Order</h1>
<nav><a href="#shop">Shop</a> · <a href="#basket">Basket</a> · <a href="#help">Help</a></nav>
<form>
<label>Name <input name="name"></label>
<label>Mail <input name="mail" type="email" value="ada@example.org"></label>
<label>Country <select name="country"><option>Germany<option>France</select></label>
<label><input type="checkbox" name="gift"> Gift wrapping</label>
<label><input type="radio" name="speed" checked> Standard</label>
<label><input type="radio" name="speed"> Express</label>
<label>Message <textarea name="message" rows="3" cols="40"></textarea></label>
<button>Order now</button> <button type="reset">Clear</button>
</form>
<table><tr><th>Item<th>Price<tr><td>Coffee<td>7.90<tr><td>Bread<td>3.20</table>`;

/** Opens no page of the vendor in a second tab. */
const FIREFOX_SETTINGS = [
  'user_pref("datareporting.policy.firstRunURL", "");',
  'user_pref("browser.startup.homepage_override.mstone", "ignore");',
].join('\n');

/** Operator command of an application without a `.desktop` file for a local page. */
export const recallCommands = {
  'recall-chromium': ['chromium', 'order.html'],
  'recall-firefox': ['firefox-esr', '--new-instance', '--profile', '.firefox', 'order.html'],
} as const;

/** Files of the home folder, by path. */
async function homeFiles(): Promise<Record<string, string | Buffer>> {
  return {
    ...libreOfficeProfile,
    'notes.txt': NOTES,
    '.firefox/user.js': FIREFOX_SETTINGS,
    'order.html': PAGE,
    'invoice.pdf': tinyPdf(),
    'picture.png': await pngOf(300, 200),
    'Letters/first.txt': NOTES,
    'Pictures/.keep': '',
  };
}

export const recallApplications: readonly RecallApplication[] = [
  {
    id: 'mousepad',
    name: 'Mousepad',
    toolkit: 'GTK 3',
    app: 'org.xfce.mousepad',
    args: ['notes.txt'],
    title: 'notes.txt',
  },
  {
    id: 'text-editor',
    name: 'GNOME Text Editor',
    toolkit: 'GTK 4',
    app: 'org.gnome.TextEditor',
    args: ['notes.txt'],
    title: 'notes.txt',
  },
  { id: 'featherpad', name: 'FeatherPad', toolkit: 'Qt 5', app: 'featherpad', args: ['notes.txt'], title: 'notes.txt' },
  { id: 'kate', name: 'Kate', toolkit: 'Qt 5, KDE', app: 'org.kde.kate', args: ['notes.txt'], title: 'notes.txt' },
  {
    id: 'writer',
    name: 'LibreOffice Writer',
    toolkit: 'LibreOffice',
    app: 'libreoffice-writer',
    title: 'LibreOffice Writer',
  },
  {
    id: 'calc',
    name: 'LibreOffice Calc',
    toolkit: 'LibreOffice',
    app: 'libreoffice-calc',
    title: 'LibreOffice Calc',
    text: CELLS,
  },
  { id: 'thunar', name: 'Thunar', toolkit: 'GTK 3', app: 'thunar', title: 'Thunar' },
  { id: 'atril', name: 'Atril', toolkit: 'GTK 3', app: 'atril', args: ['invoice.pdf'], title: 'invoice.pdf' },
  { id: 'chromium', name: 'Chromium', toolkit: 'Chromium', app: 'recall-chromium', title: 'Order' },
  { id: 'firefox', name: 'Firefox', toolkit: 'Gecko', app: 'recall-firefox', title: 'Order' },
  {
    id: 'mtpaint',
    name: 'mtPaint',
    toolkit: 'GTK 2',
    app: 'mtpaint',
    args: ['picture.png'],
    title: 'picture.png',
    secondTitle: 'Settings Toolbar',
  },
  { id: 'idle', name: 'IDLE', toolkit: 'Tk', app: 'idle', title: 'IDLE' },
  { id: 'xterm', name: 'xterm', toolkit: 'Xaw', app: 'debian-xterm', title: 'xterm' },
];

/**
 * Opens an application with its files, and waits until its window stays the same.
 * @returns the screenshot
 */
export async function openRecallApplication(desktop: BenchDesktop, application: RecallApplication): Promise<Buffer> {
  const { app, args = [], title, secondTitle, text } = application;
  await writeHomeFiles(desktop.home, await homeFiles());
  const steps: Action[] = [
    { action: 'openApp', app, args: [...args] },
    { action: 'waitFor', condition: { title: secondTitle ?? title } },
    ...(secondTitle === undefined ? [] : [{ action: 'setWindow' as const, window: secondTitle, bounds: ASIDE }]),
    { action: 'switchWindow', window: title },
    { action: 'setWindow', window: title, bounds: WINDOW },
  ];
  for (const step of steps) await desktop.act(step, 60);
  const screenshot = await screenshotWhenStable(desktop);
  if (text === undefined) return screenshot;
  await desktop.act({ action: 'type', text }, 60);
  return screenshotWhenStable(desktop);
}

/** Compares screenshots: the condition `stableMs` takes the caret of some applications for a change. */
async function screenshotWhenStable({ surface }: BenchDesktop): Promise<Buffer> {
  const capture = async () => Buffer.from((await surface.screenshot({}, contextWithin(20))).body);
  const deadline = performance.now() + STABLE_TIMEOUT_MS;
  let [screenshot, unchanged] = [await capture(), 0];
  while (unchanged < STABLE_SCREENSHOTS && performance.now() < deadline) {
    await systemTimers.delay(SCREENSHOT_INTERVAL_MS);
    const next = await capture();
    unchanged = (await layoutDifference(screenshot, next)) < STABLE_DIFFERENCE ? unchanged + 1 : 0;
    screenshot = next;
  }
  return screenshot;
}

async function writeHomeFiles(home: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const { uid, gid } = await stat(home);
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    const first = await mkdir(dirname(file), { recursive: true });
    // The user of the session owns new folders, from the outermost.
    for (let folder = dirname(file); first && folder.length >= first.length; folder = dirname(folder))
      await chown(folder, uid, gid);
    await writeFile(file, content);
    await chown(file, uid, gid);
  }
}
