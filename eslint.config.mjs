// Rules for single files that the compiler does not check. .dependency-cruiser.mjs checks imports between packages.
import tseslint from 'typescript-eslint';

const noInfer = {
  selector: "TSQualifiedName[left.name='z'][right.name=/^(infer|input|output)$/]",
  message: 'Types of wire and stored data are inferred in libs/contract only: export the type there and import it.',
};
const noEnvironment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'The environment is read in libs/infra/config only: add the variable to a schema there.',
  },
  {
    selector: "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier[imported.name='env']",
    message: 'The environment is read in libs/infra/config only: add the variable to a schema there.',
  },
];
const noSleep = [
  {
    selector: "CallExpression[callee.property.name='waitForTimeout']",
    message: 'Wait for the condition, with a deadline and an AbortSignal, never for a time.',
  },
  {
    selector:
      "NewExpression[callee.name='Promise'] > ArrowFunctionExpression > CallExpression[callee.name='setTimeout']",
    message: 'A bare sleep has no AbortSignal: wait for the condition, or use `delay` of `Timers` with the signal.',
  },
];
const injected =
  'Timers are injected: use `Timers` of libs/core/src/time (`systemTimers` where no spec has to advance time), or its `withTimeout`, `poll` and `retry`.';
const noTimers = [
  { selector: 'CallExpression[callee.name=/^set(Timeout|Interval)$/]', message: injected },
  { selector: 'ImportDeclaration[source.value=/^(node:)?timers/]', message: injected },
];
const timersAllowed = [
  // the module that wraps them
  'libs/core/src/time/timers.ts',
  // effects of React in a browser, cleared when their component goes
  'apps/console/app/**',
  // depends on the contract only
  'libs/client/**',
  // functions that run inside the page
  'libs/surface/browser/src/injected/**',
  'libs/surface/browser/src/targeting/pointed-element.ts',
  'libs/surface/browser/src/observation/observed-page.ts',
  'libs/surface/browser/src/actions/drag.actions.ts',
  // measures real time
  'bench/**',
];
const linear =
  'A pattern that is not fixed may backtrack for ever: use compilePattern, wildcard or wholeWords of libs/core/src/regex. Fixed parts of a pattern are constants in capitals, in a template.';
const noVariablePattern = [
  {
    selector:
      ":matches(NewExpression, CallExpression)[callee.name='RegExp']:not([arguments.0.type=/^(Literal|TemplateLiteral)$/])",
    message: linear,
  },
  {
    selector:
      ":matches(NewExpression, CallExpression)[callee.name='RegExp'] > TemplateLiteral > :not(TemplateElement, Identifier[name=/^[A-Z][A-Z0-9_]*$/])",
    message: linear,
  },
];
// A rule of its own: the lists of no-restricted-syntax replace each other.
const noSql = {
  create: (context) => ({
    "CallExpression[callee.property.name='query'][arguments.length>0]": (node) =>
      context.report({ node, message: 'SQL is in libs/infra/db only: add a function or a store there.' }),
  }),
};
const textEnd = (node) => (node?.type === 'TemplateLiteral' ? node.quasis.at(-1).value.cooked : node?.value);
const notFoundPeriod = {
  create: (context) => ({
    "NewExpression[callee.name='PilothouseError'][arguments.0.value='NOT_FOUND']": (node) => {
      const end = textEnd(node.arguments[1]);
      if (typeof end === 'string' && !end.endsWith('.'))
        context.report({ node, message: 'End the message of a NOT_FOUND error with a period.' });
    },
  }),
};
const isSurfaceLiteral = (node) => node?.type === 'Literal' && ['browser', 'desktop'].includes(node.value);
const noSurfaceLiteral = {
  create: (context) => {
    const report = (node) =>
      context.report({
        node,
        message: 'Compare no kind of surface: read a trait of `surfaceTraits` or `surfaceSupport`, or add one there.',
      });
    return {
      'BinaryExpression[operator=/^[!=]==?$/]': (node) => {
        if (isSurfaceLiteral(node.left) || isSurfaceLiteral(node.right)) report(node);
      },
      SwitchCase: (node) => {
        if (isSurfaceLiteral(node.test)) report(node);
      },
    };
  },
};
const functionWords = /^(one|at|before|after|from|to|by|other|all|more|until|of)$/;
/** Names that a pattern declares, except for `{ at }`: that is the name of a property. */
function* declaredNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      yield pattern;
      break;
    case 'AssignmentPattern':
      yield* declaredNames(pattern.left);
      break;
    case 'RestElement':
      yield* declaredNames(pattern.argument);
      break;
    case 'TSParameterProperty':
      yield* declaredNames(pattern.parameter);
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) yield* declaredNames(element);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties)
        if (!property.shorthand) yield* declaredNames(property.type === 'Property' ? property.value : property);
  }
}
const nounNames = {
  create: (context) => {
    const check = (pattern) => {
      for (const node of declaredNames(pattern))
        if (functionWords.test(node.name))
          context.report({ node, message: `Name the variable by a noun that says what it is, not "${node.name}".` });
    };
    return {
      VariableDeclarator: ({ id }) => check(id),
      ':matches(:function, TSDeclareFunction, TSEmptyBodyFunctionExpression, TSFunctionType, TSMethodSignature)': ({
        params,
      }) => params.forEach(check),
    };
  },
};
/** Getters count as methods. */
const methodNames = {
  create: (context) => {
    const check = (name) => {
      if (name?.type !== 'Identifier' && name?.type !== 'PrivateIdentifier') return;
      if (functionWords.test(name.name))
        context.report({ node: name, message: `Name the function by what it does or returns, not "${name.name}".` });
    };
    return {
      ':matches(FunctionDeclaration, TSDeclareFunction)': ({ id }) => check(id),
      ':matches(MethodDefinition, TSAbstractMethodDefinition, TSMethodSignature)[computed=false]': ({ key }) =>
        check(key),
    };
  },
};
const ownRules = {
  rules: {
    'no-sql': noSql,
    'not-found-period': notFoundPeriod,
    'no-surface-literal': noSurfaceLiteral,
    'noun-names': nounNames,
    'method-names': methodNames,
  },
};
const restricted = (...rules) => ({ 'no-restricted-syntax': ['error', ...rules.flat()] });

