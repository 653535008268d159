import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { desktopPackages, missingDesktopPackages } from './desktop-packages.ts';

const root = mkdtempSync(join(tmpdir(), 'desktop-packages-'));
afterAll(() => rmSync(root, { recursive: true }));

const install = (path: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
};

test('the packages are named until a file of each exists', () => {
  expect(missingDesktopPackages(root)).toEqual(['xvfb', 'openbox', 'dbus-daemon', 'at-spi2-core', 'libxtst6']);
  install('usr/bin/Xvfb');
  install('usr/local/bin/openbox');
  install('usr/lib/aarch64-linux-gnu/libXtst.so.6');
  expect(missingDesktopPackages(root)).toEqual(['dbus-daemon', 'at-spi2-core']);
  install('bin/dbus-daemon');
  install('usr/libexec/at-spi-bus-launcher');
  expect(missingDesktopPackages(root)).toEqual([]);
});

test('scripts/setup and the image install each of them', () => {
  const folder = join(import.meta.dirname, '../../../..');
  for (const file of ['scripts/lib/system-packages.sh', 'docker/worker-desktop.Dockerfile']) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const name of desktopPackages) expect([file, name, text.includes(name)]).toEqual([file, name, true]);
  }
});
