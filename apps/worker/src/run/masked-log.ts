import type { Json } from '@pilothouse/contract';
import type { Log, Masker } from '@pilothouse/core';

/** A log that says which run it speaks of, and never a secret of it. */
export function maskedLog(log: Log, masker: Masker, about: Record<string, Json>): Log {
  const facts = (given: object) =>
    masker.json({ ...about, ...(JSON.parse(JSON.stringify(given)) as Record<string, Json>) });
  return {
    debug: (given, message) => log.debug(facts(given), masker.text(message)),
    info: (given, message) => log.info(facts(given), masker.text(message)),
    warn: (given, message) => log.warn(facts(given), masker.text(message)),
    error: (given, message) => log.error(facts(given), masker.text(message)),
  };
}
