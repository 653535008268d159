import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { geminiModel } from './gemini.model.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('models of Vertex AI', () => {
  let server: ModelServer;
  let tokens: TestServer;
  let dir: string;
  let keyFile: string;
  /** JWT assertions of token requests. */
  let assertions: string[];
  let status: number;

  beforeAll(async () => {
    tokens = new TestServer((request, response) => {
      void text(request).then((body) => {
        assertions.push(new URLSearchParams(body).get('assertion') ?? '');
        const answer =
          status === 200
            ? { access_token: 'a-token', expires_in: 3600, token_type: 'Bearer' }
            : { error: 'invalid_grant' };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await tokens.start();
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-vertex-'));
    keyFile = join(dir, 'key.json');
    await writeFile(
      keyFile,
      JSON.stringify({
        type: 'service_account',
        project_id: 'harbour',
        client_email: 'pilot@harbour.test',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        token_uri: `${tokens.origin}/token`,
      }),
    );
  });
  afterAll(async () => {
    await tokens.stop();
    await rm(dir, { recursive: true });
  });
  beforeEach(async () => {
    server = await startModels();
    assertions = [];
    status = 200;
  });
  afterEach(() => server.close());

  const generate = (file = keyFile) =>
    geminiModel({
      endpoint: {
        apiKey: 'none',
        baseUrl: server.url,
        vertex: { project: 'harbour', location: 'europe-west4', keyFile: file },
      },
      model: 'gemini-2.5-flash',
      clock: systemClock,
    }).generate(
      {
        role: 'act',
        prompt: { name: 'spec', version: 1 },
        system: '',
        messages: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      },
      { signal: new AbortController().signal, deadline: systemClock.monotonic() + 20_000, log: memoryLog() },
    );

  test('are called in their project and region with a token of the key file', async () => {
    server.next({ text: 'Yes' });
    expect(await generate()).toMatchObject({ text: 'Yes', provider: 'gemini', model: 'gemini-2.5-flash' });
    expect(server.requests[0]).toMatchObject({
      key: 'a-token',
      path: '/v1beta1/projects/harbour/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent',
    });
    const [header, payload, signature = ''] = (assertions[0] ?? '').split('.');
    expect(JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())).toMatchObject({
      iss: 'pilot@harbour.test',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(verify('sha256', Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
  });

  test('a rejected key or a missing key file is MODEL_NOT_CONFIGURED', async () => {
    status = 400;
    await expect(generate()).rejects.toMatchObject({ code: 'MODEL_NOT_CONFIGURED', status: 401 });
    expect(server.requests).toEqual([]);
    await expect(generate(join(dir, 'missing.json'))).rejects.toMatchObject({
      code: 'MODEL_NOT_CONFIGURED',
      message: expect.stringContaining('missing.json'),
    });
  });
});
