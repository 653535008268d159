import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowDefinitionSchema, type WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { exportPlaywright } from '@pilothouse/core/import-export/playwright-test';
import { checkDefinitionOrThrow } from '@pilothouse/core/workflow/lint/lint-workflow';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { bundleOf, root } from './harness/bundles.ts';
import { chromiumPath } from './harness/servers.fixture.ts';
import { Site } from './harness/demo-site.ts';

/*
 * Runs workflows that were exported as Playwright tests, against the demo site.
 */
describe('a workflow exported as a Playwright test', () => {
  let site: Site;
  let folder: string;
  beforeAll(async () => {
    site = await Site.start(await bundleOf('site'));
    folder = await mkdtemp(join(tmpdir(), 'pilothouse-playwright-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    const launchOptions = {
      executablePath: chromiumPath(),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    };
    const config = { testDir: '.', workers: 1, reporter: 'json', use: { launchOptions } };
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    await writeFile(join(folder, 'playwright.config.ts'), `export default ${JSON.stringify(config)};\n`);
  });
  afterAll(async () => {
    await site?.program.stop();
    await rm(folder, { recursive: true, force: true });
  });

  interface Report {
    readonly suites: {
      specs: {
        ok: boolean;
        tests: { results: { errors: { message: string }[]; attachments: { name: string; body?: string }[] }[] }[];
      }[];
    }[];
  }

  /** Runs the test. @returns its result, output and errors */
  async function run(name: string, source: string, env: Readonly<Record<string, string>>) {
    await writeFile(join(folder, `${name}.spec.ts`), source);
    const args = [join(root, 'node_modules/@playwright/test/cli.js'), 'test', `${name}.spec.ts`];
    const text = await new Promise<string>((resolve) =>
      execFile(
        process.execPath,
        args,
        { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, timeout: 120_000, maxBuffer: 50e6 },
        (_error, stdout) => resolve(stdout),
      ),
    );
    const report = JSON.parse(text) as Report;
    const spec = report.suites[0]?.specs[0];
    const result = spec?.tests[0]?.results[0];
    const output = result?.attachments.find((attachment) => attachment.name === 'output')?.body;
    return {
      ok: spec?.ok ?? false,
      errors: (result?.errors ?? []).map(({ message }) => message).join('\n'),
      output: output === undefined ? undefined : (JSON.parse(Buffer.from(output, 'base64').toString()) as unknown),
    };
  }

  const example = (name: string) => {
    const file = join(root, 'docs/examples', name);
    return workflowDefinitionSchema.parse(parseWorkflow(readFileSync(file, 'utf8'), { file }));
  };
  const exported = (workflow: WorkflowDefinitionInput) => {
    const definition = workflowDefinitionSchema.parse(workflow);
    checkDefinitionOrThrow(definition);
    return exportPlaywright(definition);
  };

  test('branches with separate pages run in parallel', async () => {
    const heading = (path: string) => [
      { action: 'navigate' as const, url: `${site.url}${path}` },
      { id: 'heading', action: 'extract' as const, target: { css: 'h1' }, value: {} },
    ];
    const { source, problems } = exported({
      name: 'beside',
      steps: [{ id: 'both', action: 'parallel', branches: { login: heading('/login'), home: heading('/') } }],
      output: ['{{steps.both.value.login.heading}}', '{{steps.both.value.home.heading}}'],
    });
    expect(problems).toEqual([]);
    const { ok, errors, output } = await run('beside', source, {});
    expect(errors).toBe('');
    expect(ok).toBe(true);
    expect(output).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  });

  test('the example places its order once, with the password from the environment', async () => {
    const { source, problems } = exportPlaywright(example('harbour-order.yaml'));
    expect(problems).toEqual([]);
    expect(source).not.toContain(DEMO_ACCOUNT.password);
    const { ok, errors, output } = await run('order', source, {
      INPUT_SITE_URL: site.url,
      INPUT_PASSWORD: DEMO_ACCOUNT.password,
      INPUT_QUANTITY: '7',
      INPUT_PURCHASE_ORDER: join(root, 'docs/examples/purchase-order.pdf'),
    });
    expect(errors).toBe('');
    expect(ok).toBe(true);
    const orders = await site.ledger('order');
    expect(orders).toHaveLength(1);
    expect(orders[0]?.detail).toMatchObject({ quantity: 7 });
    expect(output).toMatchObject({ order: expect.stringMatching(/^HS-\d+$/), total: expect.any(Number) });
    const { catalogue } = output as { catalogue: { sku: string }[] };
    expect(new Set(catalogue.map(({ sku }) => sku)).size).toBe(42);
    expect(catalogue).toHaveLength(42);
  });

  test('tabs, dialogs, frames, drags, choices, files and a profile', async () => {
    const lastEvent = { css: '#last-event' };
    const extractLastEvent = (id: string) => ({ id, action: 'extract' as const, target: lastEvent, value: {} });
    const { source, problems } = exported({
      name: 'widgets',
      inputs: { password: { type: 'string', secret: true }, paper: { type: 'file' } },
      browser: { permissions: ['clipboard-read', 'clipboard-write'] },
      steps: [
        { action: 'navigate', url: `${site.url}/public/widgets` },
        { action: 'handleDialog', accept: true },
        { action: 'click', target: { role: 'button', name: 'Ask by the browser' } },
        extractLastEvent('accepted'),
        { action: 'handleDialog', accept: false },
        { action: 'click', target: { role: 'button', name: 'Ask by the browser' } },
        extractLastEvent('declined'),
        { action: 'click', target: { role: 'button', name: 'Ask by the browser' } },
        extractLastEvent('unsaid'),
        {
          action: 'fill',
          target: { label: 'Call sign', within: { css: 'main iframe[title="Gallery frame"]' } },
          text: 'PH-1',
        },
        {
          id: 'inside',
          action: 'extract',
          target: { label: 'Call sign', within: { css: 'iframe' } },
          value: {},
        },
        { action: 'drag', target: { role: 'button', name: 'Crate' }, to: { role: 'region', name: 'Hold' } },
        extractLastEvent('dropped'),
        { action: 'click', target: { text: 'Double-click me' }, count: 2 },
        extractLastEvent('double'),
        { action: 'click', target: { text: 'Right-click me' }, button: 'right' },
        extractLastEvent('right'),
        { action: 'check', target: { label: 'Dangerous goods on board' } },
        extractLastEvent('checked'),
        { action: 'uncheck', target: { label: 'Dangerous goods on board' } },
        { action: 'selectOption', target: { label: 'Services' }, option: ['Water', 'Waste'] },
        extractLastEvent('chosen'),
        { action: 'selectOption', target: { label: 'Berth', exact: true }, option: '2', by: 'index' },
        extractLastEvent('berth'),
        { action: 'type', target: { label: 'Vessel name' }, text: 'Ros' },
        { action: 'fill', target: { label: 'Vessel name' }, text: 'ina', append: true },
        { id: 'vessel', action: 'extract', target: { label: 'Vessel name' }, value: {} },
        { action: 'clear', target: { label: 'Vessel name' } },
        { action: 'upload', target: { label: 'Manifest' }, file: '{{inputs.paper}}' },
        extractLastEvent('uploaded'),
        { action: 'scroll', to: 'bottom' },
        { action: 'hover', target: { text: 'Hover for the tide' }, expect: { visible: { role: 'tooltip' } } },
        { action: 'click', target: { css: 'gallery-counter button' } },
        extractLastEvent('shadow'),
        { action: 'writeClipboard', text: 'HS-4711' },
        { id: 'pasted', action: 'readClipboard' },
        { action: 'click', target: { text: 'Open in a new tab' } },
        { action: 'switchTab', url: '/widgets/frame' },
        { action: 'fill', target: { label: 'Call sign' }, text: 'in the tab' },
        { id: 'other', action: 'extract', target: { label: 'Call sign' }, value: {} },
        { action: 'switchTab', index: 0, expect: { title: 'Widget gallery' } },
        { action: 'switchTab', title: 'gallery frame' },
        { action: 'closeTab' },
        extractLastEvent('back'),
        { action: 'navigate', url: '/login?next=/orders' },
        { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
        { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/orders' } },
        { id: 'file', action: 'download', target: { text: 'Download CSV' } },
        { id: 'profile', action: 'saveProfile', name: 'harbour' },
        { action: 'pdf', label: 'orders' },
      ],
      output: {
        dialogs: ['{{steps.accepted.value}}', '{{steps.declined.value}}', '{{steps.unsaid.value}}'],
        frame: '{{steps.inside.value}}',
        said: [
          '{{steps.dropped.value}}',
          '{{steps.double.value}}',
          '{{steps.right.value}}',
          '{{steps.checked.value}}',
          '{{steps.chosen.value}}',
          '{{steps.berth.value}}',
          '{{steps.uploaded.value}}',
          '{{steps.shadow.value}}',
          '{{steps.back.value}}',
        ],
        vessel: '{{steps.vessel.value}}',
        pasted: '{{steps.pasted.value}}',
        other: '{{steps.other.value}}',
        file: '{{steps.file.value}}',
        profile: '{{steps.profile.value}}',
      },
    });
    expect(problems).toEqual([]);
    const { ok, errors, output } = await run('widgets', source, {
      INPUT_PASSWORD: DEMO_ACCOUNT.password,
      INPUT_PAPER: join(root, 'docs/examples/purchase-order.pdf'),
    });
    expect(errors).toBe('');
    expect(ok).toBe(true);
    expect(output).toEqual({
      dialogs: ['answered true', 'answered false', 'answered false'],
      frame: 'PH-1',
      said: [
        'dropped crate',
        'double click',
        'right click',
        'dangerous = true',
        'services = Water, Waste',
        'berth = n2',
        'manifest = purchase-order.pdf',
        'shadow 1',
        'shadow 1',
      ],
      vessel: 'Rosina',
      pasted: 'HS-4711',
      other: 'in the tab',
      file: { name: 'orders.csv', size: expect.any(Number) },
      profile: { name: 'harbour', version: 1, size: expect.any(Number) },
    });
  });

  test('a wrong expectation fails', async () => {
    const { source } = exported({
      name: 'wrong',
      steps: [{ action: 'navigate', url: `${site.url}/`, expect: { title: 'Nowhere' }, timeout: 2 }],
    });
    const { ok, errors } = await run('wrong', source, {});
    expect(ok).toBe(false);
    expect(errors).toContain('toHaveTitle');
  });

  test('control flow, requests, tabs and text that resembles code', async () => {
    const { source, problems } = exported({
      name: 'flow',
      title: 'A `title` with ${code} and "quotes"',
      description: 'One line\n*/ and another',
      browser: { userAgent: 'Flow/1.0', viewport: { width: 900, height: 700 } },
      inputs: {
        site: { type: 'string' },
        shown: { type: 'boolean', default: true },
        pages: { type: 'array', items: { type: 'string' }, default: ['/', '/login'] },
      },
      workflows: {
        look: {
          inputs: { at: { type: 'string' }, greeting: { type: 'string', default: 'Hello' } },
          steps: [
            { action: 'navigate', url: '{{inputs.at}}' },
            { id: 'title', action: 'extract', target: { css: 'h1' }, value: {} },
          ],
          output: '{{inputs.greeting}}: {{steps.title.value}}',
        },
      },
      steps: [
        { id: 'front', action: 'call', workflow: 'look', inputs: { at: '{{inputs.site}}/' } },
        {
          id: 'titles',
          action: 'forEach',
          in: 'inputs.pages',
          as: 'path',
          index: 'n',
          steps: [
            { action: 'navigate', url: '{{inputs.site}}{{vars.path}}' },
            { id: 'heading', action: 'extract', target: { css: 'h1' }, value: { pattern: '^\\S+' } },
          ],
          collect: { n: '{{vars.n}}', heading: '{{steps.heading.value}}' },
        },
        { id: 'form', action: 'checkCondition', condition: { visible: { label: 'E-mail' } } },
        { id: 'none', action: 'checkCondition', condition: { visible: { label: 'Nothing like it' } }, timeout: 0.2 },
        {
          action: 'group',
          if: { visible: { label: 'E-mail' } },
          steps: [{ action: 'fill', target: { label: 'E-mail' }, text: '`${1}` "x" \\ {{inputs.shown}}' }],
          else: [{ action: 'assert', condition: { text: 'never' } }],
        },
        { id: 'typed', action: 'extract', target: { label: 'E-mail' }, value: {} },
        {
          action: 'try',
          steps: [{ action: 'click', target: { role: 'button', name: 'Not there' }, timeout: 1 }],
          catch: [{ action: 'set', vars: { caught: true } }],
          finally: [{ action: 'navigate', url: '/public/widgets' }],
        },
        {
          action: 'loop',
          until: { url: '/public/widgets' },
          steps: [{ action: 'press', key: 'Escape' }],
        },
        { id: 'health', action: 'http', url: '{{inputs.site}}/healthz' },
        {
          id: 'both',
          action: 'parallel',
          branches: {
            up: { action: 'http', url: '{{inputs.site}}/healthz' },
            front: { action: 'http', url: '{{inputs.site}}/' },
          },
        },
        { action: 'observe' },
        { action: 'screenshot', label: 'end/of it' },
      ],
      output: {
        front: '{{steps.front.value}}',
        titles: '{{steps.titles.value}}',
        looked: ['{{steps.form.value}}', '{{steps.none.value}}'],
        typed: '{{steps.typed.value}}',
        caught: '{{vars.caught}}',
        health: '{{steps.health.value.body}}',
        both: ['{{steps.both.value.up.body.status}}', '{{steps.both.value.front.status}}'],
      },
    });
    expect(problems).toEqual([]);
    const { ok, errors, output } = await run('flow', source, { INPUT_SITE: site.url });
    expect(errors).toBe('');
    expect(ok).toBe(true);
    expect(output).toEqual({
      front: expect.stringMatching(/^Hello: Everything a vessel needs/),
      titles: [
        { n: 0, heading: 'Everything' },
        { n: 1, heading: 'Log' },
      ],
      looked: [true, false],
      typed: '`${1}` "x" \\ true',
      caught: true,
      health: { status: 'ok' },
      both: ['ok', 200],
    });
  });
});
