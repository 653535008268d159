import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ElementView } from '@pilothouse/contract/observation/observation.schema';
import { Document } from 'yaml';

/** Controls and marks of direction cannot be printed; `{{` begins a template in a workflow. */
const unprintable = /[\p{Cc}\p{Cf}]|\{\{/u;

/**
 * Lines that show the locators of an element for a workflow: the most stable locator, its test id and its id. Each is a
 * YAML flow map for `target`.
 * @param isInRow true: lines of several elements follow each other, so each line starts with the index of its element
 */
export function locatorLines({ index, locators = [] }: ElementView, isInRow: boolean): string[] {
  return locators
    .filter((locator, order) => order === 0 || isById(locator))
    .map(flowMap)
    .filter((text) => !unprintable.test(text))
    .map((text) => `    ${isInRow ? `[${index}] ` : ''}${text}`);
}

const isById = ({ testId, css, within }: Locator): boolean =>
  within === undefined && (testId !== undefined || /^#[^\s>:[\].]+$/.test(css ?? ''));

/** A locator on one line, as it can be pasted into a workflow file. */
const flowMap = (locator: Locator): string =>
  new Document(locator).toString({ lineWidth: 0, collectionStyle: 'flow' }).trim();
