import type { Action } from '@pilothouse/contract/actions/action-sets';

/** Parts of a script that does a task with `xdotool`. */
export interface ScriptParts {
  /** Starts a program with a file of the home folder, and waits for its window. */
  open(command: string, file: string): string;
  /** Saves, and waits until a file of the home folder has a text. */
  save(file: string, text: string): string;
}

/** A task as a user does it. */
export interface DesktopTask {
  readonly name: string;
  /** Files of the home folder, by path; binary ones in base64. */
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly steps: readonly Action[];
  /** Looks at the files. @returns true, or what is wrong */
  check(home: string): Promise<true | string>;
  /** The same task as a shell script; missing: it is not compared. */
  readonly script?: (parts: ScriptParts) => string;
}

/** Steps that open an application with a file. */
export const opened = (app: string, file: string): Action[] => [
  { action: 'openApp', app, args: [file] },
  { action: 'waitFor', condition: { title: file.split('/').at(-1) ?? file, stableMs: 500 } },
];

/** Steps that save. The check of the files waits for them. */
export const save: readonly Action[] = [
  { action: 'press', key: 'Control+S' },
  { action: 'wait', seconds: 1 },
];

/** @returns true, or a sentence with both values */
export const isEqual = (actual: unknown, expected: unknown): true | string =>
  JSON.stringify(actual) === JSON.stringify(expected) ||
  `${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
