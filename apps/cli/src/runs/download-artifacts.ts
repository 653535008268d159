import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { clean } from '../output/sanitize-text.ts';
import { CommandError, exitCodes } from '../output/exit-codes.ts';

const DOWNLOAD_TIMEOUT_MS = 600_000;

/**
 * A unique file name for each artifact, inside the folder: pages choose the names of downloads.
 */
export function fileNames(artifacts: readonly Pick<ArtifactView, 'id' | 'name'>[]): Map<string, string> {
  const usedNames = new Set<string>();
  return new Map(
    artifacts.map(({ id, name }) => {
      const safeName = basename(clean(name).replaceAll('\\', '/')).replace(/^\.+/, '') || id;
      const extension = extname(safeName);
      const stem = safeName.slice(0, safeName.length - extension.length).slice(0, 150);
      let unique = `${stem}${extension}`;
      for (let n = 2; usedNames.has(unique.toLowerCase()); n += 1) unique = `${stem}-${n}${extension}`;
      usedNames.add(unique.toLowerCase());
      return [id, unique];
    }),
  );
}

/** Downloads artifacts into a directory, which is created. Returns their absolute paths. Signed URLs need no API key. */
export async function saveArtifacts(
  artifacts: readonly ArtifactView[],
  folder: string,
  api: string,
  cwd: string,
): Promise<string[]> {
  const into = resolve(cwd, folder);
  await mkdir(into, { recursive: true });
  const names = fileNames(artifacts);
  const paths: string[] = [];
  for (const { id, url, name } of artifacts) {
    const path = join(into, names.get(id) ?? id);
    await saveOne(new URL(url, api), path, clean(name));
    paths.push(path);
  }
  return paths;
}

async function saveOne(url: URL, path: string, name: string): Promise<void> {
  const signal = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
  const partial = `${path}.part`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status} from the object store`);
    await pipeline(Readable.fromWeb(response.body as WebStream), createWriteStream(partial), { signal });
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandError(exitCodes.unreachable, `Could not save ${name} to ${path}: ${reason}.`);
  }
}
