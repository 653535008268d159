import { configuration, runOver, type Sources } from './source-tree.ts';

interface FileReport {
  filePath: string;
  messages: { ruleId: string; message: string }[];
}

const violations: Record<string, { source: string; rule: string; message: RegExp }> = {
  'libs/core/src/type.ts': {
    source: "import { z } from 'zod';\nconst s = z.string();\nexport type S = z.infer<typeof s>;\n",
    rule: 'no-restricted-syntax',
    message: /libs\/contract only/,
  },
  'apps/api/src/env.ts': {
    source: 'export const port = process.env.PORT;\n',
    rule: 'no-restricted-syntax',
    message: /libs\/infra\/config only/,
  },
  'apps/api/src/env-import.ts': {
    source: "import { env } from 'node:process';\nexport const port = env.PORT;\n",
    rule: 'no-restricted-syntax',
    message: /libs\/infra\/config only/,
  },
  'apps/api/src/sql.ts': {
    source: "export const runs = (pool: { query(sql: string): unknown }) => pool.query('SELECT id FROM run');\n",
    rule: 'pilothouse/no-sql',
    message: /libs\/infra\/db only/,
  },
  'apps/api/src/not-found.ts': {
    source: "export const missing = (id: string) => new PilothouseError('NOT_FOUND', `Run ${id} not found`);\n",
    rule: 'pilothouse/not-found-period',
    message: /with a period/,
  },
  'libs/infra/blob/src/not-found.ts': {
    source: "export const missing = () => new PilothouseError('NOT_FOUND', 'Object not found');\n",
    rule: 'pilothouse/not-found-period',
    message: /with a period/,
  },
  'libs/core/src/surface-comparison.ts': {
    source: "export const isPaged = (surface: string) => surface === 'browser';\n",
    rule: 'pilothouse/no-surface-literal',
    message: /read a trait of `surfaceTraits`/,
  },
  'apps/console/app/surface-switch.tsx': {
    source:
      "export function noun(surface: string) {\n  switch (surface) {\n    case 'desktop':\n      return 1;\n    default:\n      return 2;\n  }\n}\n",
    rule: 'pilothouse/no-surface-literal',
    message: /read a trait of `surfaceTraits`/,
  },
  'libs/infra/queue/src/callback-name.ts': {
    source: 'export const double = (list: number[]) => list.map((one) => 2 * one);\n',
    rule: 'pilothouse/noun-names',
    message: /by a noun that says what it is, not "one"/,
  },
  'apps/worker/src/pattern-name.ts': {
    source: 'export const first = ({ times: [from = 0] }: { times: number[] }) => from;\n',
    rule: 'pilothouse/noun-names',
    message: /not "from"/,
  },
  'apps/cli/src/method-name.ts': {
    source: 'export interface Clock {\n  wait(until: number): void;\n}\n',
    rule: 'pilothouse/noun-names',
    message: /not "until"/,
  },
  'libs/infra/kube/src/function-name.ts': {
    source: 'export function at(list: number[], index: number) {\n  return list[index];\n}\n',
    rule: 'pilothouse/method-names',
    message: /by what it does or returns, not "at"/,
  },
  'libs/core/src/static-name.ts': {
    source: 'export class Counter {\n  static from() {\n    return new Counter();\n  }\n}\n',
    rule: 'pilothouse/method-names',
    message: /not "from"/,
  },
  'apps/fleet/src/getter-name.ts': {
    source: 'export class Pods {\n  get #all() {\n    return 1;\n  }\n  readonly count = this.#all;\n}\n',
    rule: 'pilothouse/method-names',
    message: /not "all"/,
  },
  'libs/surface/browser/src/wait.ts': {
    source: 'export const wait = (page: { waitForTimeout(ms: number): void }) => page.waitForTimeout(5);\n',
    rule: 'no-restricted-syntax',
    message: /Wait for the condition/,
  },
  'apps/api/src/sleep.ts': {
    source: 'export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));\n',
    rule: 'no-restricted-syntax',
    message: /bare sleep/,
  },
  'apps/api/src/timer.ts': {
    source: 'export const soon = (run: () => void) => setTimeout(run, 5);\n',
    rule: 'no-restricted-syntax',
    message: /Timers are injected/,
  },
  'libs/infra/db/src/interval.ts': {
    source: 'export const often = (run: () => void) => setInterval(run, 5);\n',
    rule: 'no-restricted-syntax',
    message: /Timers are injected/,
  },
  'libs/model/src/delay.ts': {
    source: "import { setTimeout as delay } from 'node:timers/promises';\nexport const pause = () => delay(5);\n",
    rule: 'no-restricted-syntax',
    message: /Timers are injected/,
  },
  'apps/api/src/pattern.ts': {
    source: 'export const matches = (pattern: string, text: string) => new RegExp(pattern).test(text);\n',
    rule: 'no-restricted-syntax',
    message: /may backtrack for ever: use compilePattern/,
  },
  'libs/contract/src/pattern.ts': {
    source: 'export const matches = (name: string, text: string) => RegExp(`^${name}$`).test(text);\n',
    rule: 'no-restricted-syntax',
    message: /may backtrack for ever/,
  },
  'libs/infra/queue/src/sibling.ts': {
    source: "import '@pilothouse/infra-db';\n",
    rule: 'no-restricted-imports',
    message: /sibling/,
  },
  'libs/core/src/any.ts': {
    source: 'export const x: any = 1;\n',
    rule: '@typescript-eslint/no-explicit-any',
    message: /any/,
  },
  'libs/core/src/ignore.ts': {
    source: '// @ts-ignore\nexport const x = 1;\n',
    rule: '@typescript-eslint/ban-ts-comment',
    message: /ts-/,
  },
  'libs/core/src/disable.ts': {
    source: '// eslint-disable-next-line eqeqeq\nexport const same = (a: unknown, b: unknown) => a == b;\n',
    rule: 'eqeqeq',
    message: /===/,
  },
  'libs/core/src/empty.ts': {
    source: 'export function f(g: () => void) {\n  try {\n    g();\n  } catch {}\n}\n',
    rule: 'no-empty',
    message: /Empty block/,
  },
};

