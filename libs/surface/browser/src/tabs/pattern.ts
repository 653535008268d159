/** A pattern for a whole URL, in which `*` is anything. */
export const patternOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/\*+/)
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
