import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { removeBucket, s3TestConfig } from './conformance/s3.fixture.ts';
import { createObjectStorage } from './object-storage.ts';
import { S3Bucket } from './s3/s3-bucket.ts';

const upload = { contentType: 'image/png', maxBytes: 1, expiresInSeconds: 60 };
const common = { apiBaseUrl: 'https://api.example', signingSecret: randomBytes(32) };

test('with a folder all links point at the API, at the address of their receiver', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'objects-'));
  const store = { kind: 'folder', dir } as const;
  const objects = await createObjectStorage({ ...common, store, workerApiBaseUrl: 'http://api:3000/' }, systemClock);
  const forClient = await objects.clientTransfers.upload('a/b', upload);
  const forWorker = await objects.workerTransfers.upload('a/b', upload);
  expect(forClient.url).toMatch(/^https:\/\/api\.example\/v1\/objects\/a\/b\?/);
  expect(forWorker.url).toMatch(/^http:\/\/api:3000\/v1\/objects\/a\/b\?/);
  for (const { url } of [forClient, forWorker]) {
    expect(objects.apiTransfers.verify({ method: 'PUT', url })).toMatchObject({ kind: 'upload', key: 'a/b' });
  }
  await rm(dir, { recursive: true });
});

test('with a folder, objects may have a separate origin that serves only objects', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'objects-'));
  const config = { ...common, store: { kind: 'folder', dir } as const, publicEndpoint: 'https://files.example' };
  const objects = await createObjectStorage(config, systemClock);
  const { url } = await objects.clientTransfers.upload('a/b', upload);
  expect(url).toMatch(/^https:\/\/files\.example\/v1\/objects\/a\/b\?/);
  expect(objects.apiTransfers.verify({ method: 'PUT', url })).toMatchObject({ key: 'a/b' });
  expect(objects.resourcePolicy('https://files.example')).toBe('cross-origin');
  expect(objects.resourcePolicy('https://api.example')).toBe('same-origin');
  await rm(dir, { recursive: true });
});

test('with S3, links point at the store for each receiver with an S3 endpoint', async () => {
  const config = s3TestConfig();
  const store = { kind: 's3', ...config } as const;
  const objects = await createObjectStorage({ ...common, store, workerEndpoint: 'http://store:9000' }, systemClock);
  expect((await objects.workerTransfers.upload('a/b', upload)).url).toMatch(
    new RegExp(`^http://store:9000/${config.bucket}/a/b\\?`),
  );
  expect((await objects.clientTransfers.upload('a/b', upload)).url).toMatch(/^https:\/\/api\.example\//);
  await removeBucket(new S3Bucket(config));
});
