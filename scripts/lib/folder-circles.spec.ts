import { findFolderCircles, type ImportEdge } from './folder-circles.ts';

const circlesOf = (...edges: ImportEdge[]) =>
  findFolderCircles(edges).map(({ parent, folders }) => `${parent}: ${folders.join(' ')}`);

test('two sibling folders that import each other form a circle, reported once with its imports', () => {
  const down: ImportEdge = ['apps/api/src/runs/runs.controller.ts', 'apps/api/src/auth/caller.ts'];
  const up: ImportEdge = ['apps/api/src/auth/auth.module.ts', 'apps/api/src/runs/events/sse-stream.ts'];
  expect(findFolderCircles([down, up])).toEqual([
    { parent: 'apps/api/src', folders: ['auth', 'runs'], imports: [up, down] },
  ]);
});

test('a longer circle is found', () => {
  expect(
    circlesOf(
      ['libs/core/src/a/x.ts', 'libs/core/src/b/x.ts'],
      ['libs/core/src/b/y.ts', 'libs/core/src/c/x.ts'],
      ['libs/core/src/c/y.ts', 'libs/core/src/a/y.ts'],
    ),
  ).toEqual(['libs/core/src: a b c']);
});

test('folders inside a folder are siblings too', () => {
  expect(
    circlesOf(
      ['apps/console/app/run/steps/x.tsx', 'apps/console/app/run/tabs/x.tsx'],
      ['apps/console/app/run/tabs/y.tsx', 'apps/console/app/run/steps/deep/y.tsx'],
    ),
  ).toEqual(['apps/console/app/run: steps tabs']);
});

test.each<{ name: string; edges: ImportEdge[] }>([
  {
    name: 'one direction',
    edges: [
      ['libs/core/src/a/x.ts', 'libs/core/src/b/x.ts'],
      ['libs/core/src/a/y.ts', 'libs/core/src/c/y.ts'],
    ],
  },
  {
    name: 'a file next to the folder',
    edges: [
      ['libs/core/src/a/x.ts', 'libs/core/src/main.ts'],
      ['libs/core/src/main.ts', 'libs/core/src/a/x.ts'],
    ],
  },
  {
    name: 'packages',
    edges: [
      ['libs/core/src/a/x.ts', 'libs/contract/src/b/x.ts'],
      ['libs/contract/src/b/x.ts', 'libs/core/src/a/x.ts'],
    ],
  },
  {
    name: 'specs and test code',
    edges: [
      ['libs/core/src/a/x.ts', 'libs/core/src/b/x.ts'],
      ['libs/core/src/b/x.spec.ts', 'libs/core/src/a/x.ts'],
      ['libs/core/src/b/x.fixture.ts', 'libs/core/src/a/x.ts'],
    ],
  },
])('no circle: $name', ({ edges }) => {
  expect(circlesOf(...edges)).toEqual([]);
});
