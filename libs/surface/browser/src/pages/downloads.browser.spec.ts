import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { SurfaceFile } from '@pilothouse/core/ports/surface.port';
import { delayWithin } from '@pilothouse/core/time/deadlines';
import { expectFailure, startKit, testContext, type SurfaceKit } from '../testing/browser-test-kit.ts';

let kit: SurfaceKit;
beforeAll(async () => {
  kit = await startKit();
});
afterAll(() => kit.close());

/** A surface that records its files. */
let attempt = 0;

async function openPage(body: string) {
  const files: SurfaceFile[] = [];
  // Like the folder of an attempt, it does not exist before the first file.
  const folder = join(kit.folder, `attempt-${(attempt += 1)}`);
  const surface = await kit.host.open({ folder, onFile: (file) => files.push(file) }, testContext(10_000));
  await kit.act(surface, { action: 'navigate', url: kit.serve('/files', body) });
  return { surface, files };
}

const attached = (name: string, type: string, body: string) =>
  kit.serve(`/${name}`, (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` });
    response.end(body);
  });

describe('download', () => {
  test('waits for the file and returns its name, type and size', async () => {
    const { surface, files } = await openPage(`<a href="${attached('stock.csv', 'text/csv', 'a,b\n')}">Stock</a>`);
    const { value } = await kit.act(surface, { action: 'download', target: { text: 'Stock' } });
    expect(value).toEqual({ name: 'stock.csv', contentType: 'text/csv', size: 4 });
    expect(files).toMatchObject([{ kind: 'download', name: 'stock.csv', size: 4 }]);
    expect(await readFile(files[0]?.path ?? '', 'utf8')).toBe('a,b\n');
    await surface.close();
  });

  test('uses the name of the step but no name that leaves the folder', async () => {
    const { surface, files } = await openPage(`<a href="${attached('stock.csv', 'text/csv', 'a,b\n')}">Stock</a>`);
    const downloadAs = (name: string) => kit.act(surface, { action: 'download', target: { text: 'Stock' }, name });
    expect((await downloadAs('stock of may.csv')).value).toMatchObject({
      name: 'stock of may.csv',
      contentType: 'text/csv',
    });
    expect((await downloadAs('../up.csv')).value).toMatchObject({ name: '__up.csv' });
    expect(files.map(({ kind }) => kind)).toEqual(['download', 'download']);
    await surface.close();
  });

  test('stores equal names as two files and detects the type of a file without extension', async () => {
    const { surface, files } = await openPage(
      `<a href="${attached('paper', 'application/x', '%PDF-1.4 x')}">Paper</a>`,
    );
    for (const size of [10, 10]) {
      const { value } = await kit.act(surface, { action: 'download', target: { text: 'Paper' } });
      expect(value).toEqual({ name: 'paper', contentType: 'application/pdf', size });
    }
    expect(new Set(files.map(({ path }) => path)).size).toBe(2);
    await surface.close();
  });

  test('supports files created by scripts', async () => {
    const { surface } = await openPage(
      `<button onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['{}'])); a.download = 'made.json'; a.click()">Make</button>`,
    );
    const { value } = await kit.act(surface, { action: 'download', target: { text: 'Make' } });
    expect(value).toEqual({ name: 'made.json', contentType: 'application/json', size: 2 });
    await surface.close();
  });

  test('fails at the deadline if no download starts', async () => {
    const { surface } = await openPage('<button>Nothing</button>');
    const error = await expectFailure(
      kit.act(surface, { action: 'download', target: { text: 'Nothing' } }, testContext(800)),
    );
    expect(error).toMatchObject({ code: 'STEP_TIMED_OUT', message: expect.stringContaining('The download that') });
    await surface.close();
  });
});