const allowed: Sources = {
  'libs/surface/desktop/src/kind.ts': "export const isDesktop = (surface: string) => surface === 'desktop';\n",
  'libs/core/src/kind.spec.ts': "export const isDesktop = (surface: string) => surface === 'desktop';\n",
  'libs/contract/src/type.ts':
    "import { z } from 'zod';\nexport const s = z.string();\nexport type S = z.infer<typeof s>;\n",
  'libs/infra/config/src/read-environment.ts': 'export const environment = process.env;\n',
  'apps/api/src/until.spec.ts': 'export function until() {}\n',
  'libs/infra/queue/src/property-name.ts': 'export const timeOf = ({ at = 0 }: { at?: number }) => ({ at });\n',
  'apps/api/src/fixed.ts':
    "const NAME = '[a-z]+';\nexport const named = [new RegExp(`^${NAME}$`), new RegExp('a', 'g'), /b/];\n",
  'apps/api/src/found.ts':
    "export const missing = (id: string) => new PilothouseError('NOT_FOUND', `Run ${id} not found.`);\n",
  'libs/core/src/regex/made.ts': 'export const made = (source: string) => new RegExp(source);\n',
  'apps/api/src/env.spec.ts': 'export const environment = process.env;\n',
  'libs/infra/queue/src/own.ts': "import '@pilothouse/core/time/clock';\nimport 'ioredis';\n",
};

let reports: FileReport[] = [];
const messagesOf = (file: string) => reports.find(({ filePath }) => filePath.endsWith(`/${file}`))?.messages;

beforeAll(() => {
  const sources = Object.fromEntries(Object.entries(violations).map(([file, { source }]) => [file, source]));
  const args = ['--config', configuration('eslint.config.mjs'), '--format', 'json', '.'];
  reports = runOver({ ...allowed, ...sources }, 'eslint', args) as FileReport[];
}, 240_000);

test.each(Object.entries(violations))('%s is refused', (file, { rule, message }) => {
  expect(messagesOf(file)).toContainEqual(
    expect.objectContaining({ ruleId: rule, message: expect.stringMatching(message) }),
  );
});

test.each(Object.keys(allowed))('%s is allowed', (file) => {
  expect(messagesOf(file)).toEqual([]);
});
