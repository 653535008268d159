import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import {
  startCloudStorageServer,
  type CloudStorageServer,
} from '@pilothouse/testing/cloud-storage/cloud-storage-server';
import { bytes, byteStream, errorCodeOf } from '../conformance/byte-streams.ts';
import { removeBucket, s3TestConfig } from '../conformance/s3.fixture.ts';
import { readObject } from '../read-object.ts';
import { S3Bucket } from '../s3/s3-bucket.ts';
import { S3Store } from '../s3/s3.store.ts';
import { createExportDestination } from './create-destination.ts';

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'destination-spec-'));
const keyFile = join(folder, 'key.json');
const bucket = new S3Bucket(s3TestConfig());
let cloud: CloudStorageServer;

beforeAll(async () => {
  cloud = await startCloudStorageServer();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const credentials = {
    ...{ type: 'service_account', client_email: 'exports@harbour.example', token_uri: `${cloud.url}/token` },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  writeFileSync(keyFile, JSON.stringify(credentials));
});
afterAll(async () => {
  await cloud.close();
  const store = new S3Store(bucket);
  for await (const key of store.list('')) await store.delete([key]);
  await removeBucket(bucket);
  rmSync(folder, { recursive: true });
});

/** Waits of uploads to Cloud Storage, which end at once. */
const delays: number[] = [];
const timers = { ...systemTimers, delay: async (ms: number) => void delays.push(ms) };

const gcs = (name = 'harbour') =>
  createExportDestination(
    { kind: 'gcs', bucket: name, folder: 'exports', endpoint: cloud.url },
    { accessKey: '', secretKey: '', keyFile },
    timers,
  );
const s3 = () => {
  const { endpoint, accessKey, secretKey } = bucket.config;
  return createExportDestination(
    { kind: 's3', bucket: bucket.name, folder: 'exports', endpoint },
    { accessKey, secretKey, keyFile: undefined },
  );
};
const kinds: Record<string, { create: () => ExportDestination; read: (key: string) => Promise<Buffer | undefined> }> = {
  s3: { create: s3, read: (key) => readObject(new S3Store(bucket), key, 100 * MIB) },
  gcs: { create: gcs, read: async (key) => cloud.objects.get(`harbour/${key}`)?.content },
};

const put = (destination: ExportDestination, key: string, content: Buffer, size = content.length) =>
  destination.put(
    key,
    Readable.from([content], { objectMode: false }),
    { size, contentType: 'application/x-ndjson' },
    AbortSignal.timeout(20_000),
  );

describe.each(Object.entries(kinds))('%s', (kind, { create, read }) => {
  test.each([0, 1, 8 * MIB, 20 * MIB + 7])('stores %i bytes, and replaces an object', async (size) => {
    const destination = create();
    await put(destination, 'd/e/train.jsonl', Buffer.from('old'));
    const content = bytes(size);
    await put(destination, 'd/e/train.jsonl', content);
    expect((await read('exports/d/e/train.jsonl'))?.equals(content)).toBe(true);
  });

  test('names the address of a file', () => {
    const scheme = kind === 's3' ? `s3://${bucket.name}` : 'gs://harbour';
    expect(create().uri('d/e/train.jsonl')).toBe(`${scheme}/exports/d/e/train.jsonl`);
  });

  test('stores nothing when the source breaks off or the job is cancelled', async () => {
    const file = { size: 9 * MIB, contentType: 'application/x-ndjson' };
    const broken = byteStream(bytes(9 * MIB), { breaksOff: true });
    await expect(create().put('broken', broken, file, AbortSignal.timeout(20_000))).rejects.toThrow();
    const reason = new Error('cancelled');
    const source = Readable.from([bytes(9 * MIB)], { objectMode: false });
    await expect(create().put('cancelled', source, file, AbortSignal.abort(reason))).rejects.toThrow();
    for (const key of ['broken', 'cancelled'])
      expect(await read(`exports/${key}`).catch(() => undefined)).toBeUndefined();
  });
});

describe('Cloud Storage', () => {
  test('an outage continues with the first byte that the bucket lacks', async () => {
    const content = bytes(17 * MIB);
    const previousChunkCount = cloud.chunkCount;
    cloud.outages = 2;
    await put(gcs(), 'resumed', content);
    expect(cloud.objects.get('harbour/exports/resumed')?.content.equals(content)).toBe(true);
    expect(cloud.chunkCount - previousChunkCount).toBe(5);
  });

  test.each([2, 5])('%i requests in a row without an answer delay the upload', async (refusals) => {
    const content = bytes(9 * MIB);
    delays.length = 0;
    cloud.refusals = refusals;
    await put(gcs(), `refused-${refusals}`, content);
    expect(cloud.objects.get(`harbour/exports/refused-${refusals}`)?.content.equals(content)).toBe(true);
    expect(delays).toHaveLength(refusals);
    expect(delays.toSorted((first, second) => first - second)).toEqual(delays);
  });

  test.each([1, 2])('%i chunks that were stored without an answer are not sent again', async (lostAnswers) => {
    const content = bytes(9 * MIB);
    const previousChunkCount = cloud.chunkCount;
    cloud.lostAnswers = lostAnswers;
    await put(gcs(), `lost-${lostAnswers}`, content);
    expect(cloud.objects.get(`harbour/exports/lost-${lostAnswers}`)?.content.equals(content)).toBe(true);
    expect(cloud.chunkCount - previousChunkCount).toBe(2);
  });

  test('the chunks of a file share a connection', async () => {
    const previousConnectionCount = cloud.connectionCount;
    await put(gcs(), 'shared', bytes(33 * MIB));
    expect(cloud.connectionCount - previousConnectionCount).toBeLessThanOrEqual(1);
  });

  test('an outage that does not end is UNAVAILABLE, so that the job repeats it', async () => {
    cloud.outages = 100;
    const message = expect.stringContaining('Cloud Storage returned 503');
    expect(await errorCodeOf(put(gcs(), 'down', bytes(9 * MIB)))).toMatchObject({ code: 'UNAVAILABLE', message });
    cloud.outages = 0;
  });

  test('a missing bucket and a missing permission are named', async () => {
    const missing = { code: 'UPLOAD_FAILED', message: expect.stringContaining('The bucket other does not exist') };
    expect(await errorCodeOf(put(gcs('other'), 'a', bytes(1)))).toMatchObject(missing);
    cloud.isForbidden = true;
    const forbidden = { code: 'UPLOAD_FAILED', message: expect.stringContaining('no storage.objects.create') };
    expect(await errorCodeOf(put(gcs(), 'a', bytes(1)))).toMatchObject(forbidden);
    const source = byteStream(bytes(9 * MIB));
    const file = { size: 9 * MIB, contentType: 'application/x-ndjson' };
    await expect(gcs().put('a', source, file, AbortSignal.timeout(20_000))).rejects.toMatchObject(forbidden);
    expect(source.destroyed).toBe(true);
    cloud.isForbidden = false;
  });
});
