import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { MissingFile, SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { CONTENT_TYPE_BYTES, contentTypeOf } from '@pilothouse/core/run/content-type';
import { raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { BrowserContext, Download, Request } from 'playwright-core';

/** Returns the content type of a file on disk. */
async function readContentType(name: string, path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CONTENT_TYPE_BYTES), 0, CONTENT_TYPE_BYTES, 0);
    return contentTypeOf(name, buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

interface DownloadWaiter {
  /** File name given by the step. */
  readonly name: string | undefined;
  resolve(download: Promise<SurfaceFile>): void;
}

/** Files of one surface in its folder. */
export class SurfaceFiles {
  readonly #folder: string;
  readonly #report: (file: SurfaceFile) => void;
  readonly #names = new Set<string>();
  readonly #waiters: DownloadWaiter[] = [];
  /** Incomplete downloads and their file names. */
  readonly #running = new Map<Promise<unknown>, string>();
  /** Names of downloads that failed. */
  readonly #failed = new Set<string>();

  constructor(folder: string, report: (file: SurfaceFile) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  /**
   * Returns the next download once it has started, which may never happen. Call it before the action that starts it.
   * @param name file name; default: the name given by the site
   */
  next(name?: string): Promise<SurfaceFile> {
    const started = new Promise<SurfaceFile>((resolve) => this.#waiters.push({ name, resolve }));
    // A step may wait for a later one instead.
    started.catch(() => undefined);
    return started;
  }

  /** Saves a download of a page. */
  save(download: Download, log: Log): void {
    this.#track(basename(download.suggestedFilename()), log, (name) => this.#save(download, name));
  }

  /** Saves a file that a page shows instead of downloading it. @param read returns its content */
  saveShown(suggestedName: string, log: Log, read: () => Promise<Uint8Array>): void {
    this.#track(suggestedName, log, async (name) => this.write('download', name, await read()));
  }

  #track(suggestedName: string, log: Log, save: (name: string) => Promise<SurfaceFile>): void {
    const waiters = this.#waiters.splice(0);
    const name = safeName(waiters.at(-1)?.name ?? suggestedName);
    const saving = save(name);
    waiters.forEach(({ resolve }) => resolve(saving));
    const completion = saving
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => this.#running.delete(completion));
    this.#running.set(completion, name);
    saving.then(
      () => {
        this.#failed.delete(name);
        log.info({ download: name }, `Downloaded ${name}`);
      },
      (error: unknown) => {
        this.#failed.add(name);
        log.warn({ download: name }, `The download of ${name} failed: ${String(error).slice(0, 300)}`);
      },
    );
  }

  /**
   * Waits until all downloads are complete or have failed.
   * @returns those that failed, and those that are incomplete at the deadline
   */
  async waitUntilComplete(deadline: Deadline): Promise<MissingFile[]> {
    while (this.#running.size > 0 && remainingMs(deadline) > 0) {
      const completion = Promise.all(this.#running.keys());
      await raceDeadline(completion, deadline, 'A download').catch(() => deadline.signal.throwIfAborted());
    }
    const running = new Set(this.#running.values());
    return [
      ...[...this.#failed].filter((name) => !running.has(name)).map((name) => ({ name, hasFailed: true })),
      ...[...running].map((name) => ({ name, hasFailed: false })),
    ];
  }

  /**
   * Writes a file and reports it. Creates the folder, which does not exist before the first file.
   * @throws PilothouseError UPLOAD_FAILED if the disk is full or not writable
   */
  async write(kind: SurfaceFile['kind'], name: string, body: Uint8Array): Promise<SurfaceFile> {
    const path = this.#uniquePath(name);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(path, body);
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new PilothouseError('UPLOAD_FAILED', `The worker could not write ${name}: ${code}`, { cause: error });
    }
    return this.#reportFile(kind, name, path);
  }

  /** Returns a unique path for a file name. */
  #uniquePath(name: string): string {
    let uniqueName = name;
    for (let number = 2; this.#names.has(uniqueName); number += 1) uniqueName = `${number}-${name}`;
    this.#names.add(uniqueName);
    return join(this.#folder, uniqueName);
  }

  async #reportFile(kind: SurfaceFile['kind'], name: string, path: string): Promise<SurfaceFile> {
    const [{ size }, contentType] = await Promise.all([stat(path), readContentType(name, path)]);
    const file = { kind, name, contentType, path, size };
    this.#report(file);
    return file;
  }

  async #save(download: Download, name: string): Promise<SurfaceFile> {
    const path = this.#uniquePath(name);
    await download.saveAs(path);
    return this.#reportFile('download', name, path);
  }
}

/** Makes a name from a site or a workflow safe as a file name. */
const safeName = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '_')
    .slice(-200) || 'download';

/** Requests that begin this soon after input count as caused by it. */
const CAUSED_BY_INPUT_MS = 3000;

/** Time without activity after which no download is expected. A script that creates a file gives no earlier sign. */
const QUIET_MS = 500;

/** Time without activity after a download. A page that starts one often starts another. */
const QUIET_AFTER_DOWNLOAD_MS = 1000;

/** Requests that may become a file: documents, and data from which scripts create files. */
const kinds: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr']);

/** Activity caused by input that may still become a download. */
export class PendingDownloads {
  readonly #requests = new Set<Request>();
  /** URLs of documents that became files, and of downloads that began, since the last input. */
  readonly #expectedUrls = new Set<string>();
  readonly #startedUrls = new Set<string>();
  /** True if an element was clicked that requests a file. */
  #isFileExpected = false;
  readonly #timers: Timers;
  #inputAt = -Infinity;
  #lastActivityAt = -Infinity;
  #lastDownloadAt = -Infinity;

  /** Removes the listeners. */
  readonly close: () => void;

  /** @param isOwnRequest true for requests of a page that may have received the input */
  constructor(context: BrowserContext, isOwnRequest: (request: Request) => boolean, timers: Timers = systemTimers) {
    this.#timers = timers;
    const onRequest = (request: Request) => {
      const isSoon = this.#timers.monotonic() - this.#inputAt < CAUSED_BY_INPUT_MS;
      if (isSoon && kinds.has(request.resourceType()) && isOwnRequest(request)) this.#requests.add(request);
    };
    const onFinished = (request: Request) => this.#onRequestEnd(request);
    const onFailed = (request: Request) => {
      if (isOwnRequest(request)) void this.#onRequestFailed(request);
    };
    context.on('request', onRequest);
    context.on('requestfinished', onFinished);
    context.on('requestfailed', onFailed);
    this.close = () => {
      context.off('request', onRequest);
      context.off('requestfinished', onFinished);
      context.off('requestfailed', onFailed);
    };
  }

  /** Call in the tick in which input is sent. @returns a function that reverts the call */
  inputSent(): () => void {
    const previous = { inputAt: this.#inputAt, isFileExpected: this.#isFileExpected };
    const undo = () => {
      this.#inputAt = previous.inputAt;
      this.#isFileExpected = previous.isFileExpected;
    };
    this.#inputAt = this.#timers.monotonic();
    this.#startedUrls.clear();
    return undo;
  }

  /** Call when the clicked element requests a file. */
  expectFile(): void {
    this.#isFileExpected = true;
  }

  /** Call when a download began. */
  downloadStarted(download: Download): void {
    const address = urlWithoutHash(download);
    this.#lastDownloadAt = this.#timers.monotonic();
    this.#isFileExpected = false;
    this.#startedUrls.add(address);
    this.#expectedUrls.delete(address);
  }

  /** Call when the document was replaced, which cancels its requests. */
  documentReplaced(): void {
    this.#isFileExpected = false;
    this.#requests.clear();
    this.#inputAt = -Infinity;
    this.#lastActivityAt = -Infinity;
    this.#lastDownloadAt = -Infinity;
  }

  /** True if a download may still begin. */
  get isPending(): boolean {
    const last = Math.max(this.#inputAt, this.#lastActivityAt);
    const now = this.#timers.monotonic();
    return (
      this.#isFileExpected ||
      this.#expectedUrls.size > 0 ||
      this.#requests.size > 0 ||
      now - last < QUIET_MS ||
      now - this.#lastDownloadAt < QUIET_AFTER_DOWNLOAD_MS
    );
  }

  #onRequestEnd(request: Request): void {
    if (this.#requests.delete(request)) this.#lastActivityAt = this.#timers.monotonic();
  }

  /** Chromium aborts the request of a document if its response is a file. */
  async #onRequestFailed(request: Request): Promise<void> {
    const response = request.isNavigationRequest() ? await request.response().catch(() => null) : null;
    const address = urlWithoutHash(request);
    if (response && !noContentStatuses.has(response.status()) && !this.#startedUrls.has(address))
      this.#expectedUrls.add(address);
    this.#onRequestEnd(request);
  }
}

/** Responses that leave the page unchanged. */
const noContentStatuses: ReadonlySet<number> = new Set([204, 205]);

const urlWithoutHash = (request: Pick<Request, 'url'>) => request.url().replace(/#.*$/, '');
