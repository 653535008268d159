import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockActions } from '@pilothouse/contract/workflow/control-flow.schema';
import { stepActions } from '@pilothouse/contract/workflow/step.schema';
import { sections } from '../docs/actions-page.ts';
import { problemsOfBlock, yamlBlocksOf } from './workflow-examples.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort();

test('the workflows and steps in the docs are valid', () => {
  const problems = pages.flatMap((page) =>
    yamlBlocksOf(readFileSync(join(root, page), 'utf8')).flatMap((block) => problemsOfBlock(block, page)),
  );
  expect(problems).toEqual([]);
});

test('the page of actions has a section for each action', () => {
  expect(Object.values(sections).flat().sort()).toEqual([...stepActions, ...blockActions].sort());
});

describe('a block', () => {
  const problemsOf = (text: string) => problemsOfBlock({ text, line: 7 }, 'docs/page.md');

  test.each([
    ['a workflow', 'name: demo\nsteps:\n  - { action: navigate, url: https://example.com }'],
    [
      'steps that use names of their workflow',
      "- { action: fill, target: { label: E-mail }, text: '{{inputs.email}}' }",
    ],
    ['steps of a desktop', '- { action: openApp, app: mousepad }'],
  ])('with %s is valid', (_, text) => expect(problemsOf(text)).toEqual([]));

  test.each([
    ['a step with an unknown field', '- { action: navigate, uri: x }', 'docs/page.md:7 step /0/'],
    ['a secret in a URL', 'name: demo\nsteps:\n  - { action: navigate, url: "{{inputs.x}}" }', 'unknown input "x"'],
    ['other YAML', 'replicas: 2', 'docs/page.md:7 is neither a workflow nor a list of steps'],
    ['broken YAML', 'a: [', 'docs/page.md:7 '],
  ])('with %s has a problem with file and line', (_, text, problem) =>
    expect(problemsOf(text)).toContainEqual(expect.stringContaining(problem)),
  );

  test('is found by its line; other languages and marked blocks are not', () => {
    const text = '# Page\n\n```sh\nls\n```\n\n```yaml values\na: 1\n```\n\n- item\n\n  ```yaml\n  name: demo\n  ```\n';
    expect(yamlBlocksOf(text)).toEqual([{ line: 14, text: 'name: demo' }]);
  });
});
