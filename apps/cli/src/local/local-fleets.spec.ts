import { desktopNotice, fleetsLine, localFleets, withTokens } from './local-fleets.ts';
import { settings } from '../testing/fake-service.ts';
import type { Secrets } from './local-secrets.ts';

const secrets = { fleetToken: 'main', tokenOf: (fleet: string) => `of ${fleet}` } as Secrets;
const missing = ['openbox', 'libxtst6'];
const withFleets = (...fleets: object[]) => settings({ PILOTHOUSE_FLEETS: JSON.stringify(fleets) });

test('a fleet of desktops is started on demand beside the browsers', () => {
  const config = settings({ PILOTHOUSE_WORKERS: '3', PILOTHOUSE_SLOTS: '4' });
  const fleets = localFleets(config, []);
  expect(fleets).toMatchObject([
    { name: 'browser', surface: 'browser', slots: 4, minWorkers: 0, idleSlots: 0, maxWorkers: 3 },
    { name: 'desktop', surface: 'desktop', slots: 1, minWorkers: 0, idleSlots: 0, maxWorkers: 3 },
  ]);
  expect(fleetsLine(fleets)).toBe('browser: up to 3 workers, 4 slots each; desktop: up to 3 workers, 1 slot each');
  expect(desktopNotice(fleets, [])).toBeUndefined();
  expect(withTokens(fleets, config, secrets).map(({ token }) => token)).toEqual(['main', 'of desktop']);
});

test('workers of other machines join the default fleets only if the settings allow it', () => {
  const allowed = (config = settings()) => localFleets(config, []).map(({ externalWorkers }) => externalWorkers);
  expect(allowed()).toEqual([false, false]);
  expect(allowed(settings({ PILOTHOUSE_EXTERNAL_WORKERS: 'true' }))).toEqual([true, true]);
});

test('without its packages there is no fleet of desktops, and a notice names them', () => {
  const fleets = localFleets(settings(), missing);
  expect(fleets.map(({ name }) => name)).toEqual(['browser']);
  expect(desktopNotice(fleets, missing)).toBe(
    'Desktop runs: no fleet serves them. Install openbox libxtst6, then start again (docs/guides/desktop.md).',
  );
});

test('a configured fleet of desktops remains, and a notice says that its workers cannot start', () => {
  const config = withFleets({ name: 'office', surface: 'desktop', slots: 1, maxWorkers: 1 });
  const fleets = localFleets(config, missing);
  expect(desktopNotice(fleets, missing)).toContain('workers of office cannot start on this machine. Install openbox');
  expect(withTokens(fleets, config, secrets)).toMatchObject([{ name: 'office', token: 'main' }]);
});

test('configured fleets have a token each', () => {
  const config = withFleets(
    { name: 'browser', surface: 'browser' },
    { name: 'b', surface: 'browser', token: 't'.repeat(20) },
  );
  const tokens = withTokens(localFleets(config, []), config, secrets).map(({ token }) => token);
  expect(tokens).toEqual(['of browser', 't'.repeat(20)]);
});
