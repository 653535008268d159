/* Helper functions of generated tests. Each is included only if used, and must be readable on its own. */

interface Helper {
  readonly code: string;
  readonly needs: readonly HelperName[];
}

export type HelperName =
  | 'env'
  | 'toText'
  | 'containing'
  | 'matching'
  | 'firstOf'
  | 'passes'
  | 'tab'
  | 'read'
  | 'readTable'
  | 'readResponse'
  | 'saveDownload';

export const helpers: Readonly<Record<HelperName, Helper>> = {
  env: {
    needs: [],
    code: `/** A variable of the environment. */
function env(name: string, fallback?: string): string {
  const value = process.env[name] ?? fallback;
  if (value === undefined) throw new Error(\`Set \${name}\`);
  return value;
}`,
  },
  toText: {
    needs: [],
    code: `/** Converts a value to text. */
const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);`,
  },
  containing: {
    needs: [],
    code: `/** Matches texts that contain the text. */
const containing = (text: string, flags = '') => new RegExp(text.replace(/[.*+?^\${}()|[\\]\\\\]/g, '\\\\$&'), flags);`,
  },
  matching: {
    needs: [],
    code: `/** Matches the whole text; * matches anything. */
const matching = (pattern: string) =>
  new RegExp(\`^\${pattern.replace(/[.+?^\${}()|[\\]\\\\]/g, '\\\\$&').replaceAll('*', '.*')}$\`);`,
  },
  firstOf: {
    needs: [],
    code: `/** The first of several locators that finds something. */
async function firstOf(...locators: Locator[]): Promise<Locator> {
  let found: Locator | undefined;
  await expect(async () => {
    for (const locator of locators) {
      if ((await locator.count()) === 0) continue;
      found = locator;
      return;
    }
    throw new Error('No locator finds an element');
  }).toPass({ timeout: 30_000, intervals: [50, 100, 200] });
  return found as Locator;
}`,
  },
  passes: {
    needs: [],
    code: `/** True if the checks pass. */
async function passes(checks: () => Promise<void>): Promise<boolean> {
  return checks().then(
    () => true,
    () => false,
  );
}`,
  },
  tab: {
    needs: [],
    code: `/** Waits for a tab or window, and brings it to the front. */
async function tab(page: Page, is: (one: Page, index: number, all: Page[]) => Promise<boolean> | boolean): Promise<Page> {
  let found: Page | undefined;
  await expect(async () => {
    const all = page.context().pages();
    for (const [index, one] of all.entries()) if (await is(one, index, all)) found ??= one;
    if (!found) throw new Error('No tab matches');
  }).toPass({ timeout: 30_000 });
  await (found as Page).bringToFront();
  return found as Page;
}`,
  },
  read: {
    needs: [],
    code: `interface Field {
  css?: string;
  attribute?: string;
  type?: 'string' | 'number' | 'integer' | 'boolean';
  pattern?: string;
  optional?: boolean;
}

/** A value of the page; numbers by the decimal sign of its language. */
async function read(element: Locator, { css, attribute, type = 'string', pattern, optional }: Field, locale?: string): Promise<any> {
  const at = css === undefined ? element : element.locator(css);
  if (optional && (await at.count()) === 0) return null;
  const url = attribute === 'href' || attribute === 'src';
  let text = await (attribute === undefined
    ? at.evaluate((one: any) => (typeof one.value === 'string' && one.tagName !== 'LI' && one.tagName !== 'BUTTON' ? one.value : one.innerText))
    : url
      ? at.evaluate((one: any, name: string) => one[name] ?? null, attribute)
      : at.getAttribute(attribute));
  if (pattern !== undefined && typeof text === 'string') {
    const found = new RegExp(pattern, 'u').exec(text);
    text = found ? (found[1] ?? found[0]) : null;
  }
  if (text === null || (typeof text === 'string' && text.trim() === '' && type !== 'string')) {
    if (optional) return null;
    throw new Error('There is no value');
  }
  text = text.trim();
  if (type === 'string') return text;
  if (type === 'boolean') return /^(true|yes|on|1)$/i.test(text);
  const language = locale ?? (await element.page().evaluate(() => document.documentElement.lang)) ?? '';
  const sign = new Intl.NumberFormat(language || 'en').formatToParts(1.5).find((part) => part.type === 'decimal')?.value ?? '.';
  const digits = text.replace(/[^\\d.,\\-−]/g, '').replace('−', '-');
  const number = Number(digits.split(sign).map((part: string) => part.replace(/[.,]/g, '')).join('.'));
  if (digits === '' || Number.isNaN(number)) throw new Error(\`\${JSON.stringify(text)} is no number\`);
  if (type === 'integer' && !Number.isInteger(number)) throw new Error(\`\${JSON.stringify(text)} is no whole number\`);
  return number;
}`,
  },
  readTable: {
    needs: ['read'],
    code: `/** The rows of a table, by the texts of its column headers. */
async function readTable(table: Locator, columns: Record<string, Field & { header: string }>, locale?: string): Promise<any[]> {
  const plain = (text: string) => text.replace(/\\s+/g, ' ').trim().toLowerCase();
  const headers = (await table.locator('tr').first().locator('th, td').allInnerTexts()).map(plain);
  const rows: any[] = [];
  for (const row of await table.locator('tbody tr').filter({ visible: true }).all()) {
    const values: Record<string, unknown> = {};
    for (const [name, { header, ...field }] of Object.entries(columns)) {
      const index = headers.indexOf(plain(header));
      if (index < 0) throw new Error(\`The table has no column \${header}\`);
      values[name] = await read(row.locator('th, td').nth(index), field, locale);
    }
    rows.push(values);
  }
  return rows;
}`,
  },
  saveDownload: {
    needs: [],
    code: `/** Saves a download among the files of the test. */
async function saveDownload(download: Download): Promise<{ name: string; size: number }> {
  const name = download.suggestedFilename();
  const path = test.info().outputPath(name);
  await download.saveAs(path);
  const { stat } = await import('node:fs/promises');
  return { name, size: (await stat(path)).size };
}`,
  },
  readResponse: {
    needs: [],
    code: `/** Reads a response. Fails for an unexpected status. */
async function readResponse(response: APIResponse, statuses: number[] | null): Promise<any> {
  const status = response.status();
  if (statuses ? !statuses.includes(status) : !response.ok()) throw new Error(\`The status is \${status}\`);
  const text = await response.text();
  const isJson = /\\bjson\\b/.test(response.headers()['content-type'] ?? '');
  return { status, headers: response.headers(), body: isJson && text !== '' ? JSON.parse(text) : text };
}`,
  },
};
