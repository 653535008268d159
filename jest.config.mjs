import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { patternOf, suites } from './scripts/jest/suites.ts';

// Each suite is a project: `jest --selectProjects unit`. scripts/jest/typescript-hooks.ts compiles the sources.
/** @returns {import('jest').Config} */
const project = ({ name }) => ({
  displayName: name,
  roots: ['libs', 'apps', 'scripts'].map((root) => `<rootDir>/${root}`),
  // Runs in bare Node: a jest worker loads a module once for all of its spec files.
  runner: '<rootDir>/scripts/jest/suite-runner.ts',
  testRegex: patternOf(name),
  testPathIgnorePatterns: ['/node_modules/', ...leftOut],
  setupFilesAfterEnv: [`<rootDir>/scripts/jest/${name === 'unit' ? 'unit-guard' : 'hang-limit'}.ts`],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.pilothouse'],
});

// Cluster tests create and delete namespaces. They run only on request (scripts/cluster test), not wherever KUBECONFIG
// is set. Chart tests need helm on the PATH. The upgrade test needs PILOTHOUSE_PREVIOUS_CHART, the chart of the
// previous commit.
const onPath = (program) => process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
const leftOut = [
  ...(process.env.PILOTHOUSE_CLUSTER_TESTS ? [] : ['[.]cluster[.]spec[.]ts$']),
  ...(process.env.PILOTHOUSE_PREVIOUS_CHART ? [] : ['/upgrade[.]cluster[.]spec[.]ts$']),
  ...(onPath('helm') ? [] : ['[.]chart[.]spec[.]ts$']),
];

/** @type {import('jest').Config} */
export default { projects: suites.map(project) };
