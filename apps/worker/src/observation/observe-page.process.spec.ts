import { observationSchema } from '@pilothouse/contract/observation/observation.schema';
import type { Environment } from '@pilothouse/infra-config';
import { TestServer } from '@pilothouse/testing/test-server';
import { observePage } from './observe-page.ts';

let server: TestServer;
let url: string;
let body: string;
let leadsTo: string | undefined;
beforeEach(() => {
  body = '<h1>Welcome</h1><button>Moor</button>';
  leadsTo = undefined;
});
beforeAll(async () => {
  server = new TestServer((_request, response) => {
    if (leadsTo !== undefined) return response.writeHead(302, { location: leadsTo }).end();
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Quay</title>${body}`);
  });
  await server.start();
  url = `${server.origin}/`;
});
afterAll(() => server.stop());

const observe = (...args: string[]) => observeWith({}, ...args);
const observeWith = async (environment: Environment, ...args: string[]) => {
  const lines: string[] = [];
  const code = await observePage(args, { PATH: process.env.PATH, ...environment }, (line) => lines.push(line));
  expect(lines).toHaveLength(1);
  return { code, report: JSON.parse(lines[0] ?? '') as unknown };
};

test('prints the observation of a page', async () => {
  const { code, report } = await observe(url, '--level', 'interactive');
  expect(code).toBe(0);
  const observation = observationSchema.parse(report);
  expect(observation).toMatchObject({ url, title: 'Quay', loading: false });
  expect(observation.elements.map(({ role, name }) => `${role} ${name}`)).toEqual(['button Moor']);
  expect(observation.elements[0]?.locators).toContainEqual({ role: 'button', name: 'Moor', exact: true });
});

test('the page reaches the given host, and no other private address', async () => {
  const requestedUrls: string[] = [];
  const inside = new TestServer(({ url: path = '' }, response) => {
    requestedUrls.push(path);
    response.setHeader('access-control-allow-origin', '*').end('inside');
  });
  await inside.start();
  const { port } = inside;
  // Requested while the page is parsed, so that the result is known when it has loaded.
  body = `<h1></h1><script>
    const asking = new XMLHttpRequest();
    asking.open('GET', 'http://127.0.0.1:${port}/data', false);
    let text = 'refused';
    try { asking.send(); text = asking.responseText; } catch {}
    document.querySelector('h1').textContent = 'It was ' + text;
  </script>`;
  const heading = async (environment: Environment) => {
    const { report } = await observeWith(environment, url, '--level', 'view');
    return observationSchema.parse(report).elements.find(({ role }) => role === 'heading')?.name;
  };
  try {
    expect(await heading({})).toBe('It was refused');
    expect(requestedUrls).toEqual([]);
    expect(await heading({ PILOTHOUSE_EGRESS_ALLOW_PRIVATE: `127.0.0.1:${port}` })).toBe('It was inside');
    expect(requestedUrls).toEqual(['/data']);
  } finally {
    await inside.stop();
  }
});

test('reports a page that redirects to a blocked address', async () => {
  leadsTo = 'http://127.0.0.2:7999/';
  const { code, report } = await observe(url);
  expect({ code, report }).toEqual({
    code: 1,
    report: {
      error: {
        code: 'EGRESS_BLOCKED',
        message:
          '127.0.0.2:7999 was refused: it is not a public address, and PILOTHOUSE_EGRESS_ALLOW_PRIVATE of the worker does not allow it',
      },
    },
  });
});

test('reports why it could not observe the page', async () => {
  const { code, report } = await observe('http://nowhere.invalid/', '--seconds', '10');
  expect({ code, report }).toMatchObject({ code: 1, report: { error: { code: 'NAVIGATION_FAILED' } } });
});
