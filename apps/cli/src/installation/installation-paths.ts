import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** Paths of the local installation. */
export interface Installation {
  /** The checkout. */
  root: string;
  /** `.pilothouse`: all data. */
  state: string;
  logs: string;
  secrets: string;
  /** The lock file: the running supervisor and its services (local/state-file.ts). Removed when it stops. */
  record: string;
  /** Connection of the CLI to the API (local/saved-connection.ts). Stays after a stop. */
  config: string;
  /** The bundle of an app. */
  bundle(app: string): string;
}

/** The installation of this checkout. `dir` is another folder for its data. */
export function findInstallation(dir?: string, startFolder = import.meta.dirname): Installation {
  const root = findCheckout(startFolder);
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

/** A path of the installation in messages: relative to the checkout if it is inside, otherwise absolute. */
export function displayPath({ root }: Pick<Installation, 'root'>, path: string): string {
  const relativePath = relative(root, path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
}

function findCheckout(folder: string): string {
  const file = join(folder, 'package.json');
  if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'pilothouse') return folder;
  if (dirname(folder) === folder) throw new Error('Run this command inside a Pilothouse checkout.');
  return findCheckout(dirname(folder));
}
