// `helm test`: serves a page with a form, runs a workflow that fills it in, and checks the result. With a fleet of
// desktops it also runs a workflow that writes a file in a text editor.
// Arguments: URL of the API, host name of this page, file with an API key, browser fleet, desktop fleet. A fleet may be
// empty.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [API, HOST, KEY_FILE, FLEET, DESKTOP_FLEET] = process.argv.slice(2);
const KEY = readFileSync(KEY_FILE, 'utf8').trim();
const PORT = 7190;
const page = (body) => `<!doctype html><meta charset="utf-8"><title>Guest book</title><h1>${body}</h1>
<form action="/signed"><label>Name <input name="name"></label> <button>Sign</button></form>`;

const started = Date.now();
const signed = [];
createServer((request, response) => {
  const url = new URL(request.url, 'http://page');
  const name = url.searchParams.get('name') ?? '';
  if (url.pathname === '/signed') signed.push(name);
  const heading = url.pathname === '/signed' ? `Welcome aboard, ${name.replace(/[^\w ]/g, '')}` : 'Guest book';
  response.setHeader('content-type', 'text/html').end(page(heading));
}).listen(PORT);

async function call(method, path, body) {
  const response = await fetch(new URL(path, API), {
    method,
    headers: { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function expect(name, received, expected) {
  const [a, b] = [JSON.stringify(received), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${name}: received ${a}, expected ${b}`);
  console.log(`ok  ${name}: ${a}`);
}

/** Submits a run. @returns a function that waits until the run has finished */
async function submit(name, body) {
  let run = await call('POST', '/v1/runs', { ...body, labels: { source: 'helm-test' } });
  console.log(`submitted run ${run.id} ${name}`);
  return async () => {
    while (!['completed', 'failed', 'cancelled'].includes(run.status)) {
      if (Date.now() - started > 240_000)
        throw new Error(
          `run ${name} is still ${run.status} after 240 s: ${JSON.stringify(await call('GET', '/v1/fleets'))}`,
        );
      run = await call('GET', `/v1/runs/${run.id}?wait=20`).catch(async (error) => {
        // On a busy cluster a request can fail once.
        console.log(String(error));
        await once(AbortSignal.timeout(2_000), 'abort');
        return run;
      });
    }
    expect(`status of the run ${name}`, [run.status, ...(run.error ? [run.error] : [])], ['completed']);
    return run;
  };
}

/** Writes a file in a text editor, opens it again, and copies its text. */
const TEXT = 'Grüße: 5 € – „ok“';
const desktopSteps = [
  { action: 'openApp', app: 'org.xfce.mousepad', timeout: 60 },
  { action: 'type', text: TEXT },
  { action: 'press', key: 'Control+S' },
  { action: 'waitFor', condition: { title: 'Save As' } },
  { action: 'fillFileDialog', path: 'note.txt' },
  { action: 'waitFor', condition: { title: 'note.txt' } },
  { action: 'press', key: 'Control+A' },
  { action: 'press', key: 'Control+C' },
  { id: 'text', action: 'readClipboard' },
  { action: 'assert', condition: { visible: { role: 'textbox' } } },
];

try {
  const site = `http://${HOST}:${PORT}/`;
  // The name needs a moment until it leads here. Some networks do not connect a pod to itself: then the step retries.
  for (const end = Date.now() + 5_000; Date.now() < end; await once(AbortSignal.timeout(250), 'abort'))
    if (
      await fetch(site, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break;
  const onDesktop =
    DESKTOP_FLEET &&
    (await submit('on a desktop', {
      fleet: DESKTOP_FLEET,
      definition: {
        name: 'helm-test-desktop',
        surface: 'desktop',
        steps: desktopSteps,
        output: { text: '{{steps.text.value}}' },
      },
    }));
  const onPage = await submit('on a page', {
    ...(FLEET && { fleet: FLEET }),
    capture: { screenshots: 'on' },
    steps: [
      // The address of the name can need seconds to reach the node of the worker.
      { action: 'navigate', url: site, retry: { maxAttempts: 5, on: ['NAVIGATION_FAILED'] } },
      { action: 'fill', target: { label: 'Name' }, text: 'Ada Lovelace' },
      { action: 'click', target: { role: 'button', name: 'Sign' }, expect: { text: 'Welcome aboard' } },
      { id: 'heading', action: 'extract', target: { role: 'heading' }, value: {} },
    ],
  });
  const run = await onPage();
  const steps = await call('GET', `/v1/runs/${run.id}/steps`);
  expect('extracted heading', steps.items.at(-1).value, 'Welcome aboard, Ada Lovelace');
  expect('submitted form', signed, ['Ada Lovelace']);
  const { items } = await call('GET', `/v1/runs/${run.id}/artifacts`);
  expect('number of screenshots', items.length, 4);
  // Links to the API have its public address, which is replaced. Links to an external store are unchanged.
  const link = new URL(items[0].url);
  const image = await fetch(link.pathname.startsWith('/v1/') ? new URL(link.pathname + link.search, API) : link);
  expect('screenshot from the object store', [image.status, image.headers.get('content-type')], [200, 'image/jpeg']);
  if (onDesktop) {
    const { output } = await onDesktop();
    expect('text in the editor', output.text, TEXT);
  }
  console.log(`all runs finished after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  process.exit(0);
} catch (error) {
  console.error(String(error?.stack ?? error));
  process.exit(1);
}
