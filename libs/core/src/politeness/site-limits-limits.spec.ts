import { politenessSchema } from '@pilothouse/contract/project/politeness.schema';
import { limitAppliesTo, effectiveLimits, checksRobotsTxt, siteOf } from './site-limits.ts';

test.each([
  ['shop.test', 'https://shop.test/a', true],
  ['shop.test', 'https://www.shop.test/', false],
  ['*.shop.test', 'http://a.b.shop.test/', true],
  ['*.shop.test', 'http://shop.test/', false],
  ['shop.test:8443', 'https://shop.test:8443/', true],
  ['shop.test:8443', 'https://shop.test/', false],
  ['Shop.test', 'https://SHOP.test./', true],
  ['127.0.0.1', 'http://127.0.0.1:7180/', true],
  ['127.0.0.1:80', 'http://127.0.0.1:7180/', false],
  ['[::1]', 'http://[::1]:80/', true],
])('%s limits %s: %s', (domain, url, expected) => {
  const site = siteOf(url);
  expect(site && limitAppliesTo({ domain }, site)).toBe(expected);
});

test('a URL that is not on the web has no site', () => {
  expect([siteOf('about:blank'), siteOf('not a url'), siteOf('/a', 'about:blank')]).toEqual([null, null, null]);
  expect(siteOf('/a', 'https://shop.test/b')).toEqual({ host: 'shop.test', port: 443 });
});

test('limits of project and workflow both apply', () => {
  const project = { limits: [{ domain: 'a.test', requestsPerMinute: 1 }] };
  const workflow = { limits: [{ domain: 'a.test', maxConcurrentRuns: 2 }], robots: 'ignore' as const };
  expect(effectiveLimits({ project, workflow }).map(({ owner, domain }) => `${owner} ${domain}`)).toEqual([
    'project a.test',
    'workflow a.test',
  ]);
  expect(checksRobotsTxt({ project, workflow: undefined })).toBe(true);
  expect(checksRobotsTxt({ project, workflow })).toBe(false);
  expect(checksRobotsTxt({ project: null, workflow: undefined })).toBe(false);
});

test.each([
  [{ domain: 'a.test' }, 'Give `requestsPerMinute` or `maxConcurrentRuns`'],
  [{ domain: '10.0.0.0/8', requestsPerMinute: 1 }, 'a network is not supported here'],
  [{ domain: 'https://a.test', requestsPerMinute: 1 }, 'Use a host'],
  [{ domain: 'a.test', requestsPerMinute: 0 }, '>=0.01'],
])('%j is rejected', (limit, message) => {
  expect(politenessSchema.safeParse({ limits: [limit] }).error?.message).toContain(message);
});

test('one limit for each site', () => {
  const twice = {
    limits: [
      { domain: 'a.test', requestsPerMinute: 1 },
      { domain: 'a.test', maxConcurrentRuns: 1 },
    ],
  };
  expect(politenessSchema.safeParse(twice).error?.issues[0]?.path).toEqual(['limits', 1, 'domain']);
});
