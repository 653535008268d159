import { type Condition, conditionTexts } from '@pilothouse/contract/actions/condition.schema';
import {
  type Locator,
  type Target,
  isEphemeralLocator,
  toLocatorChain,
} from '@pilothouse/contract/actions/locator.schema';
import { type Writer, childPointer, stringLiteral } from './code-writer.ts';

/** Required state of an element: visible, or only attached. */
export type RequiredVisibility = 'visible' | 'attached';

/** An expression that is a locator of Playwright. @param pointer of the target */
export function targetCode(
  writer: Writer,
  target: Target,
  pointer: string,
  visibility: RequiredVisibility = 'visible',
): string {
  const isList = Array.isArray(target);
  const codes = toLocatorChain(target).map((locator, index) =>
    locatorCode(writer, locator, isList ? childPointer(pointer, index) : pointer, visibility),
  );
  return codes.length === 1 ? (codes[0] ?? '') : `(await ${writer.use('firstOf')}(${codes.join(', ')}))`;
}

/** @param visibility `attached`: includes hidden elements */
export function locatorCode(writer: Writer, locator: Locator, pointer: string, visibility: RequiredVisibility): string {
  const { role, name, label, placeholder, text, testId, css, exact, hasText, has, pattern, nth, near, within } =
    locator;
  if (isEphemeralLocator(locator))
    return writer.reportUnsupported(
      pointer,
      'a test cannot use `elementIndex`, `point` or `focus`: use another locator',
    );
  if (near)
    return writer.reportUnsupported(
      childPointer(pointer, 'near'),
      'Playwright has no stable equivalent of `near`: use another locator',
    );
  if (pattern !== undefined && (role === undefined ? hasText : name) !== undefined)
    return writer.reportUnsupported(
      childPointer(pointer, 'pattern'),
      'a Playwright locator has either a text or a pattern: remove one of them',
    );
  const root = within ? withinCode(writer, within, childPointer(pointer, 'within')) : 'page';
  const options = (properties: string[] = []) => {
    const allProperties = [...properties, ...(exact ? ['exact: true'] : [])];
    return allProperties.length === 0 ? '' : `, { ${allProperties.join(', ')} }`;
  };
  const locatorCall =
    role !== undefined
      ? `getByRole(${stringLiteral(role)}${options([
          ...(name === undefined ? [] : [`name: ${writer.text(name)}`]),
          ...(pattern !== undefined && name === undefined ? [`name: new RegExp(${writer.text(pattern)}, 'u')`] : []),
          ...(visibility === 'attached' ? ['includeHidden: true'] : []),
        ])})`
      : label !== undefined
        ? `getByLabel(${writer.text(label)}${options()})`
        : placeholder !== undefined
          ? `getByPlaceholder(${writer.text(placeholder)}${options()})`
          : text !== undefined
            ? `getByText(${writer.text(text)}${options()})`
            : testId !== undefined
              ? `getByTestId(${writer.text(testId)})`
              : `locator(${writer.text(css ?? '')})`;
  const filters = [
    ...(hasText === undefined ? [] : [`hasText: ${writer.text(hasText)}`]),
    ...(has ? [`has: ${locatorCode(writer, has, childPointer(pointer, 'has'), 'attached')}`] : []),
    ...(pattern !== undefined && role === undefined && hasText === undefined
      ? [`hasText: new RegExp(${writer.text(pattern)}, 'u')`]
      : []),
    ...(visibility === 'visible' && role === undefined ? ['visible: true'] : []),
  ];
  const filterCode = filters.length === 0 ? '' : `.filter({ ${filters.join(', ')} })`;
  return `${root}.${locatorCall}${filterCode}${nth === undefined ? '' : `.nth(${nth})`}`;
}

/** The search root. A frame is identified by its selector only. */
function withinCode(writer: Writer, within: Locator, pointer: string): string {
  const code = locatorCode(writer, within, pointer, 'visible');
  return endsWithFrame(within.css ?? '') ? `${code}.contentFrame()` : code;
}

/** True if a selector ends with a frame, known only from its name before a page exists. */
function endsWithFrame(css: string): boolean {
  const selector = css.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '').replaceAll(/\[[^[\]]*\]|\([^()]*\)/g, '');
  return /^i?frame\b/i.test(selector.split(/[\s>+~]+/).at(-1) ?? '');
}

/** Lines that check a condition. @param ms milliseconds in which it may come true */
export function conditionCode(writer: Writer, condition: Condition, pointer: string, ms: number): string[] {
  const { url, title, text, visible, enabled, hidden, count, loadState } = condition;
  const timeoutOption = `{ timeout: ${ms} }`;
  const pointerOf = (part: keyof Condition) => childPointer(pointer, part);
  const lines: string[] = [];
  if (loadState !== undefined)
    lines.push(`await page.waitForLoadState(${stringLiteral(loadState)}, ${timeoutOption});`);
  if (url !== undefined)
    lines.push(
      `await expect(page).toHaveURL(${writer.use(url.includes('*') ? 'matching' : 'containing')}(${writer.text(url)}), ${timeoutOption});`,
    );
  if (title !== undefined)
    lines.push(
      `await expect(page).toHaveTitle(${writer.use('containing')}(${writer.text(title)}, 'i'), ${timeoutOption});`,
    );
  for (const expectedText of conditionTexts({ text }))
    lines.push(
      `await expect(page.locator('body')).toContainText(${writer.text(expectedText)}, { ignoreCase: true, useInnerText: true, timeout: ${ms} });`,
    );
  if (visible !== undefined)
    lines.push(`await expect(${targetCode(writer, visible, pointerOf('visible'))}).toBeVisible(${timeoutOption});`);
  if (enabled !== undefined)
    lines.push(`await expect(${targetCode(writer, enabled, pointerOf('enabled'))}).toBeEnabled(${timeoutOption});`);
  if (hidden !== undefined)
    for (const [index, locator] of toLocatorChain(hidden).entries()) {
      const code = locatorCode(
        writer,
        locator,
        Array.isArray(hidden) ? childPointer(pointerOf('hidden'), index) : pointerOf('hidden'),
        'visible',
      );
      lines.push(`await expect(${code}).toHaveCount(0, ${timeoutOption});`);
    }
  if (count !== undefined) {
    const [first] = toLocatorChain(count.target);
    const pointer = childPointer(pointerOf('count'), 'target');
    const locatorPointer = Array.isArray(count.target) ? childPointer(pointer, 0) : pointer;
    const code = first ? locatorCode(writer, first, locatorPointer, 'visible') : '';
    const { equals, min = equals ?? 0, max = equals } = count;
    if (equals !== undefined) lines.push(`await expect(${code}).toHaveCount(${equals}, ${timeoutOption});`);
    else {
      const countCode = `await expect.poll(() => ${code}.count(), ${timeoutOption})`;
      if (min > 0) lines.push(`${countCode}.toBeGreaterThanOrEqual(${min});`);
      if (max !== undefined) lines.push(`${countCode}.toBeLessThanOrEqual(${max});`);
    }
  }
  return lines;
}
