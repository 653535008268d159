import { surfaceConformance } from '@pilothouse/testing';
import { startKit } from './testing/browser-test-kit.ts';

surfaceConformance('browser', async () => {
  const kit = await startKit();
  let pages = 0;
  return {
    host: kit.host,
    folder: kit.folder,
    page: (body) => {
      pages += 1;
      return kit.serve(`/conformance-${pages}`, `<!doctype html><html lang="en"><title>Page</title>${body}</html>`);
    },
    close: () => kit.close(),
  };
});
