import { randomUUID } from 'node:crypto';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { UploadView } from '@pilothouse/contract/run/artifact.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const definition = {
  name: 'attach',
  inputs: { order: { type: 'file' } },
  steps: [{ action: 'upload', target: { css: 'input[type=file]' }, file: '{{inputs.order}}' }],
};
const content = Buffer.from('order no. 17, größe 3');

const announce = async (fields: object = {}) => {
  const body = { name: 'order größe.json', contentType: 'application/json', size: content.length, ...fields };
  const answer = await api.call<UploadView>('POST', '/v1/uploads', { body });
  expect(answer.status).toBe(201);
  return answer.body;
};
const send = ({ transfer }: UploadView, body: Buffer = content, headers: Record<string, string> = {}) =>
  fetch(transfer.url, {
    method: transfer.method,
    headers: { ...transfer.headers, ...headers },
    body: new Uint8Array(body),
  });
const run = (order: string) =>
  api.call<Partial<Pick<RunView, 'inputs'> & Pick<Problem, 'errors'>>>('POST', '/v1/runs', {
    body: { definition, inputs: { order } },
  });

test('a file is announced, sent without a key, and can then be used as an input', async () => {
  const upload = await announce();
  const earlyRun = await run(upload.id);
  expect(earlyRun.body.errors?.[0]).toMatchObject({
    pointer: '/inputs/order',
    detail: expect.stringContaining('was not sent'),
  });
  const response = await send(upload);
  expect([response.status, await response.text()]).toEqual([200, '']);
  const { status, body } = await run(upload.id);
  expect([status, body.inputs]).toEqual([202, { order: upload.id }]);
});

test('the size must match the announced size', async () => {
  const long = await announce();
  const rejection = await send(long, Buffer.concat([content, content]));
  expect([rejection.status, ((await rejection.json()) as Problem).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect((await run(long.id)).status).toBe(400);
  const short = await announce();
  expect((await send(short, content.subarray(1))).status).toBe(200);
  const { status, body } = await run(short.id);
  expect(status).toBe(400);
  expect(body.errors?.[0]?.detail).toContain(`has ${content.length - 1} bytes, but ${content.length} were announced`);
});

test('a file chooser accepts only uploaded files of the same project', async () => {
  const { body: queuedRun } = await api.call<RunView>('POST', '/v1/runs', {
    body: { steps: [{ action: 'screenshot' }] },
  });
  const choose = (...files: string[]) => {
    const inputs = [
      { kind: 'key', key: 'Enter' },
      { kind: 'dialog', dialog: randomUUID(), accept: true, files },
    ];
    return api.call<Problem>('POST', `/v1/runs/${queuedRun.id}/control/input`, { body: { token: 1, inputs } });
  };
  const [sentUpload, unsent] = [await announce(), await announce()];
  await send(sentUpload);
  const foreign = await api.call<UploadView>('POST', '/v1/uploads', {
    key: await api.key('operator', await api.project()),
    body: { name: 'theirs.txt', size: content.length },
  });
  await send(foreign.body);
  const rejection = await choose(sentUpload.id, randomUUID(), unsent.id, foreign.body.id);
  expect([rejection.status, rejection.headers.get('content-type')]).toEqual([
    400,
    expect.stringContaining('problem+json'),
  ]);
  const none = expect.stringContaining('Upload not found');
  expect(rejection.body).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: [
      { pointer: '/inputs/1/files/1', detail: none },
      { pointer: '/inputs/1/files/2', detail: expect.stringContaining('was not sent') },
      { pointer: '/inputs/1/files/3', detail: none },
    ],
  });
  // The files are valid, so the request fails for the next reason: a queued run has no control session.
  expect((await choose(sentUpload.id)).status).toBe(409);
});

test('the link is valid only for this file, type and method', async () => {
  const upload = await announce();
  expect((await send(upload, content, { 'content-type': 'text/html' })).status).toBe(415);
  const { transfer } = upload;
  const changedTransfer = { ...transfer, url: transfer.url.replace(/max=\d+/, 'max=99999') };
  const forged = await send({ ...upload, transfer: changedTransfer });
  expect([forged.status, forged.headers.get('content-type')]).toEqual([403, 'application/problem+json; charset=utf-8']);
  expect((await fetch(transfer.url)).status).toBe(403);
  expect((await fetch(`${api.url}/v1/objects/uploads/x`)).status).toBe(403);
});

test('a signed link serves a stored file: whole, a range, or its headers', async () => {
  const upload = await announce();
  await send(upload);
  const uploads = await api.context.stores.uploads.use((await projectId()) ?? '', [upload.id]);
  const key = uploads[0]?.key ?? '';
  const link = await api.context.objects.clientTransfers.download(key, {
    name: upload.name,
    contentType: upload.contentType,
    expiresInSeconds: 60,
  });
  const fullResponse = await fetch(link.url);
  expect([fullResponse.status, fullResponse.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(fullResponse.headers.get('content-disposition')).toContain("filename*=UTF-8''order%20gr%C3%B6%C3%9Fe.json");
  expect(Buffer.from(await fullResponse.arrayBuffer())).toEqual(content);
  const part = await fetch(link.url, { headers: { range: 'bytes=6-8' } });
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([
    206,
    'no.',
    `bytes 6-8/${content.length}`,
  ]);
  const head = await fetch(link.url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
    200,
    String(content.length),
    '',
  ]);
  const cachedResponse = await fetch(link.url, {
    headers: { 'if-none-match': fullResponse.headers.get('etag') ?? '' },
  });
  expect([cachedResponse.status, await cachedResponse.text()]).toEqual([304, '']);
  const outside = await fetch(link.url, { headers: { range: 'bytes=999-' } });
  expect(outside.status).toBe(416);
});

test('an aborted upload leaves nothing behind', async () => {
  const upload = await announce({ size: 1_000_000 });
  const stop = new AbortController();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.alloc(1000)),
  });
  const sending = fetch(upload.transfer.url, {
    method: 'PUT',
    headers: upload.transfer.headers,
    body,
    duplex: 'half',
    signal: stop.signal,
  } as RequestInit);
  stop.abort();
  await expect(sending).rejects.toThrow();
  expect((await run(upload.id)).body.errors?.[0]?.detail).toContain('was not sent');
});

test('an invalid file is rejected', async () => {
  for (const body of [
    { name: '', size: 1 },
    { name: 'x', size: -1 },
    { name: 'x', size: 1, contentType: 'no type' },
  ]) {
    expect((await api.call('POST', '/v1/uploads', { body })).status).toBe(400);
  }
});

async function projectId(): Promise<string | undefined> {
  const { rows } = await api.context.pool.query<{ id: string }>(`SELECT id FROM project WHERE slug = 'default'`);
  return rows[0]?.id;
}
