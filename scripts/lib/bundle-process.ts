/**
 * Bundles one process with its page scripts, for tests.
 * Usage: `node scripts/lib/bundle-process.ts ENTRY OUTFILE [EXTERNAL_PACKAGE ...]`.
 */
import { build } from 'esbuild';
import { join } from 'node:path';
import { pageScripts } from './page-scripts.ts';

const [entry = '', outfile = '', ...external] = process.argv.slice(2);

await build({
  entryPoints: [entry],
  outfile,
  external,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  sourcemap: 'inline',
  logLevel: 'warning',
  tsconfig: join(import.meta.dirname, '../../tsconfig.base.json'),
  plugins: [pageScripts],
});
