import { consoleLineSchema, harSchema } from '@pilothouse/contract/run/capture.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { findChromium, BrowserHost } from '@pilothouse/surface-browser';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { TestServer } from '@pilothouse/testing/test-server';
import { chromium } from 'playwright-core';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';
import type { FfmpegConfig } from './video-encoder.ts';

const secret = 'hush & "hush" 4711';
const page = (title: string, body: string) => `<!doctype html><title>${title}</title>${body}`;

/** Exposes its secret everywhere a page can: in its console, in an address, in headers and bodies. */
const login = page(
  'Log in',
  `<form method="post" action="/in"><label>Note <input name="note"></label><button>Send</button></form>
  <script>
    console.log('ready', { a: 1 });
    document.querySelector('input').addEventListener('change', async ({ target: { value } }) => {
      console.warn('typed ' + value);
      const answer = await fetch('/api?q=' + encodeURIComponent(value), { method: 'POST', headers: { authorization: 'Bearer t0ken' + '-of-page', 'content-type': 'application/json' }, body: JSON.stringify({ value }) });
      await answer.text();
      setTimeout(() => { document.title = 'Told'; throw new Error('not caught: ' + value); });
    });
  </script>`,
);

/** A page whose color shows the time: red, then green, then blue, two seconds each. */
const moving = page(
  'Moving',
  `<body style="background: #f00"><script>
    setTimeout(() => (document.body.style.background = '#0f0'), 4000);
    setTimeout(() => { document.body.style.background = '#00f'; document.title = 'Moved'; }, 6000);
  </script>`,
);

let site: TestServer;
let origin: string;
let host: BrowserHost;

beforeAll(async () => {
  site = new TestServer((request, response) => {
    const path = request.url?.split('?')[0];
    request.resume();
    if (path === '/api') {
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'sid=c00kie-of-site; HttpOnly; Path=/',
      });
      return response.end(JSON.stringify({ echo: secret, sessionToken: 't0ken-of-site', items: [1, 2] }));
    }
    if (path === '/in') {
      response.writeHead(303, { location: '/done' });
      return response.end();
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    const pages: Record<string, string> = {
      '/login': login,
      '/moving': moving,
      '/still': page('Still', '<h1>Still</h1>'),
      '/red': page('Red', '<body style="background: #f00">'),
      '/green': page('Green', '<body style="background: #0f0"><button onclick="window.open(\'/red\')">Open</button>'),
    };
    response.end(pages[path ?? ''] ?? page('Done', `<h1>Done ${secret}</h1>`));
  });
  await site.start();
  origin = site.origin;
  host = new BrowserHost(headlessShellOptions());
}, 60_000);

afterAll(async () => {
  await host.close();
  await site.stop();
});

