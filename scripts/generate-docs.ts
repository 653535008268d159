/**
 * Writes the generated pages of `docs/`. Usage: `node scripts/generate-docs.ts [--check]`. With `--check` it writes nothing, names each file
 * in git that is out of date, and exits with 1.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { docsPages } from './docs/pages.ts';
import { restPage } from './docs/rest-page.ts';
import { root, staleFiles } from './docs/stale-files.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const stale = await staleFiles(values.check ? docsPages : [...docsPages, restPage]);
for (const { path, text } of stale) {
  if (!values.check) await writeFile(join(root, path), text);
  console.log(values.check ? `out of date: ${path}` : `written: ${path}`);
}
if (values.check && stale.length > 0) {
  console.log('Run node scripts/generate-docs.ts');
  process.exitCode = 1;
}
