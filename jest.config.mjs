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
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  ...more,
});

export default {
  // Real servers on a busy machine: a limit only ends what hangs, it measures nothing.
  testTimeout: 60_000,
  projects: [project('unit', ['libs', 'apps', 'scripts'])],
};