describe('a PDF that a script shows', () => {
  let full: SurfaceKit;
  beforeAll(async () => {
    full = await startKit({});
  });
  afterAll(() => full.close());
  const pdf =
    '%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\\ntrailer<</Root 1 0 R>>\\n%%EOF';

  const download = { action: 'download', target: { text: 'Go' } } as const;
  const showPdf = async (open: string, head = '') => {
    const files: SurfaceFile[] = [];
    const folder = join(full.folder, `attempt-${(attempt += 1)}`);
    const surface = await full.host.open({ folder, onFile: (file) => files.push(file) }, testContext(10_000));
    const body = `<!doctype html>${head}<button onclick="const url = window.URL.createObjectURL(new Blob(['${pdf}'], { type: 'application/pdf' })); ${open}">Go</button>`;
    await full.act(surface, { action: 'navigate', url: full.serve('/files', body) });
    return { surface, files };
  };

  test.each([
    ['in a window', "window.open(url, '_blank')"],
    ['in a window without an opener', "window.open(url, '_blank', 'noopener')"],
    [
      'by a link',
      "const a = document.createElement('a'); a.href = url; a.target = '_blank'; a.rel = 'noopener'; a.click()",
    ],
    ['in the same tab by a script', 'location.href = url'],
    ['in the same tab by a link', "const a = document.createElement('a'); a.href = url + '#page=1'; a.click()"],
  ])('%s is saved', async (_, open) => {
    const { surface, files } = await showPdf(open);
    const { value } = await full.act(surface, download, testContext(15_000));
    expect(value).toMatchObject({ contentType: 'application/pdf' });
    expect((await readFile(files[0]?.path ?? '', 'latin1')).slice(0, 5)).toBe('%PDF-');
    await surface.close();
  });

  test('in the same tab fails at once if the page forbids to read it', async () => {
    const { surface } = await showPdf(
      'location.href = url',
      `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`,
    );
    // The deadline is later than the time limit of a test.
    expect(await expectFailure(full.act(surface, download, testContext(600_000)))).toMatchObject({
      code: 'NAVIGATION_FAILED',
      message: expect.stringContaining('shows a PDF that a script created, and it cannot be read'),
    });
    await surface.close();
  });
});

test('a click that downloads reports a file', async () => {
  const { surface, files } = await openPage(`<a href="${attached('list.txt', 'text/plain', 'x')}">List</a><p>Page</p>`);
  await kit.act(surface, { action: 'click', target: { text: 'List' } });
  await kit.act(surface, { action: 'download', target: { text: 'List' } });
  expect(files.map(({ name }) => name)).toEqual(['list.txt', 'list.txt']);
  await surface.close();
});

describe('pending files at the end of a run', () => {
  /** Responses that the site sends on demand. */
  const withheld = () => {
    const pendingResponse = Promise.withResolvers<ServerResponse>();
    const url = kit.serve('/late.csv', (_, response) => pendingResponse.resolve(response));
    const answer = async (head: Record<string, string>, body: string) => {
      const response = await pendingResponse.promise;
      response.writeHead(200, head);
      response.end(body);
    };
    return { url, answer };
  };
  const asFile = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="late.csv"' };
  const byScript =
    "fetch('/late.csv').then((answer) => answer.blob()).then((blob) => { const a = document.createElement('a'); a.href = window.URL.createObjectURL(blob); a.download = 'late.csv'; a.click(); })";

  test.each([
    ['a link to a file', '<a href="/late.csv">Go</a>'],
    ['a link that says that it is one', '<a href="/late.csv" download><b>Go</b></a>'],
    ['a link in another window', '<a href="/late.csv" target="_blank">Go</a>'],
    ['a link into a frame', '<a href="/late.csv" target="inside">Go</a><iframe name="inside"></iframe>'],
    ['a form', '<form method="post" action="/late.csv"><button>Go</button></form>'],
    ['what a script fetches', `<button onclick="${byScript}">Go</button>`],
  ])('%s', async (_, body) => {
    const { answer } = withheld();
    const { surface, files } = await openPage(body);
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    let isOver = false;
    const incompleteFiles = surface.waitForFiles(testContext(15_000)).finally(() => (isOver = true));
    // The wait without any sign of a file is over by then.
    await delayWithin(700, testContext(15_000));
    expect(isOver).toBe(false);
    await answer(asFile, 'a,b\n');
    expect(await incompleteFiles).toEqual([]);
    expect(files).toMatchObject([{ kind: 'download', name: 'late.csv', size: 4 }]);
    await surface.close();
  });

  test('a second file that a script starts soon after the first', async () => {
    const first = attached('first.csv', 'text/csv', 'a');
    const second = attached('second.csv', 'text/csv', 'b');
    const { surface, files } = await openPage(
      `<button onclick="const go = (url) => { const a = document.createElement('a'); a.href = url; a.download = ''; a.click(); }; setTimeout(() => { go('${first}'); setTimeout(() => go('${second}'), 400); }, 400)">Go</button>`,
    );
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    expect(await surface.waitForFiles(testContext(15_000))).toEqual([]);
    expect(files.map(({ name }) => name)).toEqual(['first.csv', 'second.csv']);
    await surface.close();
  });

  test('does not wait for requests of a replaced page', async () => {
    withheld();
    const { surface } = await openPage('<a href="/late.csv" download>Go</a>');
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    await kit.act(surface, { action: 'navigate', url: kit.serve('/next', '<p>Next</p>') });
    // The deadline is later than the time limit of a test.
    expect(await surface.waitForFiles(testContext(600_000))).toEqual([]);
    await surface.close();
  });

  test('names downloads that failed, until another one of that name succeeds', async () => {
    let isBroken = true;
    const url = kit.serve('/broken.csv', (_, response) => {
      if (!isBroken) return void response.writeHead(200, asFile).end('a,b\n');
      response.writeHead(200, { ...asFile, 'content-length': '100' });
      response.write('a,');
      setTimeout(() => response.destroy(), 200);
    });
    const { surface, files } = await openPage(`<a href="${url}">Go</a>`);
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    expect(await surface.waitForFiles(testContext(15_000))).toEqual([{ name: 'late.csv', hasFailed: true }]);
    isBroken = false;
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    expect(await surface.waitForFiles(testContext(15_000))).toEqual([]);
    expect(files).toMatchObject([{ name: expect.stringContaining('late.csv') }]);
    await surface.close();
  });

  test('names incomplete downloads at the deadline', async () => {
    const endless = (_: unknown, response: ServerResponse) => {
      response.writeHead(200, asFile);
      response.write('a,');
    };
    const { surface, files } = await openPage(`<a href="${kit.serve('/endless.csv', endless)}">Go</a>`);
    await kit.act(surface, { action: 'click', target: { text: 'Go' } });
    expect(await surface.waitForFiles(testContext(4000))).toEqual([{ name: 'late.csv', hasFailed: false }]);
    expect(files).toEqual([]);
    await surface.close();
  });
});

