import {
  assertNever,
  locatorsOf,
  type Action,
  type Condition,
  type Locator,
  type Step,
  type Target,
} from '@pilothouse/contract';

const MAX = 60;

const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX ? `${line.slice(0, MAX - 1)}…` : line;
};

const quoted = (text: string) => `“${short(text)}”`;

/** A locator in words that name each of its parts: `role=row[name="Total"] >> role=button[name="Pay" exact]`. */
export function describeLocator(locator: Locator): string {
  const { within, role, name, label, placeholder, text, testId, css, exact, hasText, nth } = locator;
  const sameCase = exact ? ' exact' : '';
  const parts = [];
  if (role !== undefined)
    parts.push(`role=${role}${name === undefined ? '' : `[name=${JSON.stringify(name)}${sameCase}]`}`);
  if (label !== undefined) parts.push(`label=${JSON.stringify(label)}${sameCase}`);
  if (placeholder !== undefined) parts.push(`placeholder=${JSON.stringify(placeholder)}${sameCase}`);
  if (text !== undefined) parts.push(`text=${JSON.stringify(text)}${sameCase}`);
  if (testId !== undefined) parts.push(`testId=${JSON.stringify(testId)}`);
  if (css !== undefined) parts.push(`css=${css}`);
  if (hasText !== undefined) parts.push(`[hasText=${JSON.stringify(hasText)}]`);
  if (nth !== undefined) parts.push(`[nth=${nth}]`);
  return `${within ? `${describeLocator(within)} >> ` : ''}${parts.join('')}`;
}

/** The first locator of a target, as a person would call the element. */
function element(target: Target): string {
  const [locator] = locatorsOf(target);
  if (!locator) return 'nothing';
  const { role, name, label, placeholder, text, testId, css } = locator;
  if (role !== undefined)
    return name === undefined
      ? locator.hasText
        ? `${role} ${quoted(locator.hasText)}`
        : role
      : `${role} ${quoted(name)}`;
  if (label !== undefined) return quoted(label);
  if (placeholder !== undefined) return quoted(placeholder);
  if (text !== undefined) return quoted(text);
  return testId === undefined ? short(css ?? '') : quoted(testId);
}

function condition({ url, title, text, visible, hidden }: Condition): string {
  const parts = [];
  if (url !== undefined) parts.push(`URL ${short(url)}`);
  if (title !== undefined) parts.push(`title ${quoted(title)}`);
  if (text !== undefined) parts.push(`text ${quoted(text)}`);
  if (visible !== undefined) parts.push(element(visible));
  if (hidden !== undefined) parts.push(`no ${element(hidden)}`);
  return parts.join(' and ');
}

/** One line for people about an action. Templates, those of secrets among them, stand as they are written. */
export function actionSummary(action: Action): string {
  switch (action.action) {
    case 'navigate':
      return `Open ${short(action.url)}`;
    case 'click':
      return `Click ${element(action.target)}`;
    case 'type':
      return `${action.append ? 'Add' : 'Type'} ${quoted(action.text)} ${action.append ? 'to' : 'into'} ${element(action.target)}`;
    case 'press':
      return `Press ${short(action.key)}${action.target ? ` in ${element(action.target)}` : ''}`;
    case 'select':
      return `Select ${[action.option].flat().map(quoted).join(', ')} in ${element(action.target)}`;
    case 'upload':
      return `Attach ${short(action.file)} to ${element(action.target)}`;
    case 'waitFor':
      return `Wait for ${condition(action.condition)}`;
    case 'assert':
      return `Check ${condition(action.condition)}`;
    case 'extract':
      return `Read ${action.table ? 'table' : action.list ? 'list' : 'value'} ${element(action.target)}`;
    case 'screenshot':
      return `Take a screenshot${action.label ? ` ${quoted(action.label)}` : ''}`;
    default:
      return assertNever(action);
  }
}

/** What people see of a step: its title, else its action in one line. */
export const stepTitle = (step: Step): string => step.title ?? actionSummary(step);
