/**
 * Module hooks for tests: swc compiles each TypeScript source once and stores the result by its content. Node's own type
 * stripping knows no decorators. Used with `node --import`; child processes of jest inherit it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options } from '@swc/core';

const folder = join(import.meta.dirname, '../../.pilothouse/compiled-sources');

const options: Options = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true },
    keepClassNames: true,
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
  configFile: false,
};
const settings = JSON.stringify(options);
const require = createRequire(import.meta.url);

mkdirSync(folder, { recursive: true });

/** Returns the JavaScript of a source, from the cache if the source is unchanged. */
function compile(path: string): string {
  const source = readFileSync(path, 'utf8');
  const digest = createHash('sha256').update(settings).update(path).update(source).digest('hex');
  const file = join(folder, `${digest}.mjs`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Loaded on demand: most processes find all sources in the cache.
    const { transformSync } = require('@swc/core') as typeof import('@swc/core');
    const { code } = transformSync(source, { ...options, filename: path });
    // Other processes may read the file at the same time.
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
    return code;
  }
}

registerHooks({
  load(url, context, nextLoad) {
    const isSource = url.startsWith('file:') && /\.ts(\?|$)/.test(url) && !url.includes('/node_modules/');
    if (!isSource) return nextLoad(url, context);
    // jest adds a query to the URL of a spec file.
    return { format: 'module', source: compile(fileURLToPath(url.replace(/\?.*$/, ''))), shortCircuit: true };
  },
});