test('pdf stores the printed page', async () => {
  const { surface, files } = await openPage('<h1>Receipt</h1>');
  await kit.act(surface, { action: 'pdf', label: 'receipt' });
  expect(files).toMatchObject([{ kind: 'data', name: 'receipt.pdf', contentType: 'application/pdf' }]);
  expect((await readFile(files[0]?.path ?? '', 'latin1')).slice(0, 5)).toBe('%PDF-');
  expect(await surface.save(testContext(10_000))).not.toBeNull();
  await surface.close();
});

test('a file that cannot be written fails the step, without the path of the worker', async () => {
  await writeFile(join(kit.folder, 'file'), '');
  const surface = await kit.open({ folder: join(kit.folder, 'file/attempt') });
  await expect(kit.act(surface, { action: 'pdf' })).rejects.toMatchObject({
    code: 'UPLOAD_FAILED',
    message: 'The worker could not write page.pdf: ENOTDIR',
  });
  await surface.close();
});

test.each([
  ['a disabled input', '<input id="f" type="file" disabled>'],
  ['an input of a disabled group', '<fieldset disabled><input id="f" type="file" hidden></fieldset>'],
  ['an input with aria-disabled', '<input id="f" type="file" aria-disabled="true">'],
])('refuses to upload to %s', async (_, body) => {
  const { surface } = await openPage(`${body}<script>f.oninput = () => { document.title = 'got'; };</script>`);
  const action = { action: 'upload', target: { css: '#f' }, file: 'an-id' } as const;
  expect(await expectFailure(kit.act(surface, action, testContext(1000)))).toMatchObject({
    code: 'TARGET_NOT_ACTIONABLE',
    message: expect.stringContaining('it is disabled'),
  });
  expect(await kit.title(surface)).not.toBe('got');
  await surface.close();
});

test('waits until a hidden file input is enabled', async () => {
  const path = join(kit.folder, 'late.txt');
  await writeFile(path, 'late');
  const { surface } = await openPage(
    `<input id="f" type="file" disabled hidden><script>f.oninput = () => { document.title = 'got ' + f.files[0].name; }; setTimeout(() => { f.disabled = false; }, 300);</script>`,
  );
  const action = { action: 'upload', target: { css: '#f' }, file: 'an-id' } as const;
  await kit.act(surface, action, testContext(10_000, { file: async () => path }));
  expect(await kit.title(surface)).toBe('got late.txt');
  await surface.close();
});

test('uploads through a button that opens a file chooser', async () => {
  const path = join(kit.folder, 'paper.txt');
  await writeFile(path, 'paper');
  const { surface } = await openPage(
    `<button onclick="const f = document.createElement('input'); f.type = 'file'; f.onchange = () => { this.nextSibling.textContent = f.files[0].name; }; f.click()">Attach</button><b></b>`,
  );
  await kit.act(
    surface,
    { action: 'upload', target: { text: 'Attach' }, file: 'an-id' },
    testContext(15_000, { file: async () => path }),
  );
  await surface.expect({ text: 'paper.txt' }, testContext(10_000));
  await surface.close();
});
