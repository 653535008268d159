import { createConfig, lintFromString } from '@redocly/openapi-core';
import { routeList, routes } from '@pilothouse/contract/api/route-table';
import { openApiDocument } from './openapi-document.ts';

const document = openApiDocument('http://127.0.0.1:7100');
const text = JSON.stringify(document);

test('the document is valid OpenAPI 3.1 and passes the lint rules', async () => {
  const config = await createConfig({
    extends: ['spec', 'recommended'],
    rules: { 'no-server-example.com': 'off', 'security-defined': 'error' },
  });
  const problems = await lintFromString({ source: text, config });
  const findings = problems.map(({ ruleId, severity, message, location }) => ({
    ruleId,
    severity,
    message,
    at: location.map(({ pointer }) => pointer).join(),
  }));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  // Some operations have no 4xx answer, and redirects have no 2xx answer. The server URL is the origin of the request.
  const acceptedRules = ['operation-4xx-response', 'operation-2xx-response', 'no-server-example.com'];
  expect(findings.filter(({ ruleId }) => !acceptedRules.includes(ruleId))).toEqual([]);
});

test('a broken document fails the validation', async () => {
  const config = await createConfig({ extends: ['spec'] });
  const broken = text.replace('"operationId":"createRun"', '"operationId":7');
  expect(broken).not.toBe(text);
  expect((await lintFromString({ source: broken, config })).length).toBeGreaterThan(0);
});

test('every route is an operation with its own name, and there are no other operations', () => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { operationId: string }>).map(([method, operation]) => [
      operation.operationId,
      `${method.toUpperCase()} ${path}`,
    ]),
  );
  const expected = routeList.map(({ name, method, path }) => [name, `${method} ${path.replace('*}', '}')}`]);
  expect(operations.sort()).toEqual(expected.sort());
});

test('every schema has a descriptive name, and arbitrary JSON is described as such', () => {
  expect(Object.keys(document.components?.schemas ?? {}).filter((name) => name.startsWith('__'))).toEqual([]);
  expect(text).not.toContain('__schema');
  const run = document.components?.schemas?.['Run'] as { properties: Record<string, unknown> };
  expect(run.properties['inputs']).toMatchObject({ additionalProperties: { description: 'Any JSON' } });
});

test('a public route requires no credentials, other routes a bearer key or a session, docs also accept Basic', () => {
  const securityOf = (path: string, method: string) =>
    (document.paths?.[path] as Record<string, { security: unknown }>)[method]?.security;
  expect(securityOf('/healthz', 'get')).toEqual([]);
  expect(securityOf('/v1/runs', 'post')).toEqual([{ bearer: [] }, { session: [] }]);
  expect(securityOf('/v1/sessions/current', 'get')).toEqual([{ session: [] }]);
  expect(securityOf('/docs', 'get')).toEqual([{ bearer: [] }, { session: [] }, { basic: [] }]);
});

test('an optional body is not required', () => {
  const bodyOf = (path: string) =>
    (document.paths?.[path] as { post: { requestBody: { required: boolean } } }).post.requestBody;
  expect(bodyOf('/v1/workflows/{workflow}/publish').required).toBe(false);
  expect(bodyOf(routes.createRun.path).required).toBe(true);
});
