/**
 * Value of `Content-Disposition` (RFC 6266): the name in ASCII for old readers, and in full for the others. Neither has a path, a control
 * character or a mark that changes the direction of text.
 */
export function contentDisposition(fileName: string, inline: boolean): string {
  const name = fileName.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '_');
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
