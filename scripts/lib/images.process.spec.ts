import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const images = (args: string[], environment: Record<string, string> = {}) =>
  run(join(root, 'scripts/images'), args, { env: { ...process.env, ...environment } }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

describe('the packages of an image', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'packages-'))));
  afterEach(() => rm(folder, { recursive: true }));

  const copy = (...args: string[]) =>
    run(process.execPath, ['scripts/lib/image-packages.ts', folder, ...args], { cwd: root });
  /** True when a bundle of the image resolves a package. */
  const has = (app: string, name: string) =>
    [join(folder, 'dist', app), folder].some((base) => existsSync(join(base, 'node_modules', name, 'package.json')));

  /** Names of the packages that a bundle imports. */
  async function imported(app: string, file = 'main.js'): Promise<string[]> {
    const bundle = await readFile(join(root, 'dist', app, file), 'utf8');
    const specifiers = [
      ...bundle.matchAll(/(?:^|[;}])import\b(?:[^'"();]*?\bfrom)? ?"([^".][^"]*)"(?=;)|\bimport\("([^".][^"]*)"\)/gm),
    ];
    const names = specifiers.map(([, still, late]) => (still ?? late ?? '').split('/'));
    return [
      ...new Set(names.map((segments) => segments.slice(0, segments[0]?.startsWith('@') ? 2 : 1).join('/'))),
    ].filter((name) => !name.startsWith('node:'));
  }

  test.each([
    {
      apps: ['api', 'fleet', 'migrate'],
      knows: '@nestjs/core',
      without: ['prisma', 'typescript', 'esbuild', 'playwright-core'],
    },
    {
      apps: ['worker'],
      knows: 'playwright-core',
      without: ['pg', 'ioredis', 'minio', '@prisma/client', '@nestjs/core'],
    },
  ])('of $apps are those that its bundles import, without build tools', async ({ apps, knows, without }) => {
    await copy(...apps);
    for (const app of apps) await cp(join(root, 'dist', app), join(folder, 'dist', app), { recursive: true });
    const imports = await Promise.all(apps.map(async (app) => (await imported(app)).map((name) => ({ app, name }))));
    expect(imports.flat().map(({ name }) => name)).toContain(knows);
    expect(imports.flat().filter(({ app, name }) => !has(app, name))).toEqual([]);
    expect(apps.flatMap((app) => without.filter((name) => has(app, name)))).toEqual([]);
    const files = await readdir(join(folder, 'node_modules'), { recursive: true });
    expect(files.filter((file) => /\.(map|d\.ts)$/.test(file))).toEqual([]);
  });

  test('the session of a desktop has its packages only in the image for desktops', async () => {
    const names = await imported('worker', 'desktop-session.js');
    expect(names).toEqual(expect.arrayContaining(['x11', 'dbus-next', '@nut-tree-fork/nut-js']));
    await copy('worker', '--without', '@pilothouse/surface-desktop');
    expect(has('worker', 'sharp')).toBe(true);
    expect(names.filter((name) => name !== 'sharp' && has('worker', name))).toEqual([]);
    await copy('worker');
    expect(names.filter((name) => !has('worker', name))).toEqual([]);
  });

  test('worker bundles have one-byte characters, and include Playwright once', async () => {
    const workerFolder = join(root, 'dist/worker');
    const its = join(workerFolder, 'node_modules/playwright-core');
    const texts = ['main.js', 'coreBundle.js', 'utilsBundle.js'].map((name, index) =>
      readFile(join(index === 0 ? workerFolder : join(its, 'lib'), name), 'utf8'),
    );
    for (const text of await Promise.all(texts)) expect(/[^\0-\xff]/.exec(text)).toBeNull();
    expect(await readdir(its)).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE', 'browsers.json']));
    await copy('worker');
    expect(existsSync(join(folder, 'node_modules/playwright-core'))).toBe(false);
  });

  test('a package that is not installed is an error that names it', async () => {
    await expect(copy('nowhere')).rejects.toThrow('nowhere');
  });
});

