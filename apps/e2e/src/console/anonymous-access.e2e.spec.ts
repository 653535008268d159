import type { RouteConfigEntry } from '@react-router/dev/routes';
import consoleRoutes from '../../../console/app/routes.ts';
import { useConsole } from '../harness/console.fixture.ts';

/** A route of the console with the path of a page that it belongs to. */
interface Route {
  readonly id: string;
  readonly path: string;
}

/** All routes, those of layouts included. Parameters are filled in. */
const walk = (routes: readonly RouteConfigEntry[], above = ''): Route[] =>
  routes.flatMap(({ file, path = '', children = [] }) => {
    const segment = path.replaceAll(/:\w+/g, 'some-name').replace('*', 'no/such/page');
    const fullPath = segment ? `${above}/${segment}` : above;
    return [{ id: file.replace(/\.tsx?$/, ''), path: fullPath || '/' }, ...walk(children, fullPath)];
  });
const routes = walk(consoleRoutes);

/** Routes that lead to a session, end one, or keep a preference of the browser. All others require a session. */
const publicRoutes = new Set([
  'auth/sign-in.route',
  'auth/sign-out.route',
  'auth/setup.route',
  'auth/accept-invitation.route',
  'auth/reset-password.route',
  'shell/switch-theme.route',
]);
const privateRoutes = routes.filter(({ id }) => !publicRoutes.has(id));

/** Routes whose action accepts one kind of form: it has no field `intent`. */
const singlePurpose = new Set([
  'shell/switch-project.route',
  'auth/sign-in.route',
  'auth/sign-out.route',
  'auth/setup.route',
  'auth/reset-password.route',
  'run/retry-run.route',
  'api/upload-files.route',
  'editor/new-workflow.route',
  'editor/edit-workflow.route',
  'workflows/run-workflow.route',
  'editor/test-run.route',
  'editor/lint.route',
  'editor/import-workflow.route',
]);

const cookies = {
  'without a cookie': {},
  'with the cookie of no session': { cookie: 'pilothouse=phs_unknown; pilothouse_project=some-name' },
  'with an unknown key': { cookie: 'pilothouse_key=ph_00000000000000000000' },
};

describe.each(Object.entries(cookies))('a stranger %s', (_, headers) => {
  const fixture = useConsole({ workers: 0, signIn: 'none' });
  const request = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(fixture.consoleServer.url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...headers, ...(init.headers as object) },
    });
    return { status: answer.status, to: answer.headers.get('location') ?? '', body: await answer.text() };
  };
  /** Describes a response that grants access; null: access is denied. */
  const accessProblem = ({ status, to, body }: Awaited<ReturnType<typeof request>>) => {
    if (status === 302) return to.startsWith('/sign-in') || to === '/setup' ? null : `leads to ${to}`;
    // A redirect encoded by the router.
    if (status === 202) return /sign-in|setup/.test(body) ? null : `answers ${body.slice(0, 200)}`;
    return [401, 403, 404, 405].includes(status) ? null : `${status} ${body.slice(0, 200)}`;
  };
  /** The answer of a route without a loader. */
  const isEmpty = ({ status, body }: Awaited<ReturnType<typeof request>>) =>
    (status === 200 && body.trim() === '[{}]') || (status === 400 && body === '{"message":"Unexpected Server Error"}');

  test('reads no page and no loader', async () => {
    const problems: string[] = [];
    for (const { id, path } of privateRoutes) {
      const data = `${path === '/' ? '/_root' : path}.data?_routes=${encodeURIComponent(id)}`;
      for (const url of [path, data]) {
        const answer = await request(url);
        const problem = accessProblem(answer);
        if (problem !== null && !isEmpty(answer)) problems.push(`GET ${url}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test('submits no form', async () => {
    const problems: string[] = [];
    for (const { path } of privateRoutes) {
      for (const url of [path, `${path === '/' ? '/_root' : path}.data`, `${path}?index`]) {
        const body = new URLSearchParams({ intent: 'cancel', text: 'name: a', project: 'x' });
        const problem = accessProblem(await request(url, { method: 'POST', body }));
        if (problem !== null) problems.push(`POST ${url}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  });

  test('opens neither the live grid nor the API', async () => {
    for (const path of ['/live/stream?run=1', '/api/v1/runs'])
      expect([path, (await request(path)).status]).toEqual([path, 401]);
  });
});

describe('a user who is signed in', () => {
  const fixture = useConsole({ workers: 0 });
  const post = (path: string, headers: Record<string, string>, body: Record<string, string>) =>
    fixture.viewer.page.request.post(path, { form: body, headers, maxRedirects: 0 });

  test('changes nothing from another origin', async () => {
    const foreign = {
      'from another site': { 'sec-fetch-site': 'cross-site' },
      'of another origin': { origin: 'http://evil.example' },
    };
    for (const { path } of routes) {
      for (const headers of Object.values(foreign)) {
        const answer = await post(path, headers, { intent: 'cancel' });
        expect([path, answer.status(), await answer.text()]).toEqual([path, 403, 'Cross-site request blocked.']);
      }
    }
  });

  test('changes nothing with an unknown form value', async () => {
    const forms: Record<string, string>[] = [
      { intent: 'nonsense' },
      { intent: '' },
      { answer: 'nonsense' },
      { theme: 'nonsense' },
    ];
    const accepted: string[] = [];
    for (const { id, path } of routes) {
      if (singlePurpose.has(id)) continue;
      for (const body of forms) {
        const answer = await post(path, { origin: fixture.consoleServer.url }, body);
        if (![400, 404, 405].includes(answer.status()))
          accepted.push(`${path} ${JSON.stringify(body)}: ${answer.status()}`);
      }
    }
    expect(accepted).toEqual([]);
  });
});
