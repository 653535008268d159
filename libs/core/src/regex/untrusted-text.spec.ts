import { isAura } from '../agent/dialects/aura.dialect.ts';
import { Templatizer } from '../agent/compile/templatizer.ts';
import { parseJsonObject } from '../model/structured-output.ts';
import { parseNumber } from '../workflow/values/parse-number.ts';
import { escapeBeforeTemplate, escapeTemplates } from '../workflow/templates.ts';

const LENGTH = 300_000;

/** Texts of pages and models on which a pattern such as `\s+$` takes quadratic time. */
const hostile: [string, (text: string) => unknown, string][] = [
  ['backslashes before a template', escapeTemplates, '\\'.repeat(LENGTH)],
  ['backslashes at the end', escapeBeforeTemplate, `${'\\'.repeat(LENGTH)}!`],
  ['spaces before a number', (text) => parseNumber(text), `x${' '.repeat(LENGTH)}y7`],
  ['an answer with open braces', parseJsonObject, '{'.repeat(LENGTH)],
  ['an answer with an open fence', isAura, `\`\`\`${' '.repeat(LENGTH)}!`],
  [
    'braces before a value',
    (text) => new Templatizer([{ template: '{{inputs.a}}', value: 'value' }], []).hasInputAfterBrace(text),
    `${'{'.repeat(LENGTH)}! value`,
  ],
];

test.each(hostile)('%s', (_, read, text) => {
  const start = performance.now();
  read(text);
  expect(performance.now() - start).toBeLessThan(2000);
});
