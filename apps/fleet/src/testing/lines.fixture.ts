import type { Log } from '@pilothouse/core';

export interface Line {
  readonly level: keyof Log;
  readonly facts: Record<string, unknown>;
  readonly message: string;
}

/** A log that is kept. */
export class Lines implements Log {
  readonly all: Line[] = [];
  readonly #at = (level: keyof Log) => (facts: object, message: string) => {
    this.all.push({ level, facts: { ...facts }, message });
  };
  readonly debug = this.#at('debug');
  readonly info = this.#at('info');
  readonly warn = this.#at('warn');
  readonly error = this.#at('error');

  find(part: string): Line | undefined {
    return this.all.find(({ message }) => message.includes(part));
  }
}
