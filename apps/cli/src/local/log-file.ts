import { errorCode } from '@pilothouse/infra-embedded';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Log of a service. At `cap` bytes it is rotated to `<file>.1`, `<file>.2` and so on; `maxFiles` old files are kept. A
 * full disk loses lines but never stops the service.
 */
export class LogFile {
  readonly file: string;
  readonly #cap: number;
  readonly #maxFiles: number;
  #fd: number;
  #size: number;

  constructor(file: string, { cap = 10 * 1024 * 1024, maxFiles = 2 } = {}) {
    this.file = file;
    this.#cap = cap;
    this.#maxFiles = maxFiles;
    mkdirSync(dirname(file), { recursive: true });
    this.#fd = openSync(file, 'a', 0o600);
    this.#size = fstatSync(this.#fd).size;
  }

  /** Writes one line without line break. */
  write(line: string): void {
    try {
      if (this.#size >= this.#cap) this.#rotate();
      this.#size += writeSync(this.#fd, `${line}\n`);
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC') throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #rotate(): void {
    closeSync(this.#fd);
    const old = (n: number) => (n === 0 ? this.file : `${this.file}.${n}`);
    for (let n = this.#maxFiles; n > 0; n -= 1) if (existsSync(old(n - 1))) renameSync(old(n - 1), old(n));
    this.#fd = openSync(this.file, 'a', 0o600);
    this.#size = 0;
  }
}
