import { stateConformance } from '@pilothouse/testing/conformance/state-conformance';
import { NullSurfaceHost } from './null.surface.ts';

describe('a null surface', () => {
  const host = new NullSurfaceHost();
  let pages = 0;
  afterAll(() => host.close());
  stateConformance(() => ({
    host,
    folder: '/tmp',
    page: () => {
      pages += 1;
      return `https://portal.test/${pages}`;
    },
    close: () => host.close(),
  }));
});
