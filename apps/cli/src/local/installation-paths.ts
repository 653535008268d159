import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where the parts of the house on this machine are. */
export interface House {
  /** The checkout. */
  root: string;
  /** `.pilothouse`: everything that a start makes. */
  state: string;
  logs: string;
  secrets: string;
  /** The lock: who runs, with which parts (local/state-file.ts). Gone when nothing runs. */
  record: string;
  /** How the CLI reaches the API (local/saved-connection.ts). Stays when the house stops. */
  config: string;
  /** The bundle of an app. */
  bundle(app: string): string;
}

/** The house of this checkout. `dir` is another folder for its data. */
export function findHouse(dir?: string, from = import.meta.dirname): House {
  const root = checkoutOf(from);
  const state = resolve(root, dir ?? '.pilothouse');
  return {
    root,
    state,
    logs: join(state, 'logs'),
    secrets: join(state, 'secrets'),
    record: join(state, 'up.json'),
    config: join(state, 'config.json'),
    bundle: (app) => join(root, 'dist', app, 'main.js'),
  };
}

function checkoutOf(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'pilothouse') return folder;
  if (dirname(folder) === folder) throw new Error('This command is not inside a checkout of Pilothouse.');
  return checkoutOf(dirname(folder));
}
