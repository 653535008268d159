import type { BrowserOptions, FieldError, WorkflowDefinition, WorkflowInput } from '@pilothouse/contract';
import { BlockWriter } from './playwright-blocks.ts';
import { indented, stringLiteral, Writer } from './code-writer.ts';

/** A test of a workflow. */
export interface ExportedTest {
  /** A file for @playwright/test, in TypeScript. */
  readonly source: string;
  /** Unsupported parts by their location in the workflow. If there are any, the source is incomplete. */
  readonly problems: readonly FieldError[];
}

/** Milliseconds that an action may take, as in a run. */
const STEP_MS = 30_000;
/** Default timeout of a test in seconds. */
const TEST_SECONDS = 600;

/**
 * Writes a workflow as a test of Playwright. Inputs and secrets come from the environment; templates become code.
 * @throws PilothouseError TEMPLATE_INVALID for an unvalidated definition
 */
export function exportPlaywright(definition: WorkflowDefinition): ExportedTest {
  const { name, title, description, inputs, steps, workflows, output, browser, timeout } = definition;
  const writer = new Writer();
  writer.inputs = inputs;
  const body = new BlockWriter(writer, workflows).list(steps, '/steps');
  const inputLines = Object.entries(inputs).map(
    ([inputName, input]) => `${inputName}: ${inputCode(writer, inputName, input)},`,
  );
  const browserOptions = browserCode(writer, browser);
  const bodyText = body.join('\n');
  const changesPage = /^[^\S\n]*page = /m.test(bodyText);
  const result =
    output === undefined
      ? []
      : [
          `await test.info().attach('output', { body: JSON.stringify(${writer.value(output)}), contentType: 'application/json' });`,
        ];
  const routeLines = (browser?.blockUrls ?? []).map(
    (pattern) =>
      `await page.context().route(${writer.use('matching')}(${writer.text(pattern)}), (route) => route.abort());`,
  );
  const code = [...body, ...result].join('\n');
  const fixtures = [changesPage ? 'page: first' : 'page', ...(/\brequest\.fetch\(/.test(code) ? ['request'] : [])];
  const helpers = writer.helpers;
  const types = ['APIResponse', 'Download', 'Locator', 'Page'].filter((type) =>
    [...helpers, ...(/\(page: Page\b/.test(bodyText) ? ['Page'] : [])].some((code) => code.split(/\W+/).includes(type)),
  );
  const lines = [
    `import { expect, test${types.map((type) => `, type ${type}`).join('')} } from '@playwright/test';`,
    '',
    ...comment(
      `${title ?? name}: made of the workflow ${name} by Pilothouse. What a run knows besides (takeovers, budgets, evidence, limits of sites) is not in it.`,
    ),
    ...(description ? comment(description) : []),
    ...helpers.flatMap((helper) => ['', ...helper.split('\n')]),
    ...(inputLines.length > 0 ? ['', 'const inputs = {', ...indented(inputLines), '};'] : []),
    '',
    `test.use({ actionTimeout: ${STEP_MS}, navigationTimeout: ${STEP_MS}${browserOptions} });`,
    '',
    `test(${stringLiteral(title ?? name)}, async ({ ${fixtures.join(', ')} }) => {`,
    ...indented([
      `test.setTimeout(${Math.round((timeout ?? TEST_SECONDS) * 1000)});`,
      ...(changesPage ? ['let page = first;'] : []),
      ...(/\bsteps\./.test(code) ? ['const steps: Record<string, any> = {};'] : []),
      ...(/\bvars\./.test(code) ? ['const vars: Record<string, any> = {};'] : []),
      ...(/\brun\./.test(code) ? ['const run = { id: test.info().testId, epoch: 1 };'] : []),
      ...routeLines,
      ...body,
      ...result,
    ]),
    '});',
    '',
  ];
  return { source: lines.join('\n'), problems: writer.problems };
}

/** Name of the environment variable of an input. */
export const inputEnvName = (name: string): string =>
  `INPUT_${name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}`;

function inputCode(writer: Writer, name: string, { type, default: initial, optional, secret }: WorkflowInput): string {
  const variable = stringLiteral(inputEnvName(name));
  const isText = type === 'string' || type === 'file';
  if (optional && initial === undefined) {
    const read = `process.env[${variable}]`;
    return isText ? `${read} ?? null` : `${read} === undefined ? null : JSON.parse(${read} ?? 'null')`;
  }
  const defaultArgument =
    initial === undefined || secret
      ? ''
      : `, ${stringLiteral(isText && typeof initial === 'string' ? initial : JSON.stringify(initial))}`;
  const read = `${writer.use('env')}(${variable}${defaultArgument})`;
  return isText ? read : `JSON.parse(${read})`;
}

/** Browser options of the test. */
function browserCode(writer: Writer, browser: BrowserOptions | undefined): string {
  if (!browser) return '';
  const { viewport, device, userAgent, locale, timezoneId, geolocation, permissions, httpCredentials } = browser;
  if (device !== undefined)
    writer.reportUnsupported('/browser/device', 'choose the device by a project of your playwright.config.ts');
  if (browser.profile !== undefined)
    writer.reportUnsupported(
      '/browser/profile',
      'sign in by a setup project of your playwright.config.ts, and name its `storageState`',
    );
  const grantedPermissions = [...(permissions ?? []), ...(geolocation ? ['geolocation'] : [])];
  const options = [
    viewport && `viewport: ${JSON.stringify(viewport)}`,
    userAgent !== undefined && `userAgent: ${writer.text(userAgent)}`,
    locale !== undefined && `locale: ${writer.text(locale)}`,
    timezoneId !== undefined && `timezoneId: ${writer.text(timezoneId)}`,
    geolocation && `geolocation: ${JSON.stringify(geolocation)}`,
    grantedPermissions.length > 0 && `permissions: ${JSON.stringify([...new Set(grantedPermissions)])}`,
    httpCredentials &&
      `httpCredentials: { origin: ${writer.text(httpCredentials.origin)}, username: ${writer.text(httpCredentials.username)}, password: ${writer.text(httpCredentials.password)} }`,
  ].filter((option) => typeof option === 'string');
  return options.map((option) => `, ${option}`).join('');
}

/** Converts any text to comment lines. */
const comment = (text: string) =>
  text.split(/[\n\r\u2028\u2029]+/).flatMap((line) => (line.trim() === '' ? [] : [`// ${line.trim()}`]));
