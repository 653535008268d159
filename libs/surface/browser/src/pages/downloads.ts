import { open, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { type Log, type SurfaceFile, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core';
import type { BrowserContext, Download, Request } from 'playwright-core';

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

/** A request that begins so soon after input is one that the input asked for, in milliseconds. */
const SOON = 3000;

/** For so long nothing must come of input before nothing more is expected, in milliseconds: a script that makes a file says nothing before. */
const QUIET = 500;

/** What may become a file: documents, of which Chromium finds out with the answer, and what scripts make files of. */
const kinds: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr']);

/** What input asked for that may still become a download. */
export class PendingDownloads {
  readonly #asked = new Set<Request>();
  /** Addresses of documents that became files, and of downloads that began, since input was last sent. */
  readonly #due = new Set<string>();
  readonly #begun = new Set<string>();
  /** Whether an element was clicked that asks for a file. */
  #wanted = false;
  #sentAt = -Infinity;
  #heardAt = -Infinity;

  /** Ends the listening. */
  readonly close: () => void;

  /** @param isMine whether a request is of a page that the input may have been for */
  constructor(context: BrowserContext, isMine: (request: Request) => boolean) {
    const asked = (request: Request) => {
      const isSoon = performance.now() - this.#sentAt < SOON;
      if (isSoon && kinds.has(request.resourceType()) && isMine(request)) this.#asked.add(request);
    };
    const finished = (request: Request) => this.#over(request);
    const failed = (request: Request) => {
      if (isMine(request)) void this.#failed(request);
    };
    context.on('request', asked);
    context.on('requestfinished', finished);
    context.on('requestfailed', failed);
    this.close = () => {
      context.off('request', asked);
      context.off('requestfinished', finished);
      context.off('requestfailed', failed);
    };
  }

  /** To be called in the tick in which input is sent. @returns takes that back */
  sent(): () => void {
    const before = { sentAt: this.#sentAt, isWanted: this.#wanted };
    const undo = () => {
      this.#sentAt = before.sentAt;
      this.#wanted = before.isWanted;
    };
    this.#sentAt = performance.now();
    this.#begun.clear();
    return undo;
  }

  /** To be called when what is clicked asks for a file. */
  want(): void {
    this.#wanted = true;
  }

  /** A download began. */
  began(download: Download): void {
    const address = addressOf(download);
    this.#wanted = false;
    this.#begun.add(address);
    this.#due.delete(address);
  }

  /** Another document came: what the one before asked for comes to nothing. */
  left(): void {
    this.#wanted = false;
    this.#asked.clear();
    this.#sentAt = -Infinity;
    this.#heardAt = -Infinity;
  }

  /** Whether a download may still begin. */
  get isAny(): boolean {
    const last = Math.max(this.#sentAt, this.#heardAt);
    return this.#wanted || this.#due.size > 0 || this.#asked.size > 0 || performance.now() - last < QUIET;
  }

  #over(request: Request): void {
    if (this.#asked.delete(request)) this.#heardAt = performance.now();
  }

  /** Chromium breaks off the request of a document when its answer is a file. */
  async #failed(request: Request): Promise<void> {
    const response = request.isNavigationRequest() ? await request.response().catch(() => null) : null;
    const address = addressOf(request);
    if (response && !noContent.has(response.status()) && !this.#begun.has(address)) this.#due.add(address);
    this.#over(request);
  }
}

/** Answers that leave the page as it is. */
const noContent: ReadonlySet<number> = new Set([204, 205]);

const addressOf = (of: Pick<Request, 'url'>) => of.url().replace(/#.*$/, '');
