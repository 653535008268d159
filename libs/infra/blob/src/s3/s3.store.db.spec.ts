import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { bytes, listAll, errorCodeOf, byteStream } from '../conformance/byte-streams.ts';
import { removeBucket, s3TestConfig } from '../conformance/s3.fixture.ts';
import { storeConformance } from '../conformance/blob-store.conformance.ts';
import { S3Bucket } from './s3-bucket.ts';
import { callWithDeadline } from './s3-call.ts';
import { toS3Error } from './s3-errors.ts';
import { S3Store } from './s3.store.ts';

const png = { contentType: 'image/png', maxBytes: 1000 };

describe('the S3 store', () => {
  let bucket: S3Bucket;
  beforeAll(() => {
    bucket = new S3Bucket(s3TestConfig());
  });
  afterAll(() => removeBucket(bucket));

  storeConformance(async () => new S3Store(bucket));

  test('concurrent first uses create the bucket', async () => {
    const bucket = new S3Bucket(s3TestConfig());
    const secondBucket = new S3Bucket(bucket.config);
    const keys = ['a', 'b', 'c', 'd'];
    await Promise.all(
      keys.map((key, n) => new S3Store(n % 2 ? bucket : secondBucket).put(`x/${key}`, Buffer.from('x'), png)),
    );
    const store = new S3Store(bucket);
    expect(await listAll(store.list(''))).toEqual(keys.map((key) => `x/${key}`));
    await store.delete(keys.map((key) => `x/${key}`));
    await removeBucket(bucket);
    // The bucket is removed: the store creates it again.
    expect(await store.stat('x/a')).toBeNull();
    await store.put('x/a', Buffer.from('x'), png);
    await store.delete(['x/a']);
    await removeBucket(bucket);
  });

  test('an interrupted multipart upload leaves no parts in the bucket', async () => {
    const store = new S3Store(bucket);
    const broken = byteStream(bytes(17 * 1024 * 1024), { breaksOff: true });
    await errorCodeOf(store.put('parts/a', broken, { contentType: 'image/png', maxBytes: 1e9 }));
    const incompleteUploads: unknown[] = [];
    // By the full name: MinIO lists no others.
    for await (const upload of bucket.client.listIncompleteUploads(bucket.name, 'parts/a', true))
      incompleteUploads.push(upload);
    expect(incompleteUploads).toEqual([]);
  });

  test.each([
    ['a wrong secret', { secretKey: 'wrong-wrong' }, 'S3_SECRET_KEY'],
    ['an unknown access key', { accessKey: 'unknown' }, 'S3_ACCESS_KEY'],
    ['a bucket that can be none', { bucket: 'No_Bucket' }, 'S3_BUCKET'],
    ['an endpoint where nothing listens', { endpoint: 'http://127.0.0.1:9' }, 'S3_ENDPOINT'],
    ['an endpoint that is no host', { endpoint: 'http://nowhere.invalid' }, 'S3_ENDPOINT'],
  ])('%s is UNAVAILABLE and names the setting', async (_, config, setting) => {
    const store = new S3Store(new S3Bucket({ ...s3TestConfig(), ...config }));
    const unavailable = { code: 'UNAVAILABLE', message: expect.stringContaining(setting) };
    expect(await errorCodeOf(store.check())).toMatchObject(unavailable);
    expect(await errorCodeOf(store.put('a/b', Buffer.from('x'), png))).toMatchObject(unavailable);
    expect(await errorCodeOf(store.stat('a/b'))).toMatchObject(unavailable);
  });

  test.each(['ftp://store', 'store:9000', 'http://store/path', 'http://user:pass@store', ''])(
    'the endpoint %j is refused at once',
    (endpoint) => {
      expect(() => new S3Bucket({ ...s3TestConfig(), endpoint })).toThrow(/S3 endpoint/);
      expect(() => new S3Bucket({ ...s3TestConfig(), endpoint })).not.toThrow(/pass/);
    },
  );

  test('a store that accepts and never responds is UNAVAILABLE after the deadline', async () => {
    const silent = createServer((socket) => socket.resume());
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const config = { ...s3TestConfig(), endpoint: `http://127.0.0.1:${port}` };
    const { client } = new S3Bucket(config);
    const response = callWithDeadline(() => client.statObject(config.bucket, 'a'), { ms: 200 });
    expect(toS3Error(await errorCodeOf(response), config)).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('no answer within 0.2 s'),
    });
    await new Promise((resolve) => silent.close(resolve));
  });

  test('a failing server is UNAVAILABLE, and a full one refuses the upload', async () => {
    const config = s3TestConfig();
    const answering = async (status: number) => {
      const server = createHttpServer((_, response) => response.writeHead(status).end('<Error><Code>X</Code></Error>'));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const store = new S3Store(new S3Bucket({ ...config, endpoint: `http://127.0.0.1:${port}` }));
      const error = await errorCodeOf(store.stat('a/b'));
      await new Promise((resolve) => server.close(resolve));
      return error;
    };
    expect(await answering(503)).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('503') });
    expect(await answering(500)).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('500') });
    expect(await answering(507)).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('the store is full'),
    });
  });
});
