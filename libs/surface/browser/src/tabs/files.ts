import { open, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Log, SurfaceFile } from '@pilothouse/core';
import type { Download } from 'playwright-core';
import { raceDeadline, remainingMs, type Deadline } from '../wait.ts';

/** Types by the end of a name; a site may call a file anything, so what begins like one of these is it. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  zip: 'application/zip',
};

const beginnings: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\u0089PNG', 'image/png'],
  ['\u00ff\u00d8\u00ff', 'image/jpeg'],
  ['PK\u0003\u0004', 'application/zip'],
];

/** The type of a file: by its name, else by how it begins. */
export async function contentTypeOf(name: string, path: string): Promise<string> {
  const known = types[extname(name).slice(1).toLowerCase()];
  if (known) return known;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    const begin = buffer.toString('latin1', 0, bytesRead);
    return beginnings.find(([start]) => begin.startsWith(start))?.[1] ?? 'application/octet-stream';
  } finally {
    await file.close();
  }
}

interface Waiting {
  /** Name that its step gives the file. */
  readonly name: string | undefined;
  resolve(download: Promise<SurfaceFile>): void;
}

/** The files of one surface, in its folder. */
export class SurfaceFiles {
  readonly #folder: string;
  readonly #tell: (file: SurfaceFile) => void;
  readonly #names = new Set<string>();
  readonly #waiting: Waiting[] = [];
  /** Downloads that are not whole yet, and how they are called. */
  readonly #running = new Map<Promise<unknown>, string>();

  constructor(folder: string, tell: (file: SurfaceFile) => void) {
    this.#folder = folder;
    this.#tell = tell;
  }

  /**
   * The download that begins next, once it is there; to be called before what starts it. It may never come.
   * @param name of the file; left out: the one that the site gives it
   */
  next(name?: string): Promise<SurfaceFile> {
    return new Promise((resolve) => this.#waiting.push({ name, resolve }));
  }

  /** Keeps what a page downloads. */
  keep(download: Download, log: Log): void {
    const waiting = this.#waiting.splice(0);
    const name = safeName(waiting.at(-1)?.name ?? basename(download.suggestedFilename()));
    const saved = this.#save(download, name);
    waiting.forEach(({ resolve }) => resolve(saved));
    const over = saved
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => this.#running.delete(over));
    this.#running.set(over, name);
    saved.then(
      () => log.info({ download: name }, `Downloaded ${name}`),
      (thrown: unknown) =>
        log.warn({ download: name }, `The download of ${name} failed: ${String(thrown).slice(0, 300)}`),
    );
  }

  /** Waits until all that is being downloaded is whole, or has failed. @returns names of what is not at the deadline */
  async whole(bound: Deadline): Promise<string[]> {
    while (this.#running.size > 0 && remainingMs(bound) > 0) {
      const all = Promise.all(this.#running.keys());
      await raceDeadline(all, bound, 'A download').catch(() => bound.signal.throwIfAborted());
    }
    return [...this.#running.values()];
  }

  /** A path of its own for a file of this name. */
  place(name: string): string {
    let own = name;
    for (let number = 2; this.#names.has(own); number += 1) own = `${number}-${name}`;
    this.#names.add(own);
    return join(this.#folder, own);
  }

  /** Tells of a file that is there. */
  async tell(kind: SurfaceFile['kind'], name: string, path: string): Promise<SurfaceFile> {
    const [{ size }, contentType] = await Promise.all([stat(path), contentTypeOf(name, path)]);
    const file = { kind, name, contentType, path, size };
    this.#tell(file);
    return file;
  }

  async #save(download: Download, name: string): Promise<SurfaceFile> {
    const path = this.place(name);
    await download.saveAs(path);
    return this.tell('download', name, path);
  }
}

/** A name that is safe as that of a file: it comes from a site or a workflow. */
const safeName = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(-200) || 'download';
