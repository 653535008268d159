import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders with `.desktop` files, the first wins. */
const APPLICATION_FOLDERS = ['/usr/local/share/applications', '/usr/share/applications'];

/** A command that starts an application. */
export interface AppCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Finds the command of an application by the name of its `.desktop` file (Desktop Entry Specification 1.5).
 * @throws Error if it is not installed, or its entry has no command
 */
export async function findAppCommand(app: string, files: readonly string[]): Promise<AppCommand> {
  for (const folder of APPLICATION_FOLDERS) {
    const entry = await readFile(join(folder, `${app}.desktop`), 'utf8').catch(() => null);
    if (entry !== null) return parseExec(execOf(entry, app), files);
  }
  throw new Error(
    `There is no application ${JSON.stringify(app)}: no ${app}.desktop in ${APPLICATION_FOLDERS.join(', ')}`,
  );
}

function execOf(entry: string, app: string): string {
  let isMainGroup = false;
  for (const line of entry.split('\n')) {
    if (line.startsWith('[')) isMainGroup = line.trim() === '[Desktop Entry]';
    else if (isMainGroup && line.startsWith('Exec=')) return line.slice('Exec='.length).trim();
  }
  throw new Error(`${app}.desktop has no Exec line`);
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
