import { removeBucket, s3TestConfig } from '../conformance/s3.fixture.ts';
import { readObject } from '../read-object.ts';
import { S3Bucket } from './s3-bucket.ts';
import { createObjectLinks } from './s3-links.ts';
import { S3Store } from './s3.store.ts';

test('signed URLs download and upload one object without credentials', async () => {
  const bucket = new S3Bucket(s3TestConfig());
  const store = new S3Store(bucket);
  await store.put('a/train.jsonl', Buffer.from('{"n":1}\n'), { contentType: 'application/x-ndjson', maxBytes: 100 });
  const links = createObjectLinks(bucket.config);
  expect(await (await fetch(await links.download('a/train.jsonl', 60))).text()).toBe('{"n":1}\n');
  const upload = await links.upload('a/result.json', 60);
  for (const body of ['{}', '{"model":"tuned"}']) expect((await fetch(upload, { method: 'PUT', body })).ok).toBe(true);
  expect((await readObject(store, 'a/result.json', 100)).toString()).toBe('{"model":"tuned"}');
  expect((await fetch(upload.replace('result', 'other'), { method: 'PUT', body: '{}' })).status).toBe(403);
  await store.delete(['a/train.jsonl', 'a/result.json']);
  await removeBucket(bucket);
});
