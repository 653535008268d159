// `helm test`: serves a page with a form, has a worker fill it in, and checks the result. With a fleet of desktops it also has a text
// editor write a file.
// Arguments: URL of the API, address of this pod, file with an API key, name of a fleet (or nothing), name of a fleet of desktops (or nothing).
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [API, POD_IP, KEY_FILE, FLEET, DESKTOP_FLEET] = process.argv.slice(2);
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

function expect(what, seen, wanted) {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
  console.log(`ok  ${what}: ${a}`);
}

/** Submits a run. @returns a function that waits for its end */
async function submit(name, body) {
  let run = await call('POST', '/v1/runs', { ...body, labels: { source: 'helm-test' } });
  console.log(`the run ${run.id} ${name} is submitted`);
  return async () => {
    while (!['completed', 'failed', 'cancelled'].includes(run.status)) {
      if (Date.now() - started > 240_000)
        throw new Error(
          `the run ${name} is ${run.status} after 240 s: ${JSON.stringify(await call('GET', '/v1/fleets'))}`,
        );
      run = await call('GET', `/v1/runs/${run.id}?wait=20`).catch(async (error) => {
        // On a busy cluster the API or its database may not answer for a moment.
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
  const site = `http://${POD_IP.includes(':') ? `[${POD_IP}]` : POD_IP}:${PORT}/`;
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
      { action: 'navigate', url: site },
      { action: 'fill', target: { label: 'Name' }, text: 'Ada Lovelace' },
      { action: 'click', target: { role: 'button', name: 'Sign' }, expect: { text: 'Welcome aboard' } },
      { id: 'heading', action: 'extract', target: { role: 'heading' }, value: {} },
    ],
  });
  const run = await onPage();
  const steps = await call('GET', `/v1/runs/${run.id}/steps`);
  expect('what was read', steps.items.at(-1).value, 'Welcome aboard, Ada Lovelace');
  expect('the form was sent', signed, ['Ada Lovelace']);
  const { items } = await call('GET', `/v1/runs/${run.id}/artifacts`);
  expect('screenshots that were kept', items.length, 4);
  // Links to the API have its public address, which is replaced. Links to an external store are unchanged.
  const link = new URL(items[0].url);
  const image = await fetch(link.pathname.startsWith('/v1/') ? new URL(link.pathname + link.search, API) : link);
  expect('one of them, from the store', [image.status, image.headers.get('content-type')], [200, 'image/jpeg']);
  if (onDesktop) {
    const { output } = await onDesktop();
    expect('the text in the editor', output.text, TEXT);
  }
  console.log(`all runs ended after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  process.exit(0);
} catch (error) {
  console.error(String(error?.stack ?? error));
  process.exit(1);
}
