import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKeySegment } from '../key.ts';
import { errorCode } from '../code-of.ts';

/** Keys below `root` that begin with `prefix`, in the order of their bytes, as S3 gives them. Links and temporary files are not keys. */
export async function* listKeys(root: string, prefix: string, folder = ''): AsyncGenerator<string> {
  // A folder sorts as `name/`: "a-b" comes before what is in "a".
  const named = (await entriesOf(join(root, folder))).map((entry) => ({
    entry,
    path: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  }));
  named.sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { entry, path } of named) {
    if (entry.isFile() && path.startsWith(prefix)) yield path;
    else if (entry.isDirectory() && (path.startsWith(prefix) || prefix.startsWith(path)))
      yield* listKeys(root, prefix, path);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => isKeySegment(entry.name));
  } catch (error) {
    // Removed while we walked.
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
