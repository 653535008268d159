import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one spec file, open to the user that PostgreSQL runs as; gone after its tests. */
export function createTestFolder(name: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `pilothouse-${name}-`)));
  chmodSync(dir, 0o755);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