describe('scripts/images', () => {
  test('load gives the names of the images to the command for a cluster', async () => {
    const load = (...args: string[]) =>
      images(['load', 'command', ...args], { PILOTHOUSE_LOAD_IMAGES: 'echo import --quiet' });
    expect(await load()).toMatchObject({
      code: 0,
      stdout: 'import --quiet pilothouse/server:dev pilothouse/worker-browser:dev pilothouse/worker-desktop:dev\n',
    });
    expect(await load('--tag', 'v1', 'server')).toMatchObject({ stdout: 'import --quiet pilothouse/server:v1\n' });
  });

  test('build uses the files of the commit, not of the clone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'images-'));
    try {
      // Replaces Docker: prints its arguments, and the files of the context, its last argument.
      await writeFile(join(folder, 'docker'), '#!/bin/sh\ncat >/dev/null\necho "$@"\nfor c; do :; done\nls -A "$c"\n', {
        mode: 0o755,
      });
      const { stdout: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: root });
      const applications = {
        PILOTHOUSE_DESKTOP_APPLICATIONS: 'mousepad xterm',
        PATH: `${folder}:${process.env['PATH']}`,
      };
      const desktop = await images(['build', '--ref', 'HEAD', '--tag', 'old', 'worker-desktop'], applications);
      expect(desktop.stdout).toContain('--build-arg APPLICATIONS=mousepad xterm');
      const args = ['build', '--ref', 'HEAD', '--tag', 'old', 'server'];
      const { code, stdout } = await images(args, { PATH: `${folder}:${process.env['PATH']}` });
      expect(code).toBe(0);
      const [command = '', ...files] = stdout.trim().split('\n');
      expect(command).toContain('--tag pilothouse/server:old');
      expect(command).toContain(`--build-arg REVISION=${commit.trim()}`);
      expect(files).toEqual(expect.arrayContaining(['package.json', 'apps', 'docker']));
      expect(files).not.toContain('node_modules');
      expect(files).not.toContain('.git');
      expect(existsSync(command.split(' ').at(-1) ?? root)).toBe(false);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each([
    [['load', 'command'], 1, 'Set PILOTHOUSE_LOAD_IMAGES'],
    [['load', 'moon'], 2, 'use kind, k3d or command'],
    [['build', 'phone'], 2, 'unknown image or option phone'],
    [['build', '--ref', 'HEAD'], 2, '--ref needs --tag'],
    [['load', 'kind', '--ref', 'HEAD', '--tag', 'old'], 2, '--ref works only with build'],
    [[], 2, 'use build, sbom or load'],
  ])('%j ends with %i and says why', async (args, code, sentence) => {
    expect(await images(args, { PILOTHOUSE_LOAD_IMAGES: '' })).toMatchObject({
      code,
      stderr: expect.stringContaining(sentence),
    });
  });
});

describe('docker/', () => {
  test('builds with any builder on any architecture, and runs as a user that is a number', async () => {
    const folder = join(root, 'docker');
    const files = (await readdir(folder)).filter((name) => name.endsWith('.Dockerfile'));
    expect(files.sort()).toEqual([
      'base.Dockerfile',
      'server.Dockerfile',
      'worker-browser.Dockerfile',
      'worker-desktop.Dockerfile',
      'worker.Dockerfile',
    ]);
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).not.toMatch(/--mount|<<|# *syntax=|amd64|x86_64|arm64|aarch64/);
      const users = [...text.matchAll(/^USER (.*)$/gm)].map(([, user]) => user);
      // The images of workers start as root and change the user at their end.
      if (users.length > 0 && file !== 'worker.Dockerfile') expect(users.at(-1)).toBe('10001:10001');
    }
  });

  test('the build context has every script that the build imports', async () => {
    const ignore = await readFile(join(root, '.dockerignore'), 'utf8');
    const visited = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (visited.has(file)) return;
      visited.add(file);
      const imports = (await readFile(join(root, file), 'utf8')).matchAll(/ from '(\.[^']+)'/g);
      for (const [, path = ''] of imports) await follow(join(dirname(file), path));
    };
    for (const file of ['scripts/build.ts', 'scripts/lib/installed-packages.ts', 'scripts/lib/image-packages.ts']) {
      await follow(file);
    }
    const missing = [...visited].filter((file) => file.startsWith('scripts/') && !ignore.includes(`!${file}\n`));
    expect(missing).toEqual([]);
    expect(visited).toContain('scripts/lib/lean-bundle.ts');
  });
});

test('the packages of the images are listed as CycloneDX', async () => {
  const { code, stdout } = await images(['sbom']);
  expect(code).toBe(0);
  const { bomFormat, components } = JSON.parse(stdout) as {
    bomFormat: string;
    components: { name: string; version: string; purl: string }[];
  };
  expect(bomFormat).toBe('CycloneDX');
  expect(components).toContainEqual(expect.objectContaining({ purl: 'pkg:npm/re2js@2.10.0' }));
  expect(components.map(({ name }) => name)).not.toContain('jest');
}, 120_000);
