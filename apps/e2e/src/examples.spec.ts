import { globSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stepsSchema } from '@pilothouse/contract/workflow/workflow-node.schema';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { readYaml } from '@pilothouse/core/workflow/parse-yaml';

const root = join(import.meta.dirname, '../../..');
const examples = join(root, 'docs/examples');

test('every example of the documentation is a valid workflow', async () => {
  const files = (await readdir(examples)).filter((name) => name.endsWith('.yaml'));
  expect(files).toContain('harbour-order.yaml');
  for (const file of files) {
    const { name } = parseWorkflow(await readFile(join(examples, file), 'utf8'), { file });
    expect(`${name}.yaml`).toBe(file);
  }
});

/** YAML blocks of a page. */
const readSnippets = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, snippet = '']) => snippet);

const snippets = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  .sort()
  .flatMap((page) => readSnippets(page).map((snippet, index) => [`${page}, snippet ${index + 1}`, snippet] as const));

const workflows = snippets.filter(([, snippet]) => /^name:/m.test(snippet) && /^steps:/m.test(snippet));
const stepLists = snippets.filter(([, snippet]) => /^- (?:\{ )?(?:id|action|title|if):?\b/.test(snippet));

test('the documentation has workflows and steps', () =>
  expect(Math.min(workflows.length, stepLists.length)).toBeGreaterThan(10));

test.each(workflows)('the workflow of %s is valid', (file, snippet) => {
  expect(() => parseWorkflow(snippet, { file })).not.toThrow();
});

// Steps of a page refer to inputs that another part of the page declares, so only their fields are checked.
test.each(stepLists)('the steps of %s are valid', (_, snippet) => {
  const { error } = stepsSchema.safeParse(readYaml(snippet)?.value);
  expect(error?.issues ?? []).toEqual([]);
});
