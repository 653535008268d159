import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { patternOf, suites } from './scripts/jest/suites.ts';

// Sources run through swc as native ES modules. Each suite is a project: `jest --selectProjects unit`. See CONTRIBUTING.md.
/** @returns {import('jest').Config} */
const project = ({ name }) => ({
  displayName: name,
  roots: ['libs', 'apps', 'scripts'].map((root) => `<rootDir>/${root}`),
  testEnvironment: 'node',
  testRegex: patternOf(name),
  testPathIgnorePatterns: ['/node_modules/', ...leftOut],
  setupFilesAfterEnv: [`<rootDir>/scripts/jest/${name === 'unit' ? 'unit-guard' : 'hang-limit'}.ts`],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.pilothouse'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', tsx: false, decorators: true },
          transform: { legacyDecorator: true },
          keepClassNames: true,
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
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
