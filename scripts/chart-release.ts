/**
 * Copies the chart and sets the version, image repositories and digests of a release.
 * Usage: `node scripts/chart-release.ts --version 1.2.3 --prefix registry.example.com/team --digests FOLDER --out FOLDER`.
 * The folder of digests has a file per image, named after it, with `sha256:…`.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDocument } from 'yaml';

const root = join(import.meta.dirname, '..');

/** Image name → its path in the values of the chart. */
const images = {
  server: ['image', 'server'],
  'worker-browser': ['image', 'worker', 'browser'],
  'worker-desktop': ['image', 'worker', 'desktop'],
} as const;

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    prefix: { type: 'string' },
    digests: { type: 'string' },
    out: { type: 'string' },
  },
});
const { version, prefix, digests, out } = values;
if (!version || !prefix || !digests || !out) {
  console.error('chart-release: set --version, --prefix, --digests and --out.');
  process.exit(2);
}

cpSync(join(root, 'charts/pilothouse'), out, { recursive: true });
edit('Chart.yaml', (chart) => {
  chart.set('version', version);
  chart.set('appVersion', version);
});
edit('values.yaml', (document) => {
  for (const [name, path] of Object.entries(images)) {
    const digest = readFileSync(join(digests, name), 'utf8').trim();
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${name}: "${digest}" is not a digest (sha256:…)`);
    document.setIn([...path, 'repository'], `${prefix}/${name}`);
    document.setIn([...path, 'digest'], digest);
  }
});

/** Changes a YAML file of the copy. Keeps its comments. */
function edit(name: string, change: (document: ReturnType<typeof parseDocument>) => void): void {
  const file = join(out ?? '', name);
  const document = parseDocument(readFileSync(file, 'utf8'));
  change(document);
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}
