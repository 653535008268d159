import { allSteps, readOutline } from '../workflow-document/workflow-outline.ts';
import { graphTextOf } from './step-sentences.ts';
import { stepSentencesOf } from './step-sentences.server.ts';

const text = `name: order
inputs:
  password: { type: string, secret: true }
  note: { type: string }
steps:
  - action: click
    target: { role: button, name: Log in }
  - action: fill
    title: Enter the password
    target: { label: Password }
    text: '{{inputs.password}}'
  - action: forEach
    in: [1]
    steps:
      - action: type
        target: { label: Note }
        text: '{{inputs.note}}'
  - action: fly
`;

test('the graph shows the sentences of the run page', () => {
  const outline = readOutline(text, () => true);
  const steps = outline ? allSteps(outline.steps) : [];
  const sentences = stepSentencesOf(text);
  expect(steps.map((step) => graphTextOf(step, sentences))).toEqual([
    { name: 'Click button “Log in”', detail: '' },
    { name: 'Enter the password', detail: 'Type “•••• (password)” into “Password”' },
    { name: 'forEach', detail: '1' },
    { name: 'Type “{{inputs.note}}” into “Note”', detail: '' },
    { name: 'fly', detail: '' },
  ]);
});

test.each(['', 'steps: [', '[]', 'steps: 1'])('the text %j has no sentences', (broken) =>
  expect(stepSentencesOf(broken)).toEqual({}),
);
