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
  /** Brotli version (`<file>.br`) that the build created, if it is smaller. */
  readonly brotli: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Static files of the client build. */
export interface StaticFiles {
  /** Sends the file of a path. @returns false if there is none; nothing was sent */
  send(path: string, request: Pick<IncomingMessage, 'method' | 'headers'>, response: ServerResponse): boolean;
}

/** Suffix of a compressed file. */
const COMPRESSED = '.br';

/** Reads a folder into memory. Compression is done by the build. @param folder client build; file names in `assets/` contain a content hash */
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
