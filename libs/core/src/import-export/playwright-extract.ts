import { isField, type Column, type Field } from '@pilothouse/contract/actions/extraction.schema';
import { stepSeconds, type Step } from '@pilothouse/contract/workflow/step.schema';
import { locatorCode, targetCode } from './playwright-locators.ts';
import { childPointer, stringLiteral, type StepCode, type Writer } from './code-writer.ts';

type ExtractStep = Step & { action: 'extract' };

/** Code that reads the value of an extract step. */
function extractCode(writer: Writer, step: ExtractStep, pointer: string): string {
  const { target, json, value, list, table, locale } = step;
  if (json || !target)
    return writer.reportUnsupported(
      childPointer(pointer, 'json'),
      'a test cannot read JSON of the page: read an element',
    );
  const language = locale === undefined ? '' : `, ${stringLiteral(locale)}`;
  if (value) {
    const locator = targetCode(writer, target, childPointer(pointer, 'target'));
    return `await ${writer.use('read')}(${locator}, ${fieldCode(writer, value, childPointer(pointer, 'value'))}${language})`;
  }
  if (list) {
    const rowsCode = Array.isArray(target)
      ? targetCode(writer, target, childPointer(pointer, 'target'))
      : locatorCode(writer, target, childPointer(pointer, 'target'), 'visible');
    const read = writer.use('read');
    const rowCode = isField(list)
      ? `await ${read}(row, ${fieldCode(writer, list, childPointer(pointer, 'list'))}${language})`
      : `({ ${Object.entries(list)
          .map(
            ([name, field]) =>
              `${name}: await ${read}(row, ${fieldCode(writer, field, childPointer(pointer, 'list', name))}${language})`,
          )
          .join(', ')} })`;
    return `await Promise.all((await ${rowsCode}.all()).map(async (row) => ${rowCode}))`;
  }
  const columns = Object.entries(table?.columns ?? {}).map(([name, column]) => {
    const { header, ...field }: Column = typeof column === 'string' ? { header: column } : column;
    const code = fieldCode(writer, field, childPointer(pointer, 'table', 'columns', name)).replace(/^\{ ?/, '');
    return `${name}: { header: ${writer.text(header)}${code === '}' ? ' }' : `, ${code}`}`;
  });
  const locator = targetCode(writer, target, childPointer(pointer, 'target'));
  return `await ${writer.use('readTable')}(${locator}, { ${columns.join(', ')} }${language})`;
}

function fieldCode(writer: Writer, field: Omit<Field, 'path'>, pointer: string): string {
  const { css, attribute, type, pattern, optional, currency } = field;
  if (type === 'date' || type === 'money' || currency !== undefined)
    writer.reportUnsupported(pointer, `a test cannot read ${type ?? 'money'}: read a string, or remove the step`);
  const parts = [
    ...(css === undefined ? [] : [`css: ${writer.text(css)}`]),
    ...(attribute === undefined ? [] : [`attribute: ${writer.text(attribute)}`]),
    ...(type === undefined ? [] : [`type: ${stringLiteral(type)}`]),
    ...(pattern === undefined ? [] : [`pattern: ${writer.text(pattern)}`]),
    ...(optional ? ['optional: true'] : []),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** Code of an extract step. A table may continue on further pages. */
export function extractLines(writer: Writer, step: ExtractStep, pointer: string): StepCode {
  const { next, maxPages = 100 } = step.table ?? {};
  const code = extractCode(writer, step, pointer);
  const lines =
    step.list && step.target && !Array.isArray(step.target)
      ? [
          `await expect(${locatorCode(writer, step.target, childPointer(pointer, 'target'), 'visible')}.first()).toBeVisible({ timeout: ${stepSeconds(step) * 1000} });`,
        ]
      : [];
  if (!next) return { lines, value: code };
  const [rows, nextName, previousName] = [
    writer.uniqueName('rows'),
    writer.uniqueName('next'),
    writer.uniqueName('before'),
  ];
  return {
    lines: [
      `const ${rows}: any[] = [];`,
      `for (let number = 1; ; number += 1) {`,
      `  const ${previousName} = ${code};`,
      `  ${rows}.push(...${previousName});`,
      `  const ${nextName} = ${targetCode(writer, next, childPointer(pointer, 'table', 'next'))};`,
      `  if (number >= ${maxPages} || (await ${nextName}.count()) === 0 || (await ${nextName}.isDisabled()) || (await ${nextName}.getAttribute('aria-disabled')) === 'true') break;`,
      `  await ${nextName}.click();`,
      `  await expect(async () => expect(${code}).not.toEqual(${previousName})).toPass({ timeout: 30_000 });`,
      `}`,
    ],
    value: rows,
  };
}
