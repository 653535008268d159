import { execFileSync } from 'node:child_process';
import { workerEnvironment } from './worker.command.ts';

test('a worker inherits the variables of its surface, and its options', () => {
  const environment = {
    PATH: '/usr/bin',
    HOME: '/home/me',
    DISPLAY: ':1',
    LOG_LEVEL: 'debug',
    LC_ALL: 'C.UTF-8',
    CHROMIUM_PATH: '/usr/bin/chromium',
    DATABASE_URL: 'postgresql://secret',
    PILOTHOUSE_API_KEY: 'ph_secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    NODE_OPTIONS: '--require /tmp/x.js',
    PILOTHOUSE_FLEET_TOKEN_FILE: '/home/me/fleet.token',
    PILOTHOUSE_SLOTS: '3',
    PILOTHOUSE_SURFACE: 'desktop',
    PILOTHOUSE_DESKTOP_COMMANDS: '{"notes":["xterm"]}',
    PILOTHOUSE_DRAIN_GRACE_SECONDS: '60',
  };
  expect(workerEnvironment(environment, { gateway: 'https://p.example', slots: '4' })).toEqual({
    PATH: '/usr/bin',
    HOME: '/home/me',
    DISPLAY: ':1',
    LOG_LEVEL: 'debug',
    LC_ALL: 'C.UTF-8',
    CHROMIUM_PATH: '/usr/bin/chromium',
    PILOTHOUSE_GATEWAY_URL: 'https://p.example',
    PILOTHOUSE_SLOTS: '4',
    PILOTHOUSE_SURFACE: 'desktop',
    PILOTHOUSE_DESKTOP_COMMANDS: '{"notes":["xterm"]}',
    PILOTHOUSE_DRAIN_GRACE_SECONDS: '60',
  });
});

test('a worker with many slots gets larger semi-spaces, and no inherited NODE_OPTIONS', () => {
  const environment = (slots: string) => workerEnvironment({ NODE_OPTIONS: '--require /tmp/x.js' }, { slots });
  expect(environment('99').NODE_OPTIONS).toBeUndefined();
  const script = 'process.stdout.write(String(v8.getHeapSpaceStatistics().length))';
  const { NODE_OPTIONS } = environment('1000');
  expect(NODE_OPTIONS).toMatch(/--max-semi-space-size=\d+/);
  // Node knows the option.
  expect(Number(execFileSync(process.execPath, ['-e', script], { env: { NODE_OPTIONS } }))).toBeGreaterThan(0);
});
