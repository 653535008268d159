import { createHash } from 'node:crypto';

/** Padding of passwords (PDF 1.4, algorithm 3.2). */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

const KEY_BYTES = 5;
const FILE_ID = Buffer.from('pilothouse-spec!');
const PERMISSIONS = -4;

/** A PDF of one empty page that opens with a password (standard security handler, revision 2). */
export function encryptedPdf(password: string): Buffer {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, PADDING.length);
  const owner = rc4(md5(padded).subarray(0, KEY_BYTES), padded);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(Buffer.concat([padded, owner, permissions, FILE_ID])).subarray(0, KEY_BYTES);
  const user = rc4(key, PADDING);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
    `<</Filter/Standard/V 1/R 2/O<${owner.toString('hex')}>/U<${user.toString('hex')}>/P ${PERMISSIONS}>>`,
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const id = FILE_ID.toString('hex');
  const table = `xref\n0 5\n0000000000 65535 f \n${entries.join('')}`;
  const trailer = `trailer\n<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID[<${id}><${id}>]>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}

const md5 = (data: Buffer): Buffer => createHash('md5').update(data).digest();

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const swap = (first: number, second: number) => {
    [state[first], state[second]] = [state[second] ?? 0, state[first] ?? 0];
  };
  let swapIndex = 0;
  for (let index = 0; index < 256; index += 1) {
    swapIndex = (swapIndex + (state[index] ?? 0) + (key[index % key.length] ?? 0)) & 255;
    swap(index, swapIndex);
  }
  let index = 0;
  swapIndex = 0;
  return Buffer.from(
    data.map((byte) => {
      index = (index + 1) & 255;
      swapIndex = (swapIndex + (state[index] ?? 0)) & 255;
      swap(index, swapIndex);
      return byte ^ (state[((state[index] ?? 0) + (state[swapIndex] ?? 0)) & 255] ?? 0);
    }),
  );
}
