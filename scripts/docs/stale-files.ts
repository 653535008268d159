import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocsPage } from './docs-page.ts';

/** Folder of the repository. */
export const root = join(import.meta.dirname, '../..');

/** A file that differs from its page, and the text that it should have. */
interface StaleFile {
  path: string;
  text: string;
}

/** Returns the pages whose file is missing or different. */
export async function staleFiles(pages: readonly DocsPage[]): Promise<StaleFile[]> {
  const files = await Promise.all(
    pages.map(async (page) => ({
      path: page.path,
      text: await page.render(),
      current: await readFile(join(root, page.path), 'utf8').catch(() => null),
    })),
  );
  return files.flatMap(({ path, text, current }) => (text === current ? [] : [{ path, text }]));
}
