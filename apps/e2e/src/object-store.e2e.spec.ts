import { serverOfS3 } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';

describe('with objects in S3 and direct transfers', () => {
  const s3 = serverOfS3();
  let stack: Stack;
  beforeAll(async () => {
    const { endpoint, accessKey, secretKey } = s3;
    stack = await Stack.start({
      api: {
        S3_ENDPOINT: endpoint,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secretKey,
        S3_BUCKET: `e2e-${Date.now().toString(36)}`,
        PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT: endpoint,
        PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT: endpoint,
      },
    });
  });
  afterAll(() => stack?.stop());

  test('files are transferred directly, and only the API has the keys of the store', async () => {
    const { client, site } = stack;
    const content = Buffer.from('%PDF-1.4 a purchase order');
    const upload = await client.upload('order.pdf', 'application/pdf', content);
    expect(upload.transfer.url.startsWith(s3.endpoint)).toBe(true);

    const { id } = await client.submit({
      definition: {
        name: 'attach-a-file',
        inputs: { manifest: { type: 'file' } },
        steps: [
          { action: 'navigate', url: `${site.url}/public/widgets` },
          { action: 'upload', target: { label: 'Manifest' }, file: '{{inputs.manifest}}' },
          { action: 'screenshot', label: 'attached' },
        ],
      },
      inputs: { manifest: upload.id },
    });
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed', error: null });

    const [artifact] = await client.artifacts(id);
    expect(artifact?.url.startsWith(s3.endpoint)).toBe(true);
    const fetched = await fetch(artifact?.url ?? '');
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('content-type')).toBe(artifact?.contentType);
    expect((await fetched.arrayBuffer()).byteLength).toBe(artifact?.size);

    const publicData = JSON.stringify([upload, artifact, await client.events(id)]);
    expect(publicData).not.toContain(s3.secretKey);
    for (const { lines } of [stack.api, ...stack.workers]) expect(lines.join('\n')).not.toContain(s3.secretKey);
  });
});
