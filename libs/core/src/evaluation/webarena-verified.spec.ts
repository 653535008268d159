import { readWebArenaTasks } from './webarena-verified.ts';

const sites = { __GITLAB__: 'http://127.0.0.1:8023/', __REDDIT__: 'http://127.0.0.1:9999' };

const navigate = {
  task_id: 44,
  sites: ['gitlab'],
  start_urls: ['__GITLAB__'],
  intent: 'Open my todos page',
  eval: [
    {
      evaluator: 'AgentResponseEvaluator',
      expected: { task_type: 'NAVIGATE', status: 'SUCCESS', retrieved_data: null },
    },
    {
      evaluator: 'NetworkEventEvaluator',
      ignored_query_params_patterns: ['utm_.*'],
      expected: { url: ['__GITLAB__/dashboard/todos'], http_method: 'GET', response_status: 200 },
    },
  ],
};

test('a navigation task has the checks of its answer and of its request', () => {
  expect(readWebArenaTasks([navigate], sites)).toEqual([
    {
      id: '44',
      task: expect.objectContaining({
        id: '44',
        goal: expect.stringMatching(/^Open my todos page\n\nAnswer with an object/),
        url: 'http://127.0.0.1:8023',
        labels: { sites: 'gitlab' },
        checks: [
          { output: expect.objectContaining({ pointer: '/task_type', equals: 'NAVIGATE', compare: 'typed' }) },
          { output: expect.objectContaining({ pointer: '/status', equals: 'SUCCESS', compare: 'typed' }) },
          {
            request: expect.objectContaining({
              url: ['http://127.0.0.1:8023/dashboard/todos'],
              method: 'GET',
              status: 200,
              strictQuery: true,
              ignoredQuery: ['^.*(?:utm_.*)'],
              lastOnly: true,
              absent: false,
            }),
          },
        ],
      }),
    },
  ]);
});

test('a retrieval task compares the data by its schema', () => {
  const results_schema = { type: 'array', items: { type: 'string', format: 'currency' } };
  const expected = { task_type: 'RETRIEVE', status: 'SUCCESS', retrieved_data: [12.5] };
  const task = {
    ...navigate,
    eval: [{ evaluator: 'AgentResponseEvaluator', ordered: true, results_schema, expected }],
  };
  const [result] = readWebArenaTasks([task], sites);
  expect(result).toMatchObject({
    task: {
      outputSchema: {
        properties: { retrieved_data: { type: 'array', items: { type: 'string', description: 'Format: currency' } } },
      },
      checks: [
        {},
        {},
        { output: { pointer: '/retrieved_data', equals: [12.5], schema: results_schema, ordered: true } },
      ],
    },
  });
});

test('a regular expression contains the escaped URL of the site', () => {
  const request = { evaluator: 'NetworkEventEvaluator', expected: { url: '^__REDDIT__/submit/?.*$' } };
  const [result] = readWebArenaTasks([{ ...navigate, eval: [request] }], sites);
  expect(result).toMatchObject({
    task: { checks: [{ request: { url: '^http://127\\.0\\.0\\.1:9999/submit/?.*$' } }] },
  });
});

test.each([
  [
    'a site without a URL',
    { ...navigate, start_urls: ['__SHOPPING_ADMIN__'] },
    'No URL for __SHOPPING_ADMIN__: add it to `environments` of the configuration',
  ],
  [
    'cookies',
    {
      ...navigate,
      eval: [{ evaluator: 'NetworkEventEvaluator', expected: { url: 'http://a', response_cookies: { a: 'b' } } }],
    },
    'The task compares cookies, which HAR files of runs do not contain',
  ],
  ['a missing intent', { ...navigate, intent: undefined }, expect.stringMatching(/^\/intent: /)],
])('%s is reported, not dropped', (_title, task, problem) => {
  expect(readWebArenaTasks([task, navigate], sites)).toEqual([
    { id: expect.any(String), problem },
    { id: '44', task: expect.anything() },
  ]);
});

test('a file without a list is refused', () => {
  expect(() => readWebArenaTasks({}, sites)).toThrow('The file is not a list of WebArena-Verified tasks');
});
