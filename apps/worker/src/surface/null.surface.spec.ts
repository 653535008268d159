import { stateConformance } from '@pilothouse/testing';
import { NullHost } from './null.surface.ts';

describe('a null surface', () => {
  const host = new NullHost();
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
