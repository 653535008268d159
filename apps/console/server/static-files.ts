import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
};

interface File {
  readonly plain: Buffer;
  /** Compressed by the build (`<file>.br`), where that makes it smaller. */
  readonly brotli: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What browsers fetch besides pages: scripts, sheets, pictures. */
export interface StaticFiles {
  /** Answers with the file of this path. @returns false: there is none, and nothing was answered */
  send(path: string, request: Pick<IncomingMessage, 'method' | 'headers'>, response: ServerResponse): boolean;
}

/** Suffix of a compressed file that stands beside the plain one. */
const COMPRESSED = '.br';

/**
 * Reads a folder once; it is small, and changes only with the program. Nothing is compressed here: that is done by the build.
 * @param folder with `assets/`, whose names say their content
 */
export async function readFiles(folder: string): Promise<StaticFiles> {
  const contents = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    contents.set(`/${relative(folder, file).split(sep).join('/')}`, await readFile(file));
  }
  const files = new Map<string, File>();
  for (const [path, plain] of contents)
    if (!path.endsWith(COMPRESSED)) files.set(path, fileOf(path, plain, contents.get(path + COMPRESSED)));
  return {
    send(path, { method, headers }, response) {
      const file = files.get(path);
      if (!file || (method !== 'GET' && method !== 'HEAD')) return false;
      const compressed = /\bbr\b/.test(String(headers['accept-encoding'])) ? file.brotli : undefined;
      const body = compressed ?? file.plain;
      response.writeHead(200, {
        ...file.headers,
        'content-length': body.length,
        ...(compressed && { 'content-encoding': 'br' }),
      });
      response.end(method === 'HEAD' ? undefined : body);
      return true;
    },
  };
}

function fileOf(path: string, plain: Buffer, brotli: Buffer | undefined): File {
  return {
    plain,
    brotli,
    headers: {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    },
  };
}
