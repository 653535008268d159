import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for one spec file, accessible to the user of PostgreSQL. Removed after its tests. */
export function createTestFolder(name: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `pilothouse-${name}-`)));
  chmodSync(dir, 0o755);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