describe('debug artifacts of a run', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let worker: Worker;
  const encoder: FfmpegConfig = {
    path: 'ffmpeg',
    environment: { PATH: `/usr/bin${delimiter}/usr/local/bin${delimiter}/opt/homebrew/bin` },
  };

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    gateway.secrets.set('note', secret);
    root = await mkdtemp(join(tmpdir(), 'pilothouse-traces-spec-'));
  });

  afterEach(async () => {
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  type Steps = WorkflowDefinitionInput['steps'];
  const run = async (
    steps: Steps,
    record: Assignment['capture'],
    fields: Partial<Assignment> = {},
    ffmpeg?: FfmpegConfig,
  ) => {
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host, ffmpeg: ffmpeg ?? encoder });
    await gateway.until(() => gateway.all('ready').length > 0);
    const assignment = buildAssignment({ steps }, { capture: record, ...fields });
    gateway.assign(assignment);
    await gateway.until(() => gateway.log.outcome(assignment) !== undefined, 'the run ends');
    return assignment;
  };
  const names = () => gateway.all('upload.request').map(({ kind, name }) => `${kind} ${name}`);
  /** Text of the one file with this prefix. */
  const onlyBodyWith = (prefix: string) => {
    const bodies = [...gateway.files.objects.values()].map(({ body }) => body);
    const [firstBody, ...others] = bodies.filter((body) => body.toString('latin1', 0, 40).includes(prefix));
    expect(others).toEqual([]);
    return firstBody ?? Buffer.alloc(0);
  };
  const [HAR, CONSOLE, VIDEO] = ['{"log":', '{"at":', 'ftyp'];

  const steps = (): Steps => [
    { action: 'navigate', url: `${origin}/login` },
    { action: 'fill', target: { label: 'Note' }, text: '{{inputs.note}}' },
    { action: 'press', key: 'Tab' },
    { action: 'waitFor', condition: { title: 'Told' } },
    { action: 'click', target: { role: 'button' }, expect: { text: 'Done' } },
  ];

  test('requests and console are stored without secrets, also when the run fails', async () => {
    const failing: Steps = [...steps(), { action: 'assert', condition: { text: 'never' }, timeout: 0.1 }];
    const assignment = await run(failing, { screenshots: 'none', har: 'bodies', console: true }, { secrets: ['note'] });
    expect(gateway.log.outcome(assignment)).toMatchObject({ status: 'failed', step: 5 });
    expect(names()).toEqual(['trace network-1.har', 'trace console-1.jsonl']);

    const text = onlyBodyWith(HAR).toString();
    const { log } = harSchema.parse(JSON.parse(text));
    // A browser requests a favicon at any time, or never.
    const requested = log.entries.filter(({ request }) => !request.url.endsWith('/favicon.ico'));
    expect(
      requested.map(({ request, response }) => [request.method, new URL(request.url).pathname, response.status]),
    ).toEqual([
      ['GET', '/login', 200],
      ['POST', '/api', 200],
      ['POST', '/in', 303],
      ['GET', '/done', 200],
    ]);
    const api = log.entries.find(({ request }) => request.url.includes('/api'));
    expect(api?.request.postData?.text).toBe('{"value":"••••"}');
    expect(api?.request.headers).toContainEqual({ name: 'authorization', value: '••••' });
    expect(JSON.parse(api?.response.content.text ?? '')).toEqual({ echo: '••••', sessionToken: '••••', items: [1, 2] });
    expect(api?.response.cookies).toEqual([{ name: 'sid', value: '••••', path: '/', httpOnly: true, secure: false }]);
    expect(api?.timings.wait).toBeGreaterThanOrEqual(0);

    const lines = onlyBodyWith(CONSOLE).toString().trim().split('\n');
    const consoleLines = lines.map((line) => consoleLineSchema.parse(JSON.parse(line)));
    expect(consoleLines.map(({ type, text: words }) => [type, words.split('\n')[0]])).toEqual([
      ['log', 'ready {a: 1}'],
      ['warning', 'typed ••••'],
      ['uncaught', 'Error: not caught: ••••'],
    ]);
    for (const trace of ['hush', 't0ken-of', 'c00kie-of', encodeURIComponent(secret)])
      expect(text + lines.join('')).not.toContain(trace);
  }, 60_000);

  test('Playwright can replay an archive with bodies', async () => {
    await run([{ action: 'navigate', url: `${origin}/still` }], { screenshots: 'none', har: 'bodies' });
    const file = join(root, 'still.har');
    await writeFile(file, onlyBodyWith(HAR));
    const browser = await chromium.launch({
      executablePath: findChromium(undefined, ['/usr/bin/chromium']),
      chromiumSandbox: false,
    });
    try {
      const context = await browser.newContext({ offline: true });
      await context.routeFromHAR(file, { notFound: 'abort' });
      const replayedPage = await context.newPage();
      await replayedPage.goto(`${origin}/still`);
      expect(await replayedPage.textContent('h1')).toBe('Still');
    } finally {
      await browser.close();
    }
  }, 60_000);

  test('an archive without bodies contains none', async () => {
    await run(steps(), { screenshots: 'none', har: 'headers' }, { secrets: ['note'] });
    const { log } = harSchema.parse(JSON.parse(onlyBodyWith(HAR).toString()));
    expect(
      log.entries
        .flatMap(({ request, response }) => [request.postData?.text ?? '', response.content.text ?? ''])
        .join(''),
    ).toBe('');
  }, 60_000);

  /** Properties of a video, from ffprobe. */
  const probe = async (body: Buffer) => {
    const file = join(root, 'kept.mp4');
    await writeFile(file, body);
    const args = [
      '-v',
      'error',
      '-count_frames',
      '-show_entries',
      'stream=codec_name,width,height,nb_read_frames:format=duration',
      '-of',
      'json',
      file,
    ];
    const { streams, format } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
      streams: { codec_name: string; width: number; height: number; nb_read_frames: string }[];
      format: { duration: string };
    };
    return { file, ...streams[0], frames: Number(streams[0]?.nb_read_frames), seconds: Number(format.duration) };
  };
  /** Color of the middle at each tenth of a second: r, g or b. */
  const colorsOf = (file: string): string => {
    const args = [
      '-v',
      'error',
      '-i',
      file,
      '-vf',
      'fps=10,crop=8:8,scale=1:1',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-',
    ];
    const pixels = [...execFileSync('ffmpeg', args)];
    return Array.from({ length: pixels.length / 3 }, (_, index) => {
      const [red = 0, green = 0, blue = 0] = pixels.slice(3 * index);
      return red > 200 && green > 200 ? 'w' : red > 200 ? 'r' : green > 200 ? 'g' : blue > 200 ? 'b' : '?';
    }).join('');
  };

  test('a video shows the changes of a page in real time, with few frames', async () => {
    const assignment = await run(
      [
        { action: 'navigate', url: `${origin}/moving` },
        { action: 'waitFor', condition: { title: 'Moved' } },
        { action: 'wait', seconds: 1.5 },
      ],
      { screenshots: 'none', video: 'small' },
    );
    expect(gateway.log.of(assignment).filter(({ type }) => type === 'run.log')).toEqual([]);
    expect(names()).toEqual(['video video-1.mp4']);
    const { file, frames, seconds, ...video } = await probe(onlyBodyWith(VIDEO));
    expect(video).toMatchObject({ codec_name: 'h264', width: 640, height: 400 });
    // Green and blue take 3.5 seconds. The length of the red part depends on the start of the recording.
    expect(seconds).toBeGreaterThan(3.5);
    expect(frames).toBeGreaterThanOrEqual(3);
    expect(frames).toBeLessThan(12);
    expect(colorsOf(file)).toMatch(/^w*r+\??g+\??b+$/);
  }, 60_000);

  test('a video follows the current page, in its size', async () => {
    await run(
      [
        { action: 'navigate', url: `${origin}/green` },
        { action: 'wait', seconds: 3 },
        { action: 'click', target: { role: 'button' }, expect: { url: '/red' } },
        // A failed start is retried after a second.
        { action: 'wait', seconds: 5 },
        { action: 'closeTab' },
        { action: 'wait', seconds: 5 },
      ],
      { screenshots: 'none', video: 'full' },
    );
    const { file, ...video } = await probe(onlyBodyWith(VIDEO));
    expect(video).toMatchObject({ width: 1280, height: 800 });
    expect(colorsOf(file)).toMatch(/^w*g+[w?]*r+[w?]*g+$/);
  }, 60_000);

  test('a run that is handed back stores its artifacts so far', async () => {
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host, ffmpeg: encoder });
    await gateway.until(() => gateway.all('ready').length > 0);
    const waiting: Steps = [
      { action: 'navigate', url: `${origin}/green` },
      { action: 'waitFor', condition: { text: 'never' }, timeout: 60 },
    ];
    const record = { screenshots: 'none', video: 'small', console: true } as const;
    const assignment = buildAssignment({ steps: waiting }, { capture: record });
    gateway.assign(assignment);
    await gateway.until(() => gateway.log.of(assignment).filter(({ type }) => type === 'step.started').length === 2);
    worker.abort('The machine goes away');
    await gateway.until(() => gateway.all('handback').length > 0, 'the run is handed back');
    expect(names().sort()).toEqual(['trace console-1.jsonl', 'video video-1.mp4']);
    expect((await probe(onlyBodyWith(VIDEO))).frames).toBeGreaterThanOrEqual(2);
    expect(gateway.all('upload.done')).toHaveLength(2);
  }, 60_000);

  test('without ffmpeg the run reports that it has no video, and continues', async () => {
    const nowhere = { path: 'ffmpeg', environment: { PATH: root } };
    const steps: Steps = [{ action: 'navigate', url: `${origin}/moving` }];
    const assignment = await run(steps, { screenshots: 'none', video: 'small' }, {}, nowhere);
    expect(gateway.log.outcome(assignment)).toMatchObject({ status: 'completed' });
    expect(names()).toEqual([]);
    expect(gateway.log.of(assignment).find(({ type }) => type === 'run.log')).toMatchObject({
      level: 'warn',
      message:
        'No video for this attempt: ffmpeg is not on the PATH of the worker (Debian, Ubuntu: apt-get install ffmpeg)',
    });
  }, 60_000);

  test('screenshots are taken around each step, and a later attempt stores its own', async () => {
    const record = { screenshots: 'before-and-after', console: true } as const;
    await run(
      [
        { action: 'navigate', url: `${origin}/green` },
        { action: 'click', id: 'open', target: { role: 'button' } },
      ],
      record,
      { epoch: 3 },
    );
    expect(names()).toEqual([
      'screenshot 01-navigate-before.jpg',
      'screenshot 01-navigate.jpg',
      'screenshot 02-open-before.jpg',
      'screenshot 02-open.jpg',
      'trace console-3.jsonl',
    ]);
  }, 60_000);
});
