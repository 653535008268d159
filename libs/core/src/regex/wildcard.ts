/**
 * Returns a test for a whole text, in which `*` matches anything. The time for each part of the pattern is linear in
 * the text.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let position = first.length;
    for (const part of rest) {
      const index = text.indexOf(part, position);
      if (index < 0) return false;
      position = index + part.length;
    }
    return text.length - last.length >= position && text.endsWith(last);
  };
}

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The pattern as a RegExp for interfaces that need one. Each part matches lazily at its first occurrence, so matching is linear. */
export function wildcardRegExp(pattern: string): RegExp {
  const [first = '', ...rest] = pattern.split(/\*+/).map(escapeRegExp);
  const last = rest.pop();
  const middle = rest.map((part) => (part === '' ? '' : `(?:(?!${part})[^])*${part}`));
  return new RegExp(last === undefined ? `^${first}$` : `^${first}${middle.join('')}[^]*${last}$`);
}
