import { contentTypeOf } from './content-type.ts';

test.each([
  ['report.PDF', '', 'application/pdf'],
  ['sheet.ods', '', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['report', '%PDF-1.7', 'application/pdf'],
  ['report.constructor', 'PK\u0003\u0004more', 'application/zip'],
  ['data.bin', '\u0000', 'application/octet-stream'],
])('%s that begins with %j', (name, head, type) => expect(contentTypeOf(name, Buffer.from(head, 'latin1'))).toBe(type));
