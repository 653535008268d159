import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// One jest for the house: sources run through swc as native ES modules, on real servers that ./scripts/test started.
/** @type {import('jest').Config} */
const project = (displayName, roots, more = {}) => ({
  displayName,
  roots: roots.map((root) => `<rootDir>/${root}`),
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
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
  ...more,
});

// What needs a cluster makes namespaces and takes them away: it runs when it is asked for (scripts/cluster test), not because somebody
// has a KUBECONFIG. What needs helm runs where there is one,
// what upgrades where the commit before is at hand.
const onPath = (program) => process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, program)));
const leftOut = [
  ...(process.env.PILOTHOUSE_CLUSTER_TESTS ? [] : ['[.]cluster[.]spec[.]ts$']),
  ...(process.env.PILOTHOUSE_PREVIOUS_CHART ? [] : ['/upgrade[.]cluster[.]spec[.]ts$']),
  ...(onPath('helm') ? [] : ['/e2e/src/chart/']),
];

export default {
  // Real servers on a busy machine: a limit only ends what hangs, it measures nothing.
  testTimeout: 240_000,
  projects: [project('unit', ['libs', 'apps', 'scripts'], { testPathIgnorePatterns: ['/node_modules/', ...leftOut] })],
};
