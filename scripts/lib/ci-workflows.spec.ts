import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { suites } from '../jest/suites.ts';

/* The workflows of GitHub name only what exists. actionlint checks their syntax, in the job `workflows`. */

interface Job {
  readonly strategy?: { readonly matrix: { readonly include?: { suite: string }[]; readonly image?: string[] } };
  readonly steps: readonly { readonly run?: string }[];
}

const root = join(import.meta.dirname, '../..');
const jobsOf = (workflow: string): Record<string, Job> =>
  parse(readFileSync(join(root, `.github/workflows/${workflow}.yml`), 'utf8')).jobs;
const commandsOf = (jobs: Record<string, Job>) =>
  Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n')));

const ci = jobsOf('ci');
const nightly = jobsOf('nightly');
const release = jobsOf('release');

test('CI runs every suite, except the one that needs a cluster', () => {
  const names = ci['test']?.strategy?.matrix.include?.map(({ suite }) => suite) ?? [];
  expect(names.toSorted()).toEqual(
    suites
      .map(({ name }) => name)
      .filter((name) => name !== 'cluster')
      .toSorted(),
  );
});

test('the release builds every image', () => {
  const dockerfiles = globSync('docker/*.Dockerfile', { cwd: root }).map((file) => basename(file, '.Dockerfile'));
  const images = dockerfiles.filter((name) => !['base', 'worker'].includes(name));
  expect(release['images']?.strategy?.matrix.image?.toSorted()).toEqual(images.toSorted());
});

test.each([
  ['ci', ci],
  ['nightly', nightly],
  ['release', release],
])('%s: every script and path of a command exists', (_, jobs) => {
  const paths = commandsOf(jobs).flatMap((command) => command.match(/(?<![\w/.-])(?:\.\/)?scripts\/[\w./-]+/g) ?? []);
  expect(paths.length).toBeGreaterThan(1);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every action, and the base image of a release, has a digest: a tag can move', () => {
  const uses = ['ci', 'nightly', 'release'].flatMap((name) =>
    [...readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8').matchAll(/uses: (.*)$/gm)].map(
      ([, text]) => text,
    ),
  );
  expect(uses.length).toBeGreaterThan(20);
  expect(uses.filter((text) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(text ?? ''))).toEqual([]);
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  expect(/^ +NODE_IMAGE: (.*)$/m.exec(workflow)?.[1]).toMatch(/^node:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('the release publishes the npm packages that the build writes', () => {
  const command = commandsOf(release).find((line) => line.includes('npm publish')) ?? '';
  const [, names = ''] = /for package in ([\w ]+);/.exec(command) ?? [];
  const source = readFileSync(join(root, 'scripts/npm-packages.ts'), 'utf8');
  const built = [...source.matchAll(/^ {4}name: '(\w+)'/gm)].map(([, name]) => name);
  expect(names.split(' ').toSorted()).toEqual(built.toSorted());
});
