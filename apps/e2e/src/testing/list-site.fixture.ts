import { TestServer } from '@pilothouse/testing/test-server';

/** A page with a slow filter, and the rows that were removed on the server. */
export interface ListSite {
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

export async function startListSite(): Promise<ListSite> {
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
