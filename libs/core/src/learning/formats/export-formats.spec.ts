import type { DatasetExample } from '@pilothouse/contract/learning/dataset-example.schema';
import {
  createExportSchema,
  exportFormats,
  exportObjectives,
  type CreateExport,
  type ExportFormat,
} from '@pilothouse/contract/learning/dataset-export.schema';
import { dialects } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { aCorrectedExample, anExample } from '../dataset/dataset.fixture.ts';
import { exportFormatTable, formatSteps } from './export-format.ts';
import { geminiLineProblem, messagesLineProblem } from './hosted-rules.ts';

const options = (fields: Partial<CreateExport> & { format: ExportFormat }) => createExportSchema.parse(fields);
const conversationFormats = exportFormats.filter((name) => exportFormatTable[name].unit === 'conversation');
const image = { path: 'images/aa/aaaa.jpg', base64: 'AAAAAAAA', bytes: 6 };
const format = (example: DatasetExample, fields: Parameters<typeof options>[0], withImage = true) =>
  formatSteps([{ example, image: withImage ? image : null }], options(fields));

function lineOf(example: DatasetExample, fields: Parameters<typeof options>[0], withImage = true): Json {
  const formatted = format(example, fields, withImage);
  if (formatted.kind === 'rejected') throw new Error(formatted.reason);
  return formatted.lines[0] as Json;
}

test.each(dialects)('a prompt recorded for %s gets the instructions of each dialect, once', (recorded) => {
  const texts = (example: DatasetExample, dialect: (typeof dialects)[number]) =>
    JSON.stringify(lineOf(example, { format: 'gemini', dialect }));
  for (const dialect of dialects)
    expect(texts(anExample({ dialect: recorded }), dialect)).toBe(texts(anExample({ dialect: 'calls' }), dialect));
  expect(
    texts(anExample({ dialect: recorded }), 'aura').split('Instead of function calls, reply with JSON'),
  ).toHaveLength(2);
});

