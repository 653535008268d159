import { findInstallation } from '../installation/installation-paths.ts';
import { addressLines, isDemoWanted } from './up.command.ts';

test.each([
  ['the first start', undefined, true, true],
  ['a later start', undefined, false, false],
  ['a later start with --demo', true, false, true],
  ['the first start with --no-demo', false, true, false],
])('%s: the demo runs or not', (_, demo, isFirstStart, isWanted) => {
  expect(isDemoWanted(demo, isFirstStart)).toBe(isWanted);
});

test.each([
  ['of the clone', undefined, '.pilothouse/secrets/admin.key', '.pilothouse/, .pilothouse/logs/'],
  ['elsewhere', '/data/ph', '/data/ph/secrets/admin.key', '/data/ph/, /data/ph/logs/'],
])('the message names the data folder %s', (_, folder, key, data) => {
  const urls = { api: 'http://127.0.0.1:7100', console: 'http://127.0.0.1:7110', site: null };
  const lines = addressLines(findInstallation(folder), { urls } as never);
  expect(lines[0]).toContain('http://127.0.0.1:7110');
  expect(lines.find((line) => line.includes('API key'))).toContain(`  ${key} (`);
  expect(lines.at(-1)).toMatch(new RegExp(`data and logs +${data}$`));
});