// An adapter is one vendor: it meets its siblings at core/ports. Types of packages, so that an editor says it at once.
const adapter = (folder, allowed) => ({
  files: [`libs/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^@pilothouse/(?!infra-fault$)(infra|surface|model)-(?!${allowed}$)`,
            message: 'Adapters never import sibling adapters: they meet at core/ports, an app puts them together.',
          },
        ],
      },
    ],
  },
});

export default tseslint.config(
  {
    ignores: ['**/node_modules/**', 'dist/**', '.pilothouse/**', '.nx/**', 'coverage/**', '**/generated/**'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    rules: {
      // a class with a decorator is Nest's way of saying module
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'prefer-const': 'error',
      'no-console': 'off',
      ...restricted(noInfer, noEnvironment, noSleep, noTimers, noVariablePattern),
    },
  },
  { files: timersAllowed, rules: restricted(noInfer, noEnvironment, noSleep, noVariablePattern) },
  { files: ['libs/contract/**/*.ts'], rules: restricted(noEnvironment, noSleep, noTimers, noVariablePattern) },
  { files: ['libs/infra/config/**/*.ts'], rules: restricted(noInfer, noSleep, noTimers, noVariablePattern) },
  // It starts without zod, which infra-config needs.
  {
    files: ['libs/surface/desktop/src/slot-process.ts'],
    rules: restricted(noInfer, noSleep, noTimers, noVariablePattern),
  },
  // The only place that compiles patterns, and a page script that receives the RegExp values of its own database.
  {
    files: ['libs/core/src/regex/**/*.ts', 'libs/surface/browser/src/injected/indexed-db.ts'],
    rules: restricted(noInfer, noEnvironment, noSleep, noTimers),
  },
  // scripts and tests hand the environment on to what they start
  {
    files: [
      '**/*.spec.ts',
      '**/*.fixture.ts',
      '**/src/**/testing/**/*.ts',
      'libs/testing/**/*.ts',
      'apps/e2e/**/*.ts',
      'scripts/**/*.ts',
      '*.config.ts',
      '*.mjs',
    ],
    rules: { ...restricted(noInfer, noSleep), '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['apps/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts', '**/src/**/testing/**', 'apps/e2e/**'],
    plugins: { pilothouse: ownRules },
    rules: { 'pilothouse/no-sql': 'error' },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.fixture.ts', '**/src/**/testing/**', 'apps/e2e/**'],
    plugins: { pilothouse: ownRules },
    rules: { 'pilothouse/not-found-period': 'error' },
  },
  {
    files: ['apps/**/*.ts', 'apps/**/*.tsx', 'libs/**/*.ts', 'libs/**/*.tsx'],
    ignores: [
      '**/*.spec.ts',
      '**/*.spec.tsx',
      '**/*.fixture.ts',
      '**/src/**/testing/**',
      'apps/e2e/**',
      'libs/testing/**',
      'libs/surface/**',
      'libs/core/src/surface/surface-traits.ts',
    ],
    plugins: { pilothouse: ownRules },
    rules: { 'pilothouse/no-surface-literal': 'error' },
  },
  {
    files: [
      'apps/{api,cli,console,e2e,fleet,jobs,migrate,worker}/**/*.{ts,tsx}',
      'libs/{client,contract,core,infra,model,testing,ui}/**/*.{ts,tsx}',
      'libs/surface/**/*.ts',
      'bench/**/*.ts',
      'scripts/**/*.ts',
    ],
    plugins: { pilothouse: ownRules },
    rules: { 'pilothouse/noun-names': 'error' },
  },
  {
    files: ['apps/**/*.ts', 'apps/**/*.tsx', 'libs/**/*.ts', 'libs/**/*.tsx'],
    // Tests read as sentences: `await until(…)`.
    ignores: [
      '**/*.spec.ts',
      '**/*.spec.tsx',
      '**/*.fixture.ts',
      '**/src/**/testing/**',
      'apps/e2e/**',
      'libs/testing/**',
    ],
    plugins: { pilothouse: ownRules },
    rules: { 'pilothouse/method-names': 'error' },
  },
  {
    files: ['apps/console/app/**/*.ts', 'apps/console/app/**/*.tsx'],
    ignores: ['apps/console/app/api/redirect.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'react-router',
          importNames: ['redirect', 'redirectDocument', 'replace'],
          message: 'Use redirectTo of app/api/redirect.ts: it refuses a path that leads to another site.',
        },
      ],
    },
  },
  ...['blob', 'config', 'db', 'embedded', 'fault', 'kube', 'link', 'queue', 'stream', 'telemetry', 'vault'].map(
    (name) => adapter(`infra/${name}`, `(?<=infra-)${name}`),
  ),
  ...['browser', 'desktop'].map((name) =>
    adapter(`surface/${name}`, `(?:(?<=surface-)${name}|(?<=surface-)page-elements(?:/page)?)`),
  ),
  adapter('surface/page-elements', '$^'),
  adapter('model', '$^'),
);
