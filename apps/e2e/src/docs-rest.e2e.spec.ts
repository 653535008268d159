import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './harness/bundles.ts';
import { searchPath } from './harness/servers.fixture.ts';
import { Stack } from './harness/stack.ts';

/* The requests of the REST examples and the sample of the TypeScript client, as a reader copies them. */

/** Fails for an HTTP error. Ends a stream of a run that goes on. */
const CURL = `curl() {
  case "$*" in -N*) limit=4 ;; *) limit=90 ;; esac
  command curl --fail-with-body --no-progress-meter --max-time $limit "$@" || [ $? = 28 ]
}`;

/** Submits a run and waits until it reaches a state. */
const startRun = (steps: object[], state: string) => `
RUN=$(curl -s $URL/v1/runs -H "$KEY" -H "$JSON" -d '${JSON.stringify({ steps })}' | jq -r .id)
until curl -s "$URL/v1/runs/$RUN?wait=1" -H "$KEY" | jq -e '${state}' > /dev/null; do :; done`;

describe('the REST examples', () => {
  let stack: Stack;
  let folder: string;
  beforeAll(async () => {
    stack = await Stack.start();
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-rest-'));
    await mkdir(join(folder, '.pilothouse/secrets'), { recursive: true });
    await mkdir(join(folder, 'docs/examples'), { recursive: true });
    await writeFile(join(folder, '.pilothouse/secrets/admin.key'), stack.secrets.adminKey);
    await writeFile(join(folder, 'state.json'), JSON.stringify({ cookies: [], origins: [] }));
    await copyFile(join(root, 'docs/examples/tides.yaml'), join(folder, 'docs/examples/tides.yaml'));
  });
  afterAll(async () => {
    await stack?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program with the addresses of the stack. @returns its output, also of a failure */
  async function execute(program: string, args: readonly string[], environment: Record<string, string> = {}) {
    const env = { PATH: searchPath(), HOME: folder, ...environment };
    return promisify(execFile)(program, args, { cwd: folder, env, timeout: 150_000 }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stdout, stderr }) => ({ code, text: `${stdout}${stderr}` }),
    );
  }

  const onStack = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:7180', stack.site.url)
      .replaceAll('http://127.0.0.1:7100', stack.client.url)
      .replaceAll('/fleets/browser/', '/fleets/browsers/');

  const page = { action: 'navigate', url: 'http://127.0.0.1:7180/public/widgets' };
  const approval = startRun([page, { action: 'reload', approval: 'Reload?' }], '.status == "awaiting_user"');
  const waiting = startRun([page, { action: 'wait', seconds: 120 }], '.status == "running" and .currentStep == 1');

  /** State that a section of the page assumes. */
  const preparations: Record<string, string> = {
    'Answer a question': approval,
    'Watch and control a browser': waiting,
    'Show a run with A2UI': `${approval}\nQUESTION=$(curl -s $URL/v1/runs/$RUN -H "$KEY" | jq -r .question.key)`,
  };

  /** Requests that need a model, or a person with a password. */
  const isOutOfReach = (request: string) => /"goal":|\/compile |sessions\/current|-b jar/.test(request);

  /** Splits a block into requests: a request ends with a line that closes its quotes. */
  function requestsOf(block: string): string[] {
    const requests: string[] = [];
    let open = '';
    for (const line of block.split('\n')) {
      open += `${line}\n`;
      if ((open.replace(/#.*'.*$/gm, '').match(/'/g) ?? []).length % 2 === 1) continue;
      if (open.trim() !== '') requests.push(open);
      open = '';
    }
    return requests;
  }

  test('work as shown, in their order', async () => {
    const markdown = await readFile(join(root, 'docs/reference/rest-examples.md'), 'utf8');
    const sections = markdown.split(/^## /m).map((section) => ({
      heading: section.split('\n', 1)[0] ?? '',
      requests: [...section.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => requestsOf(block)),
    }));
    const requests = sections.flatMap((section) => section.requests).filter((request) => request.includes('curl '));
    expect(requests.length).toBeGreaterThan(25);
    expect(requests.filter(isOutOfReach)).toHaveLength(4);
    const script = sections.flatMap(({ heading, requests: sectionRequests }) => [
      ...(preparations[heading] === undefined ? [] : [preparations[heading]]),
      ...sectionRequests.filter((request) => !isOutOfReach(request)),
    ]);
    const { code, text } = await execute('bash', ['-exc', onStack(['set -o pipefail', CURL, ...script].join('\n'))]);
    expect({ code, ...(code !== 0 && { text: text.slice(-4_000) }) }).toEqual({ code: 0 });
    expect(text).toContain('"completed"');
    expect((await stat(join(folder, 'frames.mjpeg'))).size).toBeGreaterThan(1_000);
    expect(await stack.client.json('/v1/runs?status=failed')).toMatchObject({ items: [] });
  }, 240_000);

  test('the sample of the TypeScript client follows a run and downloads its files', async () => {
    const markdown = await readFile(join(root, 'docs/guides/automate-with-rest.md'), 'utf8');
    const [, sample = ''] = /```ts\n([\s\S]*?)```/.exec(markdown) ?? [];
    expect(sample).toContain("from '@pilothouse/client'");
    // The sample is a file in a clone: there the package resolves.
    const file = join(root, 'apps/e2e', `order-${process.pid}.ts`);
    await writeFile(file, onStack(sample));
    try {
      const { code, text } = await execute(process.execPath, ['--no-warnings', file], {
        PILOTHOUSE_API_KEY: stack.secrets.adminKey,
      });
      expect({ code, text }).toEqual({
        code: 0,
        text: expect.stringMatching(/run\.queued[\s\S]*run\.completed[\s\S]*\ncompleted/),
      });
      const [name = ''] = /\S+\.jpe?g/.exec((await execute('ls', [])).text) ?? [];
      expect([...(await readFile(join(folder, name))).subarray(0, 2)]).toEqual([0xff, 0xd8]);
    } finally {
      await rm(file, { force: true });
    }
  }, 120_000);
});
