import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

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
  /** Compressed, where that makes it smaller. */
  readonly brotli: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** What browsers fetch besides pages: scripts, sheets, pictures. */
export interface Files {
  /** Answers with the file of this path. @returns false: there is none, and nothing was answered */
  send(path: string, request: Pick<IncomingMessage, 'method' | 'headers'>, response: ServerResponse): boolean;
}

/** Reads a folder once; it is small, and changes only with the program. @param folder with `assets/`, whose names say their content */
export async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, File>();
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => {
        const path = `/${relative(folder, join(parentPath, name)).split(sep).join('/')}`;
        files.set(path, await fileOf(path, await readFile(join(parentPath, name))));
      }),
  );
  return {
    send(path, { method, headers }, response) {
      const file = files.get(path);
      if (!file || (method !== 'GET' && method !== 'HEAD')) return false;
      const small = /\bbr\b/.test(String(headers['accept-encoding'])) ? file.brotli : undefined;
      const body = small ?? file.plain;
      response.writeHead(200, {
        ...file.headers,
        'content-length': body.length,
        ...(small && { 'content-encoding': 'br' }),
      });
      response.end(method === 'HEAD' ? undefined : body);
      return true;
    },
  };
}

async function fileOf(path: string, plain: Buffer): Promise<File> {
  const packed = await promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  return {
    plain,
    brotli: packed.length < plain.length * 0.9 ? packed : undefined,
    headers: {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    },
  };
}