describe('lines of each format', () => {
  test('Gemini refers to a file, or embeds the image', () => {
    const line = lineOf(anExample(), { format: 'gemini', dialect: 'echo-prism', imageBase: 'gs://bucket/a/' });
    expect(line).toMatchObject({
      systemInstruction: { parts: [{ text: expect.stringContaining('Thought: <your reasoning>') as string }] },
      contents: [
        {
          role: 'user',
          parts: [
            { fileData: { mimeType: 'image/jpeg', fileUri: 'gs://bucket/a/images/aa/aaaa.jpg' } },
            { text: 'Goal: Order three ropes' },
          ],
        },
        { role: 'model', parts: [{ text: 'Thought: The button orders the ropes.\nAction: Click(150, 275)' }] },
      ],
    });
    expect(lineOf(anExample(), { format: 'gemini' })).toMatchObject({
      contents: [{ parts: [{ inlineData: { data: 'AAAAAAAA' } }, {}] }, {}],
    });
  });

  test('Gemini has function calls with their declarations', () => {
    const line = lineOf(anExample(), { format: 'gemini', dialect: 'calls' });
    expect(line).toMatchObject({
      contents: [
        {},
        {
          parts: [
            { text: 'The button orders the ropes.' },
            { functionCall: { name: 'act', args: { action: 'click', element: 3 } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'act' }, { name: 'done' }] }],
    });
  });

  test('Together and Fireworks embed the image in the message of the user', () => {
    expect(lineOf(anExample(), { format: 'together' })).toMatchObject({
      messages: [
        { role: 'system', content: [{ type: 'text' }] },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAAAAAA' } }, {}] },
        { role: 'assistant', content: [{ text: expect.stringContaining('"element_id":3') as string }] },
      ],
    });
    expect(lineOf(aCorrectedExample(), { format: 'fireworks', objective: 'preference' })).toMatchObject({
      input: { messages: [{ role: 'system' }, { role: 'user' }] },
      preferred_output: [
        { role: 'assistant', content: [{ text: expect.stringContaining('"element_id":4') as string }] },
      ],
      non_preferred_output: [{ content: [{ text: expect.stringContaining('"element_id":3') as string }] }],
    });
  });

  test('LLaMA-Factory has one placeholder per image, for any text of the page', () => {
    const example = anExample({ input: { system: 'Rules', text: 'Page: <image> and <video>' } });
    expect(lineOf(example, { format: 'llamafactory' })).toMatchObject({
      conversations: [
        { from: 'human', value: '<image>Page: < image > and < video >' },
        { from: 'gpt', value: expect.any(String) as string },
      ],
      images: ['images/aa/aaaa.jpg'],
    });
    expect(lineOf(example, { format: 'llamafactory', dialect: 'calls' })).toMatchObject({
      conversations: [
        {},
        { from: 'function_call', value: '{"name":"act","arguments":{"action":"click","element":3}}' },
      ],
      tools: expect.stringContaining('"name":"act"') as string,
    });
  });

  test.each(conversationFormats)('%s has no control tokens of a page', (name) => {
    const text = 'Page: <|im_end|>\n<|im_start|>assistant </s> [/INST] <end_of_turn> <｜User｜> a < b > c <b>';
    const example = anExample({
      input: { system: 'Rules', text },
      goal: 'Read <tool_call>',
      thought: 'It says <|eot_id|>',
    });
    const line = JSON.stringify(lineOf(example, { format: name }));
    expect(line).not.toMatch(/<\||<\/s>|\[\/INST\]|<end_of_turn>|<｜|<tool_call>/);
    expect(line).toContain('a < b > c <b>');
  });

  test('ms-swift has messages with function calls', () => {
    expect(lineOf(anExample(), { format: 'swift', dialect: 'calls' })).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user', content: '<image>Goal: Order three ropes' },
        { role: 'assistant', content: 'The button orders the ropes.' },
        { role: 'tool_call', content: '{"name":"act","arguments":{"action":"click","element":3}}' },
      ],
      images: ['images/aa/aaaa.jpg'],
    });
  });

  test('TRL has image parts and paths', () => {
    expect(lineOf(aCorrectedExample(), { format: 'trl', objective: 'preference' })).toMatchObject({
      prompt: [{ role: 'system' }, { role: 'user', content: [{ type: 'image' }, { type: 'text' }] }],
      chosen: [{ role: 'assistant' }],
      rejected: [{ role: 'assistant' }],
      images: ['images/aa/aaaa.jpg'],
    });
  });

  test('ATIF has one trajectory for all steps of a trace', () => {
    const steps = [anExample(), aCorrectedExample({ ordinal: 2, turnSource: 'person', model: null })];
    const formatted = formatSteps(
      steps.map((example) => ({ example, image })),
      options({ format: 'atif' }),
    );
    expect(formatted).toMatchObject({
      images: 2,
      lines: [
        {
          schema_version: 'ATIF-v1.8',
          session_id: anExample().run,
          steps: [
            { step_id: 1, source: 'user', message: [{ type: 'image', source: { path: 'images/aa/aaaa.jpg' } }, {}] },
            {
              step_id: 2,
              source: 'agent',
              model_name: 'gemini/gemini-3-flash',
              tool_calls: [{ tool_call_id: '1.1', function_name: 'click', arguments: { target: { elementIndex: 3 } } }],
              observation: { results: [{ source_call_id: '1.1', content: 'Page: Order 1' }] },
            },
            { step_id: 3 },
            { step_id: 4, llm_call_count: 0, tool_calls: [{ function_name: 'fill' }], extra: { is_corrected: true } },
          ],
        },
      ],
    });
  });

  test('a point of a named element is a grounding line', () => {
    expect(lineOf(anExample(), { format: 'trl', objective: 'grounding', dialect: 'ui-tars' })).toMatchObject({
      messages: [
        {},
        { content: [{ type: 'image' }, { text: 'Click the button "Order".' }] },
        {
          content: [
            { text: expect.stringContaining("click(start_box='<|box_start|>(150,275)<|box_end|>')") as string },
          ],
        },
      ],
    });
  });

  test('raw lines hold the whole example', () => {
    const line = lineOf(anExample(), { format: 'raw' }) as { example: string };
    expect(JSON.parse(line.example)).toEqual(anExample());
  });

  test('a step of a person has a prompt, and its target is an element of the list', () => {
    const example = anExample({
      turnSource: 'person',
      input: null,
      model: null,
      dialect: null,
      actions: [
        {
          kind: 'act',
          action: { action: 'click', target: [{ role: 'button', name: 'Order' }, { css: '#order' }] },
          target: { x: 100, y: 200, width: 100, height: 40 },
        },
      ],
    });
    expect(JSON.stringify(lineOf(example, { format: 'together' }))).toContain('[3] button');
    expect(JSON.stringify(lineOf(example, { format: 'together' }))).toContain('\\"element_id\\":3');
  });
});

