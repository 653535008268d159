import { isEphemeralLocator, toLocatorChain, type Condition, type Locator, type Target } from '@pilothouse/contract';
import { childPointer, stringLiteral, type Writer } from './writer.ts';

/** How an element is needed: seen by people, or merely there. */
export type RequiredVisibility = 'visible' | 'attached';

/** An expression that is a locator of Playwright. @param pointer of the target */
export function targetCode(
  writer: Writer,
  target: Target,
  pointer: string,
  need: RequiredVisibility = 'visible',
): string {
  const isList = Array.isArray(target);
  const codes = toLocatorChain(target).map((locator, index) =>
    locatorCode(writer, locator, isList ? childPointer(pointer, index) : pointer, need),
  );
  return codes.length === 1 ? (codes[0] ?? '') : `(await ${writer.use('firstOf')}(${codes.join(', ')}))`;
}

/** @param need `attached`: hidden ones count */
export function locatorCode(writer: Writer, locator: Locator, pointer: string, need: RequiredVisibility): string {
  const { role, name, label, placeholder, text, testId, css, exact, hasText, has, pattern, nth, near, within } =
    locator;
  if (isEphemeralLocator(locator))
    return writer.refuse(pointer, 'a test of Playwright cannot name an element by its number or its place');
  if (near)
    return writer.refuse(childPointer(pointer, 'near'), 'Playwright has no stable way to say what is near to what');
  if (pattern !== undefined && (role === undefined ? hasText : name) !== undefined)
    return writer.refuse(
      childPointer(pointer, 'pattern'),
      'a locator of Playwright takes a text or a pattern, not both',
    );
  const root = within ? withinCode(writer, within, childPointer(pointer, 'within')) : 'page';
  const options = (more: string[] = []) => {
    const all = [...more, ...(exact ? ['exact: true'] : [])];
    return all.length === 0 ? '' : `, { ${all.join(', ')} }`;
  };
  const found =
    role !== undefined
      ? `getByRole(${stringLiteral(role)}${options([
          ...(name === undefined ? [] : [`name: ${writer.text(name)}`]),
          ...(pattern !== undefined && name === undefined ? [`name: new RegExp(${writer.text(pattern)}, 'u')`] : []),
          ...(need === 'attached' ? ['includeHidden: true'] : []),
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
  const kept = [
    ...(hasText === undefined ? [] : [`hasText: ${writer.text(hasText)}`]),
    ...(has ? [`has: ${locatorCode(writer, has, childPointer(pointer, 'has'), 'attached')}`] : []),
    ...(pattern !== undefined && role === undefined && hasText === undefined
      ? [`hasText: new RegExp(${writer.text(pattern)}, 'u')`]
      : []),
    ...(need === 'visible' && role === undefined ? ['visible: true'] : []),
  ];
  const filtered = kept.length === 0 ? '' : `.filter({ ${kept.join(', ')} })`;
  return `${root}.${found}${filtered}${nth === undefined ? '' : `.nth(${nth})`}`;
}

/** What is looked in; a frame is known by its selector alone. */
function withinCode(writer: Writer, within: Locator, pointer: string): string {
  const code = locatorCode(writer, within, pointer, 'visible');
  return meansFrame(within.css ?? '') ? `${code}.contentFrame()` : code;
}

/** Whether a selector ends with the name of a frame: only that tells it before there is a page. */
function meansFrame(css: string): boolean {
  const plain = css.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '').replaceAll(/\[[^[\]]*\]|\([^()]*\)/g, '');
  return /^i?frame\b/i.test(plain.split(/[\s>+~]+/).at(-1) ?? '');
}

/** Lines that check a condition. @param ms milliseconds in which it may come true */
export function conditionCode(writer: Writer, condition: Condition, pointer: string, ms: number): string[] {
  const { url, title, text, visible, enabled, hidden, count, loaded } = condition;
  const inTime = `{ timeout: ${ms} }`;
  const at = (part: keyof Condition) => childPointer(pointer, part);
  const lines: string[] = [];
  if (loaded !== undefined) lines.push(`await page.waitForLoadState(${stringLiteral(loaded)}, ${inTime});`);
  if (url !== undefined)
    lines.push(
      `await expect(page).toHaveURL(${writer.use(url.includes('*') ? 'matching' : 'containing')}(${writer.text(url)}), ${inTime});`,
    );
  if (title !== undefined)
    lines.push(`await expect(page).toHaveTitle(${writer.use('containing')}(${writer.text(title)}, 'i'), ${inTime});`);
  if (text !== undefined)
    lines.push(
      `await expect(page.locator('body')).toContainText(${writer.text(text)}, { ignoreCase: true, useInnerText: true, timeout: ${ms} });`,
    );
  if (visible !== undefined)
    lines.push(`await expect(${targetCode(writer, visible, at('visible'))}).toBeVisible(${inTime});`);
  if (enabled !== undefined)
    lines.push(`await expect(${targetCode(writer, enabled, at('enabled'))}).toBeEnabled(${inTime});`);
  if (hidden !== undefined)
    for (const [index, locator] of toLocatorChain(hidden).entries()) {
      const code = locatorCode(
        writer,
        locator,
        Array.isArray(hidden) ? childPointer(at('hidden'), index) : at('hidden'),
        'visible',
      );
      lines.push(`await expect(${code}).toHaveCount(0, ${inTime});`);
    }
  if (count !== undefined) {
    const [first] = toLocatorChain(count.target);
    const pointer = childPointer(at('count'), 'target');
    const where = Array.isArray(count.target) ? childPointer(pointer, 0) : pointer;
    const code = first ? locatorCode(writer, first, where, 'visible') : '';
    const { equals, min = equals ?? 0, max = equals } = count;
    if (equals !== undefined) lines.push(`await expect(${code}).toHaveCount(${equals}, ${inTime});`);
    else {
      const counted = `await expect.poll(() => ${code}.count(), ${inTime})`;
      if (min > 0) lines.push(`${counted}.toBeGreaterThanOrEqual(${min});`);
      if (max !== undefined) lines.push(`${counted}.toBeLessThanOrEqual(${max});`);
    }
  }
  return lines;
}
