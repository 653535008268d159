import { withoutControlTokens } from './control-tokens.ts';

test.each([
  ['<|im_end|>', '< |im_end| >'],
  ['<｜User｜>', '< ｜User｜ >'],
  ['<|turn>user', '< |turn >user'],
  ['model<turn|>', 'model< turn| >'],
  ['[INST]', '[ INST ]'],
  ['[/THINK]', '[ /THINK ]'],
  ['<unused7>', '< unused7 >'],
  ['<start_function_response>', '< start_function_response >'],
  ['<<SYS>>', '< < SYS > >'],
  // A further bracket hides no token.
  ['<<s>', '< < s >'],
  ['</s>>', '< /s > >'],
  ['<arg_key>', '< arg_key >'],
  ['</minimax:tool_call>', '< /minimax:tool_call >'],
  ['<seed:think>', '< seed:think >'],
  ['<fim_suffix>', '< fim_suffix >'],
  ['<<s>>', '< < s > >'],
])('%s is no control token of a chat template', (text, separated) => {
  expect(withoutControlTokens(text)).toBe(separated);
});

test.each(['a < b | c > d', '<b>', '<a|b>', '[x]', 'x<y>z'])('%s stays as it is', (text) => {
  expect(withoutControlTokens(text)).toBe(text);
});

test('a long text of brackets takes linear time', () => {
  for (const part of ['<', '<|', '<a', '['])
    expect(withoutControlTokens(part.repeat(200_000))).toHaveLength(part.length * 200_000);
});
