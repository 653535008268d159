import { checkBoundary } from './check-boundary.ts';

const failure = () => 'unshare: unshare failed: Operation not permitted';

test('namespaces separate desktop runs', () => {
  expect(checkBoundary({ failure: () => null, setting: () => null })).toEqual({
    check: 'desktop runs',
    state: 'ok',
    message: 'separate processes, files and network (user namespaces)',
  });
});

test.each([
  [{}, 'Allow user namespaces: see docs/guides/desktop-isolation.md.'],
  [{ 'kernel.unprivileged_userns_clone': '0' }, 'Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1'],
  [
    { 'kernel.unprivileged_userns_clone': '1', 'kernel.apparmor_restrict_unprivileged_userns': '1' },
    'Allow user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  ],
])('the boundary without namespaces has a reason, and a fix for the settings %j', (settings, fix) => {
  const values: Record<string, string> = settings;
  expect(checkBoundary({ failure, setting: (name) => values[name] ?? null })).toEqual({
    check: 'desktop runs',
    state: 'note',
    message:
      'not separated from their worker, which ends after each run: unshare: unshare failed: Operation not permitted',
    fix,
  });
});
