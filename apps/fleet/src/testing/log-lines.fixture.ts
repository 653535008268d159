import type { Log } from '@pilothouse/core/ports/runtime.port';

export interface LogLine {
  readonly level: keyof Log;
  readonly facts: Record<string, unknown>;
  readonly message: string;
}

/** A log that records its lines. */
export class LogLines implements Log {
  readonly all: LogLine[] = [];
  readonly #at = (level: keyof Log) => (facts: object, message: string) => {
    this.all.push({ level, facts: { ...facts }, message });
  };
  readonly debug = this.#at('debug');
  readonly info = this.#at('info');
  readonly warn = this.#at('warn');
  readonly error = this.#at('error');

  find(part: string): LogLine | undefined {
    return this.all.find(({ message }) => message.includes(part));
  }
}
