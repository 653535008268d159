import { parse } from 'yaml';
import { replaceTarget } from './replace-target.ts';

const control = { role: 'button', name: 'Submit renewal' };
const text = `name: renew
steps:
  # Opens the form.
  - action: navigate
    url: https://site.test
  - id: send
    action: click
    target: { role: button, name: Request renewal }
  - action: forEach
    in: [1, 2]
    steps:
      - action: click
        target: [{ within: { css: main }, role: button, name: Request renewal }, { css: '#go' }]
  - action: call
    workflow: other
`;

test('the locator of a step is replaced, and the rest of the file stays', () => {
  const replaced = replaceTarget(text, 'send', control) ?? '';
  expect(replaced).toContain('name: Submit renewal');
  expect(replaced).toContain('exact: true');
  expect(replaced).toContain('# Opens the form.');
  expect(replaced.match(/Request renewal/g)).toHaveLength(1);
});

test('the step of an iteration keeps its scope and its other locators', () => {
  const { steps } = parse(replaceTarget(text, '3[2]/1', control) ?? '') as { steps: unknown[] };
  expect(steps.slice(1, 3)).toMatchObject([
    { target: { name: 'Request renewal' } },
    { steps: [{ target: [{ within: { css: 'main' }, ...control, exact: true }, { css: '#go' }] }] },
  ]);
});

test.each(['1', '9', '4/1', 'nowhere', ''])('the step %j has no target to replace', (path) =>
  expect(replaceTarget(text, path, control)).toBeNull(),
);

test('a file that is no YAML is not changed', () => expect(replaceTarget('steps: [', 'send', control)).toBeNull());
