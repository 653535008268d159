import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import { nearestWords } from '@pilothouse/contract/nearest';
import { type Json, idSchema } from '@pilothouse/contract/primitives.schema';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { parse as parseSelector } from 'css-what';
import { patternProblem } from '../../regex/linear-regex.ts';
import { jsonPathProblem } from '../values/read-json.ts';
import { type FoundTemplate, forEachString } from '../templates.ts';
import { joinNames, type LintedWorkflow } from './lint-references.ts';

/** The file of an upload must be an id, or an input of type file. */
export function uploadErrors(
  { inputs }: LintedWorkflow,
  file: string,
  pointer: string,
  templates: FoundTemplate[],
): FieldError[] {
  if (idSchema.safeParse(file).success) return [];
  const [template, ...others] = templates.filter((template) => template.pointer === pointer);
  const isWholeTemplate =
    template !== undefined && others.length === 0 && template.source === file && template.path.length === 2;
  const input = isWholeTemplate && template.path[0] === 'inputs' ? inputs[template.path[1]] : undefined;
  if (input?.type === 'file') return [];
  const files = Object.entries(inputs).flatMap(([name, { type }]) => (type === 'file' ? [name] : []));
  return [
    { pointer, detail: `Use an input of type file, as {{inputs.<name>}}. Inputs of this type: ${joinNames(files)}` },
  ];
}

/** Keys with values of the user. A column may have the name `pattern`. */
const NOT_A_PATTERN = /\/(?:enum|const|default)(?:\/|$)|\/table\/columns\/pattern$/;

/** Maximum number of patterns in a workflow file. Compiling one takes up to two milliseconds. */
const MAX_PATTERNS = 300;

/** Different patterns in one file, counted before any is compiled. */
export function patternCountErrors(definition: LintedWorkflow): FieldError[] {
  const patterns = new Set<string>();
  let lastPointer = '';
  forEachString(
    definition as unknown as Json,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || patterns.size > MAX_PATTERNS) return;
      patterns.add(text);
      lastPointer = pointer;
    },
    '',
  );
  return patterns.size > MAX_PATTERNS
    ? [{ pointer: lastPointer, detail: `A workflow can have at most ${MAX_PATTERNS} different patterns: use fewer` }]
    : [];
}

/** Checks that every `pattern` is supported by `regex/linear-regex.ts`. */
export function patternErrors(value: ValueSchema | Step | Json, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (text, pointer) => {
      if (!pointer.endsWith('/pattern') || NOT_A_PATTERN.test(pointer)) return;
      const problem = patternProblem(text);
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/** A pattern in a locator of a step. */
const LOCATOR_PATTERN = /\/(?:target|to|visible|enabled|hidden|has|within|near|next)(?:\/\d+)?\/pattern$/;

/** Checks each `pattern` of a locator. A pattern with templates is known only after rendering. */
export function locatorProblems(step: Step, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    step as unknown as Json,
    (text, pointer) => {
      if (!LOCATOR_PATTERN.test(pointer) || text.includes('{{')) return;
      const problem = patternProblem(text);
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/** Checks that each `path` into JSON is a JSONPath. A path with templates is known only after rendering. */
export function jsonPathErrors({ json, value, list }: Step & { action: 'extract' }, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    { json: { path: json?.path }, value, list },
    (text, pointer) => {
      const problem = pointer.endsWith('/path') && !text.includes('{{') ? jsonPathProblem(text) : null;
      if (problem !== null) problems.push({ pointer, detail: problem });
    },
    base,
  );
  return problems;
}

/* ARIA roles. A browser finds no element by any other role. */

const roles =
  'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'.split(
    ' ',
  );
const knownRoles: ReadonlySet<string> = new Set(roles);

/** Names without a role. */
const COMMON_ROLES: readonly string[] = [
  'button',
  'link',
  'textbox',
  'combobox',
  'checkbox',
  'heading',
  'row',
  'dialog',
];

/** Maximum number of suggested roles. */
const MAX_SUGGESTIONS = 4;

/** Fields whose value is a locator, or a list of locators. */
const LOCATOR_ROLE = /\/(?:target|to|visible|enabled|hidden|near|has|within|next)(?:\/\d+)?\/role$/;

/** Values of the user. Their fields may have any name. */
const USER_VALUES = /\/(?:json|inputs|vars|outputSchema)\//;

/** Checks each `role` of a locator. A role with templates is known only after rendering. */
export function roleErrors(value: unknown, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (role, pointer) => {
      const isOwn = USER_VALUES.test(pointer.slice(base.length));
      if (!LOCATOR_ROLE.test(pointer) || isOwn || role.includes('{{') || knownRoles.has(role)) return;
      problems.push({
        pointer,
        detail: `"${role}" is not an ARIA role: use e.g. ${nearestRoles(role).join(', ')}`,
      });
    },
    base,
  );
  return problems;
}

/** Fields whose value is a CSS selector. */
const SELECTOR = /\/(?:(?:target|to|visible|enabled|hidden|near|has|within|next)(?:\/\d+)?\/css|json\/script)$/;

/** Checks each CSS selector of a locator. A selector with templates is known only after rendering. */
export function cssErrors(value: unknown, base: string): FieldError[] {
  const problems: FieldError[] = [];
  forEachString(
    value,
    (css, pointer) => {
      const isOwn = /\/(?:inputs|vars|outputSchema|json(?!\/script$))\//.test(pointer.slice(base.length));
      if (!SELECTOR.test(pointer) || isOwn || css.includes('{{')) return;
      const problem = selectorProblem(css);
      if (problem !== null) problems.push({ pointer, detail: `Not a CSS selector: ${problem}. Correct it` });
    },
    base,
  );
  return problems;
}

/** Pseudo-classes of Playwright. It parses their arguments differently: `:has-text('a)b')`. */
const PLAYWRIGHT_PSEUDO_CLASS =
  /:(?:has-text|text|text-is|text-matches|nth-match|visible|light|right-of|left-of|above|below|near)(?![\w-])/i;

/**
 * The problem of a CSS selector, or null. Selectors with `>>`, which joins several engines, and with pseudo-classes of Playwright are
 * not checked.
 */
function selectorProblem(css: string): string | null {
  if (css.includes('>>') || PLAYWRIGHT_PSEUDO_CLASS.test(css)) return null;
  try {
    const selectors = parseSelector(css);
    if (selectors.length === 0) return 'it is empty';
    const misplaced = selectors.flat().find((part) => part.type === 'tag' && /^[!@=$%&?]/.test(part.name));
    return misplaced === undefined ? null : `unexpected "${(misplaced as { name: string }).name}"`;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.trim() : 'it cannot be read';
  }
}

/** Similar roles, the nearest first. */
function nearestRoles(word: string): readonly string[] {
  const similarRoles = nearestWords(word, roles);
  return similarRoles.length > 0 ? similarRoles.slice(0, MAX_SUGGESTIONS) : COMMON_ROLES;
}
