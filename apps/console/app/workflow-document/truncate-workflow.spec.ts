import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { walkNodes } from '@pilothouse/contract/workflow/control-flow.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import type { Path } from './yaml-path.ts';
import { truncateBefore, WAIT_TITLE } from './truncate-workflow.ts';

const text = `name: round
steps:
  - { action: navigate, url: https://a.example }
  - id: rows
    action: loop
    until: steps.last.value == 1
    collect: "{{steps.last.value}}"
    steps:
      - { action: press, key: Enter }
      - { id: last, action: extract, target: { css: h1 }, value: {} }
  - action: try
    steps:
      - { action: reload }
    catch:
      - { action: goBack }
      - { action: screenshot }
  - action: parallel
    branches:
      rate: { action: http, url: https://b.example }
      shop:
        - { action: navigate, url: https://c.example }
        - { action: click, target: { css: a } }
output: "{{steps.last.value}}"
`;

/** Actions of the truncated workflow, in file order. The workflow is valid. */
const actions = (step: Path) => {
  const { steps } = workflowDefinitionSchema.parse(parseWorkflow(truncateBefore(text, step)));
  return [...walkNodes(steps)].map(({ node }) => (node.title === WAIT_TITLE ? 'waits' : node.action)).join(' ');
};

test.each<[Path, string]>([
  [['steps', 0], 'forEach waits'],
  [['steps', 1], 'navigate forEach waits'],
  [['steps', 1, 'steps', 1], 'navigate loop press forEach waits'],
  [['steps', 2, 'steps', 0], 'navigate loop press extract try forEach waits'],
  [['steps', 2, 'catch', 1], 'navigate loop press extract try reload goBack forEach waits'],
  [
    ['steps', 3, 'branches', 'shop', 1],
    'navigate loop press extract try reload goBack screenshot navigate forEach waits',
  ],
])('before %j', (step, expected) => expect(actions(step)).toBe(expected));

test('a missing step is reported', () => expect(() => truncateBefore(text, ['steps', 9])).toThrow('Step not found.'));
