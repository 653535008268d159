import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

const NAMESPACES = ['office', 'table', 'text', 'draw', 'presentation', 'svg']
  .map(
    (name) =>
      `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'svg' ? 'svg-compatible' : name === 'draw' ? 'drawing' : name}:1.0"`,
  )
  .join(' ');

const flatDocument = (kind: 'spreadsheet' | 'text' | 'presentation', body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<office:document ${NAMESPACES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>\n`;

/** A flat OpenDocument sheet with these rows. */
export function sheet(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`
      : `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
  const lines = rows.map((row) => `<table:table-row>${row.map(cell).join('')}</table:table-row>`).join('');
  return flatDocument('spreadsheet', `<table:table table:name="Sheet1">${lines}</table:table>`);
}

/** A flat OpenDocument text with these paragraphs. */
export const letter = (paragraphs: readonly string[]): string =>
  flatDocument('text', paragraphs.map((text) => `<text:p>${text}</text:p>`).join(''));

/** A flat OpenDocument presentation with one text box on its only slide. */
export const slides = (text: string): string =>
  flatDocument(
    'presentation',
    `<draw:page draw:name="page1"><draw:frame svg:width="20cm" svg:height="3cm" svg:x="3cm" svg:y="3cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
  );

/** Texts of the paragraphs and cells of a flat document, without styles, in order. */
export async function textsOf(home: string, name: string): Promise<string[]> {
  const text = await contentOf(home, name);
  const body = text.slice(text.indexOf('<office:body>'));
  return body
    .split('<text:p')
    .slice(1)
    .map((part) =>
      plainText(part.slice(part.indexOf('>') + 1, part.includes('</text:p>') ? part.indexOf('</text:p>') : 0)),
    )
    .filter((line) => line !== '');
}

/** Text without tags. */
const plainText = (xml: string): string =>
  xml
    .split('<')
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('>') + 1)))
    .join('')
    .replaceAll('&quot;', '"');

/** Content of a file of the home folder; empty if it does not exist. */
export const contentOf = (home: string, name: string): Promise<string> =>
  readFile(join(home, name), 'utf8').catch(() => '');

/** Sizes and first pixel of an image; null if it cannot be read. */
export async function imageOf(
  home: string,
  name: string,
): Promise<{ width: number; height: number; red: number } | null> {
  const image = sharp(join(home, name));
  try {
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, red: data[0] ?? -1 };
  } catch {
    return null;
  }
}
