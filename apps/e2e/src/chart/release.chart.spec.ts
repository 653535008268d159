import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../harness/bundles.ts';
import { helm } from './chart-tools.fixture.ts';

const names = ['server', 'worker-browser', 'worker-desktop'];
const digestOf = (name: string) => `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0')}`;

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'pilothouse-release-'))));
afterEach(() => rm(folder, { recursive: true }));

const release = (out: string) =>
  promisify(execFile)(process.execPath, [
    join(root, 'scripts/chart-release.ts'),
    ...['--version', '1.2.3-rc.1', '--prefix', 'registry.example.com/team', '--digests', folder, '--out', out],
  ]);

test('the chart of a release has its version and pins its images', async () => {
  for (const name of names) await writeFile(join(folder, name), `${digestOf(name)}\n`);
  const out = join(folder, 'chart');
  await release(out);
  const packaged = await helm(['package', out, '--destination', folder]);
  expect(packaged).toMatchObject({ ok: true });
  const archive = join(folder, 'pilothouse-1.2.3-rc.1.tgz');
  const { stdout, ok, text } = await helm(['template', 'x', archive]);
  expect([ok, ok ? '' : text]).toEqual([true, '']);
  for (const name of names) expect(stdout).toContain(`registry.example.com/team/${name}:1.2.3-rc.1@${digestOf(name)}`);
  expect(stdout).not.toMatch(/image: "?pilothouse\//);
});

test('a fleet with its own image does not use the digest of its surface', async () => {
  const settings = [
    `image.worker.browser.digest=${digestOf('browser')}`,
    'fleets.browser.image.repository=mine/worker',
    'fleets.tagged.image.tag=v9',
    `fleets.pinned.image.digest=${digestOf('pinned')}`,
    'fleets.plain.maxWorkers=1',
  ];
  const { stdout } = await helm(['template', 'x', join(root, 'charts/pilothouse'), '--set', settings.join(',')]);
  const images = [...stdout.matchAll(/image: (\S*worker\S*)/g)].map(([, image]) =>
    image?.replace(/:\d+\.\d+\.\d+/, ''),
  );
  expect(images).toEqual([
    'mine/worker',
    // The worker, and the container of its slot.
    'pilothouse/worker-desktop',
    'pilothouse/worker-desktop',
    `pilothouse/worker-browser@${digestOf('pinned')}`,
    `pilothouse/worker-browser@${digestOf('browser')}`,
    'pilothouse/worker-browser:v9',
  ]);
});

test('an invalid digest is refused', async () => {
  for (const name of names) await writeFile(join(folder, name), 'latest');
  await expect(release(join(folder, 'chart'))).rejects.toThrow('server: "latest" is not a digest (sha256:…)');
});
