import { checkSpecFiles, checkSql, checkUniqueNames } from './source-rules.ts';

const spec = (path: string, text = '') => checkSpecFiles([{ path, text }]);
const sql = (path: string, text: string, allowed: Record<string, string> = {}) => checkSql([{ path, text }], allowed);

describe('names of spec files', () => {
  test.each(['libs/a/src/run.spec.ts', 'libs/a/src/run-store.spec.ts', 'libs/a/src/run.store.db.spec.ts'])(
    '%s is allowed',
    (path) => expect(spec(path)).toEqual([]),
  );

  test.each(['libs/a/src/run.rules.spec.ts', 'apps/console/app/run.view.spec.tsx'])('%s is rejected', (path) =>
    expect(spec(path)).toEqual([expect.stringContaining('is not a suite')]),
  );
});

describe('imports of unit tests', () => {
  test.each([
    ["import { Pool } from 'pg';", 'run.db.spec.ts'],
    ["import Redis from 'ioredis';", 'run.db.spec.ts'],
    ["import { chromium } from 'playwright-core';", 'run.browser.spec.ts'],
    ["import {\n  spawn,\n} from 'node:child_process';", 'run.process.spec.ts'],
    ["import '@pilothouse/infra-embedded';", 'run.process.spec.ts'],
  ])('%j is rejected', (text, name) => {
    expect(spec('libs/a/src/run.spec.ts', text)).toEqual([expect.stringContaining(name)]);
    expect(spec(`libs/a/src/${name}`, text)).toEqual([]);
  });

  test('types are allowed', () => {
    expect(spec('libs/a/src/run.spec.ts', "import type { Page } from 'playwright-core';")).toEqual([]);
  });
});

describe('SQL', () => {
  test.each([
    'query(`SELECT id FROM run`)',
    'query(`\n  INSERT INTO run VALUES (1)`)',
    "query('UPDATE run SET status = 1')",
    'query(Prisma.sql`DELETE FROM run`)',
    'query(`WITH picked AS (SELECT 1) SELECT * FROM picked`)',
  ])('%j is rejected outside libs/infra/db', (text) => {
    expect(sql('apps/api/src/run.ts', text)).toEqual([expect.stringContaining('libs/infra/db')]);
    for (const path of ['libs/infra/db/src/run.ts', 'apps/api/src/run.db.spec.ts', 'bench/run.ts'])
      expect(sql(path, text)).toEqual([]);
  });

  test.each(["say('Select a file')", "say('Update the set')", '// `SELECT 1`', "say('with care')"])(
    '%j is no SQL',
    (text) => expect(sql('apps/api/src/run.ts', text)).toEqual([]),
  );

  test('an allowed file passes; an entry that no longer matches is an error', () => {
    const allowed = { 'apps/api/src/run.ts': 'Move it.' };
    expect(sql('apps/api/src/run.ts', 'query(`SELECT id FROM run`)', allowed)).toEqual([]);
    expect(sql('apps/api/src/run.ts', 'query(statement)', allowed)).toEqual([
      expect.stringContaining('delete it from'),
    ]);
  });
});

describe('unique names', () => {
  const paths = ['apps/api/src/run.ts', 'libs/core/src/run.ts', 'libs/core/src/run.spec.ts', 'apps/api/src/main.ts'];

  test('a second source file of one name is rejected; specs and entry points are not counted', () => {
    expect(checkUniqueNames([...paths, 'apps/cli/src/main.ts', 'libs/db/src/run.spec.ts'])).toEqual([
      'libs/core/src/run.ts: apps/api/src/run.ts has the same name. Choose a unique name.',
    ]);
  });
});

test('counterparts in surfaces have the same name, other files of surfaces do not', () => {
  const [browser, desktop] = ['browser', 'desktop'].map((surface) => `libs/surface/${surface}/src/actions/text.ts`);
  expect(checkUniqueNames([browser ?? '', desktop ?? ''])).toEqual([]);
  expect(checkUniqueNames([browser ?? '', 'libs/surface/desktop/src/text.ts'])).toHaveLength(1);
});

describe('a spec named after its source file', () => {
  const source = { path: 'libs/contract/src/run/step.schema.ts', text: '' };
  const specFile = { path: 'libs/contract/src/run/step.schema.spec.ts', text: '' };

  test('passes', () => expect(checkSpecFiles([source, specFile])).toEqual([]));
  test('is rejected without the source file', () => expect(checkSpecFiles([specFile])).toHaveLength(1));
});