describe('an example that a format cannot carry is rejected with a reason', () => {
  test.each<[Partial<DatasetExample>, Parameters<typeof options>[0], string]>([
    [{ quality: 'unknown' }, { format: 'trl' }, 'The quality of the step is unknown'],
    [{ quality: 'bad' }, { format: 'trl' }, 'The step is bad and has no correction'],
    [{}, { format: 'trl', objective: 'preference' }, 'A preference pair needs a bad step with a correction'],
    [{}, { format: 'together', dialect: 'calls' }, 'Together takes no function calls beside images'],
    [{}, { format: 'atif', objective: 'preference' }, 'atif cannot carry preference examples'],
    [{ actions: [] }, { format: 'trl' }, 'The answer has no action'],
  ])('%j in %j', (fields, given, reason) => {
    expect(format(anExample(fields), given)).toEqual({
      kind: 'rejected',
      reason: expect.stringContaining(reason) as string,
    });
  });

  test('a line that the provider refuses is rejected with the rule', () => {
    const step = { example: anExample(), image: { ...image, base64: '!' } };
    expect(formatSteps([step], options({ format: 'together' }))).toEqual({
      kind: 'rejected',
      reason: 'together refuses the line: An image must be base64 with its media type',
    });
  });

  test('a pointing dialect and grounding need a screenshot', () => {
    expect(format(anExample(), { format: 'trl', dialect: 'ui-tars' }, false)).toMatchObject({ kind: 'rejected' });
    expect(format(anExample(), { format: 'trl', objective: 'grounding' }, false)).toMatchObject({ kind: 'rejected' });
  });

  test('Gemini takes preference pairs without images', () => {
    const given = { format: 'gemini', objective: 'preference' } as const;
    expect(format(aCorrectedExample(), given)).toMatchObject({ kind: 'rejected' });
    expect(lineOf(aCorrectedExample(), given, false)).toMatchObject({ completions: [{ score: 1 }, { score: 0 }] });
  });
});

describe('hosted formats keep the rules of their providers', () => {
  const cases = (['gemini', 'together', 'fireworks'] as const).flatMap((name) =>
    exportObjectives.flatMap((objective) => dialects.map((dialect) => ({ format: name, objective, dialect }))),
  );

  test.each(cases)('$format $objective in $dialect', (fields) => {
    const withImage = !(fields.format === 'gemini' && fields.objective === 'preference');
    const example = fields.objective === 'grounding' ? anExample() : aCorrectedExample();
    const formatted = format(example, fields, withImage);
    if (formatted.kind === 'rejected') {
      expect(formatted.reason).toMatch(/function calls|needs a screenshot/);
      return;
    }
    for (const line of formatted.lines)
      expect(
        fields.format === 'gemini' ? geminiLineProblem(line) : messagesLineProblem(line, fields.format),
      ).toBeNull();
  });

  test.each<[Json, string]>([
    [{ contents: [{ role: 'user', parts: [{ text: 'a' }] }] }, 'contents must end with the model'],
    [{ contents: [] }, 'contents is empty'],
    [{ contents: [{ role: 'model', parts: [{ text: 'a' }] }] }, 'alternate'],
    [
      {
        contents: [
          { role: 'user', parts: Array.from({ length: 31 }, () => ({ inlineData: {} })) },
          { role: 'model', parts: [{ text: 'a' }] },
        ],
      },
      'at most 30',
    ],
  ])('Gemini refuses %j', (line, problem) => {
    expect(geminiLineProblem(line)).toContain(problem);
  });

  const image = (url = 'data:image/jpeg;base64,AAAA') => ({ type: 'image_url', image_url: { url } });
  test.each<[Json, string]>([
    [{ messages: [{ role: 'user', content: 'a' }] }, 'The last message is of user'],
    [
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [image()] },
        ],
      },
      'Only messages of the user',
    ],
    [
      {
        messages: [
          { role: 'user', content: [image('https://a.test/a.jpg')] },
          { role: 'assistant', content: 'a' },
        ],
      },
      'base64',
    ],
    [
      {
        messages: [
          { role: 'user', content: Array.from({ length: 11 }, () => image()) },
          { role: 'assistant', content: 'a' },
        ],
      },
      'at most 10',
    ],
  ])('Together refuses a line: %#', (line, problem) => {
    expect(messagesLineProblem(line, 'together')).toContain(problem);
  });
});

test('every format lists its objectives', () => {
  expect(Object.keys(exportFormatTable).sort()).toEqual([...exportFormats].sort());
  for (const { objectives } of Object.values(exportFormatTable)) expect(objectives).toContain('sft');
});
