import { observationSchema } from '@pilothouse/contract';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { observePage } from './observe.ts';

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>Quay</title><h1>Welcome</h1><button>Moor</button>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const observe = async (...args: string[]) => {
  const lines: string[] = [];
  const code = await observePage(args, { PATH: process.env.PATH }, (line) => lines.push(line));
  expect(lines).toHaveLength(1);
  return { code, said: JSON.parse(lines[0] ?? '') as unknown };
};

test('prints what is to be seen at an address', async () => {
  const { code, said } = await observe(url, '--level', 'interactive');
  expect(code).toBe(0);
  const seen = observationSchema.parse(said);
  expect(seen).toMatchObject({ url, title: 'Quay', loading: false });
  expect(seen.elements.map(({ role, name }) => `${role} ${name}`)).toEqual(['button Moor']);
});

test('says why it saw nothing', async () => {
  const { code, said } = await observe('http://nowhere.invalid/', '--seconds', '10');
  expect({ code, said }).toMatchObject({ code: 1, said: { error: { code: 'NAVIGATION_FAILED' } } });
});
