/** Content types by file extension. A site may choose any name, so some signatures are checked as well. */
const types: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
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

const signatures: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\u0089PNG', 'image/png'],
  ['\u00ff\u00d8\u00ff', 'image/jpeg'],
  ['PK\u0003\u0004', 'application/zip'],
];

/** Bytes that `contentTypeOf` needs of a file. */
export const CONTENT_TYPE_BYTES = 8;

/** Returns the content type by file extension, otherwise by signature. @param head the first bytes of the file */
export function contentTypeOf(name: string, head: Uint8Array): string {
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
  const byExtension = Object.hasOwn(types, extension) ? types[extension] : undefined;
  if (byExtension) return byExtension;
  const start = String.fromCharCode(...head.subarray(0, CONTENT_TYPE_BYTES));
  return signatures.find(([signature]) => start.startsWith(signature))?.[1] ?? 'application/octet-stream';
}
