import { readMultipart } from './multipart.ts';

const head = 'Content-Type: image/jpeg\r\n\r\n';
const part = (text: string) => `${text}\r\n--b\r\n${head}`;

async function* inChunks(text: string, size: number) {
  await Promise.resolve();
  for (let offset = 0; offset < text.length; offset += size) yield Buffer.from(text.slice(offset, offset + size));
}

const parseChunked = async (text: string, size: number) => {
  const parts: string[] = [];
  for await (const part of readMultipart(inChunks(text, size))) parts.push(part.toString());
  return parts;
};

test.each([1, 3, 7, 1000])('reads complete parts from chunks of %d bytes', async (size) =>
  expect(await parseChunked(`--b\r\n${head}${part('one')}${part('a\r\n\r\nb')}${part('')}`, size)).toEqual([
    'one',
    'a\r\n\r\nb',
    '',
  ]),
);

test('drops an incomplete part', async () =>
  expect(await parseChunked(`--b\r\n${head}${part('one')}tw`, 5)).toEqual(['one']));
