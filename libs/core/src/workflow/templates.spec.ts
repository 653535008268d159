import { escapeTemplates, parseTemplate, findTemplates } from './templates.ts';

describe('parseTemplate', () => {
  test.each([
    ['', []],
    ['plain } and { text', [{ kind: 'literal', text: 'plain } and { text' }]],
    ['{{inputs.sku}}', [{ kind: 'template', path: ['inputs', 'sku'], source: '{{inputs.sku}}' }]],
    ['{{ run.epoch }}', [{ kind: 'template', path: ['run', 'epoch'], source: '{{ run.epoch }}' }]],
    [
      'a {{steps.rows.value.0.sku}} b',
      [
        { kind: 'literal', text: 'a ' },
        { kind: 'template', path: ['steps', 'rows', 'value', '0', 'sku'], source: '{{steps.rows.value.0.sku}}' },
        { kind: 'literal', text: ' b' },
      ],
    ],
    ['\\{{inputs.sku}}', [{ kind: 'literal', text: '{{inputs.sku}}' }]],
    [
      '\\\\{{inputs.sku}}',
      [
        { kind: 'literal', text: '\\' },
        { kind: 'template', path: ['inputs', 'sku'], source: '{{inputs.sku}}' },
      ],
    ],
    ['C:\\temp', [{ kind: 'literal', text: 'C:\\temp' }]],
  ])('%j', (text, parts) => expect(parseTemplate(text)).toEqual(parts));

  test.each([
    '{{}}',
    '{{inputs}}',
    '{{inputs.}}',
    '{{.sku}}',
    '{{inputs.a b}}',
    '{{inputs.a-b}}',
    '{{inputs.sku | upper}}',
    '{{inputs["sku"]}}',
    '{{1 + 1}}',
    '{{steps.rows}}',
    '{{steps.rows.rows}}',
    '{{run.name}}',
    '{{run.id.x}}',
    '{{env.HOME}}',
    '{{inputs.01}}',
    '{{inputs.sku',
    '{{inputs.{{inputs.sku}}}}',
    '{{{inputs.sku}}}',
  ])('refuses %s', (text) => {
    expect(() => parseTemplate(text)).toThrow(expect.objectContaining({ code: 'TEMPLATE_INVALID' }));
  });

  test('an escaped template is literal text', () => {
    for (const text of ['{{inputs.a}}', 'a \\{{ b', '\\\\{{x', 'none']) {
      expect(parseTemplate(escapeTemplates(text))).toEqual([{ kind: 'literal', text }]);
    }
  });
});

test('templatesIn finds templates at any depth, with their pointers', () => {
  const value = { 'a/b': ['{{inputs.x}} and {{run.id}}'], n: 3, deep: { t: '{{steps.s.value}}' } };
  expect(findTemplates(value)).toEqual([
    expect.objectContaining({ pointer: '/a~1b/0', path: ['inputs', 'x'] }),
    expect.objectContaining({ pointer: '/a~1b/0', path: ['run', 'id'] }),
    expect.objectContaining({ pointer: '/deep/t', path: ['steps', 's', 'value'] }),
  ]);
});
