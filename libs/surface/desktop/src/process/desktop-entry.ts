import { nearestWords } from '@pilothouse/contract/nearest';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders with `.desktop` files, the first wins. */
const APPLICATION_FOLDERS = ['/usr/local/share/applications', '/usr/share/applications'];

/** A command that starts an application. */
export interface AppCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** An installed application. */
export interface InstalledApp {
  /** Name of its `.desktop` file without the extension, e.g. `org.xfce.mousepad`. */
  readonly id: string;
  /** Name for people, in English. */
  readonly name: string;
}

interface DesktopEntry extends InstalledApp {
  readonly exec: string;
  /** Not meant to be started by people, e.g. a handler of links. */
  readonly isHidden: boolean;
  /** Has no window of its own, and runs in a terminal. */
  readonly needsTerminal: boolean;
}

/** Applications of this machine, read once: no run installs any. */
let installedEntries: Promise<readonly DesktopEntry[]> | null = null;

const readEntries = (): Promise<readonly DesktopEntry[]> => (installedEntries ??= readFolders(APPLICATION_FOLDERS));

/** Applications that a run can open, by id. */
export const installedApps = async (): Promise<readonly InstalledApp[]> =>
  (await readEntries()).filter(isOffered).map(({ id, name }) => ({ id, name }));

const isOffered = ({ isHidden, needsTerminal }: DesktopEntry): boolean => !isHidden && !needsTerminal;

/** Ids in an error message at most. */
const MAX_LISTED_APPS = 40;

/**
 * Finds the command of an application. Compares the name of its `.desktop` file (Desktop Entry Specification 1.5), else
 * the last part of that name, else its display name.
 * @param commands commands that the operator allows, by name; they win
 * @throws Error if it is not installed, several fit, its entry has no command, or it runs in a terminal
 */
export async function findAppCommand(
  app: string,
  files: readonly string[],
  commands: Readonly<Record<string, readonly string[]>> = {},
): Promise<AppCommand> {
  const [command, ...args] = (Object.hasOwn(commands, app) ? commands[app] : undefined) ?? [];
  if (command !== undefined) return { command, args: [...args, ...files] };
  const entries = await readEntries();
  const [entry, ...others] = matchingEntries(entries, app);
  if (others.length > 0) {
    const ids = [entry, ...others].map((each) => each?.id).join(', ');
    throw new Error(`${JSON.stringify(app)} matches several applications; use one of these ids: ${ids}`);
  }
  if (!entry) {
    const offered = entries.filter(isOffered);
    const ids = [...Object.keys(commands), ...offered.map(({ id }) => id)];
    const near = similarIds(app, Object.keys(commands), offered);
    const question = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    throw new Error(
      `Application ${JSON.stringify(app)} not found; installed: ${ids.slice(0, MAX_LISTED_APPS).join(', ')}${question || '.'} The operator can add commands with PILOTHOUSE_DESKTOP_COMMANDS`,
    );
  }
  if (entry.needsTerminal)
    throw new Error(
      `${entry.id} runs in a terminal and opens no window: open a terminal, for example debian-xterm, and type its command`,
    );
  if (entry.exec === '') throw new Error(`${entry.id}.desktop has no Exec line`);
  return parseExec(entry.exec, files);
}

/** Similar ids in an error message at most. */
const MAX_SIMILAR_APPS = 2;

/** Ids whose last part, or name for people, is similar to a word. */
export function similarIds(app: string, commands: readonly string[], entries: readonly InstalledApp[]): string[] {
  const idOf = new Map<string, string>([
    ...entries.flatMap(({ id, name }): [string, string][] => [
      [id.slice(id.lastIndexOf('.') + 1), id],
      [name, id],
      [id, id],
    ]),
    ...commands.map((command): [string, string] => [command, command]),
  ]);
  const ids = nearestWords(app, [...idOf.keys()]).map((word) => idOf.get(word) ?? word);
  return [...new Set(ids)].slice(0, MAX_SIMILAR_APPS);
}

/** A name without blanks and signs: `LibreOffice Calc` and `libreoffice-calc` are the same. */
const lettersOf = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Entries of the best kind of match that any entry has. */
export function matchingEntries<Entry extends InstalledApp>(entries: readonly Entry[], app: string): Entry[] {
  const wanted = app.toLowerCase();
  const kinds: ((entry: Entry) => boolean)[] = [
    ({ id }) => id === app,
    ({ id }) => id.toLowerCase() === wanted || id.toLowerCase().endsWith(`.${wanted}`),
    ({ name }) => lettersOf(name) === lettersOf(app),
  ];
  return kinds.map((isMatch) => entries.filter(isMatch)).find((matches) => matches.length > 0) ?? [];
}

async function readFolders(folders: readonly string[]): Promise<DesktopEntry[]> {
  const entries = new Map<string, DesktopEntry>();
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.endsWith('.desktop')).toSorted()) {
      const id = name.slice(0, -'.desktop'.length);
      const text = entries.has(id) ? null : await readFile(join(folder, name), 'utf8').catch(() => null);
      if (text !== null) entries.set(id, parseEntry(id, text));
    }
  }
  return [...entries.values()];
}

/** Parses the main group of a `.desktop` file. */
export function parseEntry(id: string, text: string): DesktopEntry {
  const fields = new Map<string, string>();
  let isMainGroup = false;
  for (const line of text.split('\n')) {
    const [key = ''] = line.split('=', 1);
    if (line.startsWith('[')) isMainGroup = line.trim() === '[Desktop Entry]';
    else if (isMainGroup && key.length < line.length) fields.set(key.trim(), line.slice(key.length + 1).trim());
  }
  const isTrue = (key: string) => fields.get(key) === 'true';
  const isApplication = (fields.get('Type') ?? 'Application') === 'Application';
  return {
    id,
    name: fields.get('Name') ?? id,
    exec: fields.get('Exec') ?? '',
    needsTerminal: isTrue('Terminal'),
    isHidden: isTrue('NoDisplay') || isTrue('Hidden') || !isApplication,
  };
}

/** Splits an Exec line as the specification says. The field codes for files are replaced by the files, others are dropped. */
export function parseExec(exec: string, files: readonly string[]): AppCommand {
  const words: string[] = [];
  let word = '';
  let isQuoted = false;
  let hasWord = false;
  for (let index = 0; index < exec.length; index += 1) {
    const character = exec[index] ?? '';
    if (character === '"') {
      isQuoted = !isQuoted;
      hasWord = true;
    } else if (character === '\\' && isQuoted) {
      index += 1;
      word += exec[index] ?? '';
    } else if (character === ' ' && !isQuoted) {
      if (hasWord) words.push(word);
      word = '';
      hasWord = false;
    } else {
      word += character;
      hasWord = true;
    }
  }
  if (hasWord) words.push(word);
  let hasFiles = false;
  const expanded = words.flatMap((each) => {
    if (/^%[fFuU]$/.test(each)) {
      hasFiles = true;
      return files;
    }
    return /^%[a-zA-Z]$/.test(each) ? [] : [each.replaceAll('%%', '%')];
  });
  const [command = '', ...args] = hasFiles ? expanded : [...expanded, ...files];
  return { command, args };
}
