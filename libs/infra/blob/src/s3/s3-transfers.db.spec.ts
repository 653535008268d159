import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { removeBucket, s3TestConfig } from '../conformance/s3.fixture.ts';
import { transfersConformance } from '../conformance/transfers.conformance.ts';
import { S3Bucket } from './s3-bucket.ts';
import { S3Store } from './s3.store.ts';
import { createS3Transfers } from './s3-transfers.ts';

describe('transfers straight to S3', () => {
  const bucket = new S3Bucket(s3TestConfig());
  afterAll(() => removeBucket(bucket));

  transfersConformance(async () => ({
    store: new S3Store(bucket),
    transfers: (clock) => createS3Transfers({ bucket, clock }),
    inline: 'attachment',
  }));

  test('links use the address of their receiver', async () => {
    const transfers = createS3Transfers({ bucket, endpoint: 'https://objects.example:8443', clock: systemClock });
    const { url } = await transfers.download('a/b', { name: 'b', contentType: 'image/png', expiresInSeconds: 60 });
    expect(url).toMatch(new RegExp(`^https://objects\\.example:8443/${bucket.name}/a/b\\?`));
    const upload = await transfers.upload('a/b', { contentType: 'image/png', maxBytes: 1, expiresInSeconds: 60 });
    expect(upload.url).toMatch(new RegExp(`^https://objects\\.example:8443/${bucket.name}/a/b\\?`));
  });
});
