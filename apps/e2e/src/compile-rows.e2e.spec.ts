import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import {
  call,
  ParsedPrompt,
  startModels,
  until,
  type ModelServer,
  type ScriptedPolicy,
  TestServer,
} from '@pilothouse/testing';
import { Stack } from './harness/stack.ts';

/** A page with a slow filter, and the rows that were removed on the server. */
interface ListSite {
  readonly url: string;
  rows: { id: number; name: string; owner: string }[];
  filterMs: number;
  readonly removedIds: string[];
  close(): Promise<void>;
}

const pageOf = ({ rows, filterMs }: ListSite) => `<!doctype html><title>Hosts</title><h1>Hosts</h1>
<label>Filter <input id="filter"></label> <button id="remove">Remove selected</button>
<table><thead><tr><th></th><th>Name</th><th>Owner</th></tr></thead><tbody id="rows"></tbody></table>
<script>
  const all = ${JSON.stringify(rows)};
  const body = document.getElementById('rows');
  const draw = (rows) => {
    body.innerHTML = rows.map(({ id, name, owner }) =>
      '<tr><td><input type="checkbox" value="' + id + '"></td><td>' + name + '</td><td>' + owner + '</td></tr>').join('');
  };
  draw(all);
  let timer;
  document.getElementById('filter').addEventListener('input', ({ target }) => {
    clearTimeout(timer);
    timer = setTimeout(() => draw(all.filter(({ owner }) => owner.includes(target.value))), ${filterMs});
  });
  document.getElementById('remove').addEventListener('click', async () => {
    const ids = [...document.querySelectorAll(':checked')].map(({ value }) => value);
    await fetch('/remove', { method: 'POST', body: JSON.stringify(ids) });
    location.assign('/removed');
  });
</script>`;

async function startListSite(): Promise<ListSite> {
  const server = new TestServer((request, response) => {
    if (request.url === '/remove') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const ids = new Set((JSON.parse(body) as string[]).map(Number));
        site.removedIds.push(...site.rows.filter(({ id }) => ids.has(id)).map(({ name }) => name));
        response.end('{}');
      });
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end(
      request.url === '/removed' ? '<!doctype html><title>Removed</title><p>They are removed' : pageOf(site),
    );
  });
  await server.start();
  const site: ListSite = {
    url: `${server.origin}/`,
    rows: [],
    filterMs: 2000,
    removedIds: [],
    close: () => server.stop(),
  };
  return site;
}

describe('a compiled goal on a list with a slow filter', () => {
  let stack: Stack;
  let models: ModelServer;
  let site: ListSite;

  beforeAll(async () => {
    site = await startListSite();
    models = await startModels();
    models.policy = ({ system, text }) => ({
      text: '',
      calls: policy(new ParsedPrompt(`${system}\n${text.trimEnd()}`)),
    });
    stack = await Stack.start({
      api: { PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
    await site?.close();
  });

  /** Element number of the unchecked box in the row of a name. */
  const boxOf = (prompt: ParsedPrompt, name: string): number | undefined => {
    const lines = prompt.page.split('\n');
    const row = lines.findIndex((line) => line.includes('row') && line.includes(name));
    // An unnamed box precedes the texts of its row.
    const [, number] = /\[(\d+)\] checkbox\b.*\bunchecked$/.exec(lines[row - 1] ?? '') ?? [];
    return number === undefined ? undefined : Number(number);
  };
  /** Filters, waits until the list is that of Ada, ticks two rows and removes them. */
  const policy: ScriptedPolicy = (prompt) => {
    if (prompt.page.includes('They are removed'))
      return [call('done', { title_or_url: 'Removed', indicators: ['They are removed'] })];
    if (!/"Filter" = /.test(prompt.page))
      return [call('type', { element: prompt.element(/textbox "Filter"/), text: 'Ada' })];
    if (prompt.page.includes('mail-1')) return [call('wait', { seconds: 1 })];
    const box = boxOf(prompt, 'web-1') ?? boxOf(prompt, 'web-2');
    if (box !== undefined) return [call('click', { element: box })];
    return [call('click', { element: prompt.element(/button "Remove selected"/) })];
  };

  const waiting = (id: string) =>
    until('it asks', async () => {
      const run = await stack.client.run(id);
      if (run.status === 'failed') throw new Error(JSON.stringify(run.error));
      return run.status === 'awaiting_user' ? run : null;
    });
  const allow = (id: string) =>
    stack.client.json(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'continue' } });

  const hosts = ['mail-1', 'web-1', 'web-2', 'backup-1'].map((name, index) => ({
    id: index + 1,
    name,
    owner: name.startsWith('web') ? 'Ada Lovelace' : 'Grace Hopper',
  }));

  test('removes the same rows at other positions, and asks a person again', async () => {
    site.rows = hosts;
    const { id } = await stack.client.submit({
      definition: {
        name: 'remove-hosts',
        steps: [
          { action: 'navigate', url: site.url },
          { id: 'gone', action: 'goal', goal: 'Remove the hosts web-1 and web-2 of Ada.' },
        ],
      },
      capture: { screenshots: 'none' },
    });
    expect((await waiting(id)).question).toMatchObject({ reason: expect.stringContaining('Remove selected') });
    await allow(id);
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    expect(site.removedIds).toEqual(['web-1', 'web-2']);

    const compiled = (await stack.client.json(`/v1/runs/${id}/compile`, {
      method: 'POST',
      body: {},
    })) as CompileRunResult;
    const { steps } = compiled.workflow.definition;
    expect(steps).toMatchObject([
      { action: 'navigate' },
      { action: 'fill', text: 'Ada', expect: { hidden: { text: expect.any(String), exact: true } } },
      ...['web-1', 'web-2'].map((name) => ({
        action: 'click',
        target: expect.arrayContaining([{ role: 'checkbox', within: { css: 'tr', has: { text: name, exact: true } } }]),
      })),
      { action: 'click', approval: expect.stringContaining('Remove selected'), idempotent: false },
    ]);
    expect(JSON.stringify(steps)).not.toMatch(/nth/);

    // Other rows are at these positions, and the filter is slower.
    site.removedIds.splice(0);
    site.filterMs = 3000;
    const row = (name: string, at: number) => ({ id: 10 + at, name, owner: 'Ada Byron' });
    site.rows = [row('web-10', 0), row('db-1', 1), ...hosts, row('web-21', 2)];
    const replay = (await stack.client.json('/v1/workflows/remove-hosts/runs', {
      method: 'POST',
      body: { version: compiled.workflow.version },
    })) as RunView;
    const question = await waiting(replay.id);
    expect(site.removedIds).toEqual([]);
    expect(question.question?.reason).toContain('Remove selected');
    await allow(replay.id);
    expect(await stack.client.waitForEnd(replay.id)).toMatchObject({ status: 'completed' });
    expect(site.removedIds).toEqual(['web-1', 'web-2']);
  });
});
