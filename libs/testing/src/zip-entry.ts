import { inflateRawSync } from 'node:zlib';

const CENTRAL_ENTRY = 0x02014b50;

/**
 * Text of a file in a zip archive, for example `content.xml` of a document of LibreOffice.
 * @throws Error if the archive has no such file
 */
export function zipEntry(archive: Buffer, name: string): string {
  for (
    let offset = archive.indexOf('PK\x01\x02', 0, 'latin1');
    offset >= 0;
    offset = archive.indexOf('PK\x01\x02', offset + 4, 'latin1')
  ) {
    if (archive.readUInt32LE(offset) !== CENTRAL_ENTRY) continue;
    const nameLength = archive.readUInt16LE(offset + 28);
    if (archive.toString('utf8', offset + 46, offset + 46 + nameLength) !== name) continue;
    const size = archive.readUInt32LE(offset + 20);
    const header = archive.readUInt32LE(offset + 42);
    const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
    const content = archive.subarray(start, start + size);
    return (archive.readUInt16LE(offset + 10) === 0 ? content : inflateRawSync(content)).toString('utf8');
  }
  throw new Error(`The archive has no ${name}`);
}
