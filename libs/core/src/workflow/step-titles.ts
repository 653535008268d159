import type { Action, ActionOf } from '@pilothouse/contract/actions/action-sets';
import { conditionTexts, type Condition, type Count } from '@pilothouse/contract/actions/condition.schema';
import { toLocatorChain, type Locator, type Target } from '@pilothouse/contract/actions/locator.schema';
import { assertNever } from '@pilothouse/contract/primitives.schema';
import { hasOwnPage, type Branch } from '@pilothouse/contract/workflow/parallel.schema';
import { hasTabTitle, type Step } from '@pilothouse/contract/workflow/step.schema';

const MAX_CHARS = 60;

const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
};

const quoted = (text: string) => `“${short(text)}”`;

/** Describes a locator with all its parts: `role=row[name="Total"] >> role=button[name="Pay" exact]`. */
export function describeLocator(locator: Locator): string {
  const { within, role, name, label, placeholder, text, testId, css, exact, hasText, has, pattern, nth, near, side } =
    locator;
  const { screenText, image, app, window } = locator;
  const sameCase = exact ? ' exact' : '';
  const parts = [];
  if (role !== undefined)
    parts.push(`role=${role}${name === undefined ? '' : `[name=${JSON.stringify(name)}${sameCase}]`}`);
  if (label !== undefined) parts.push(`label=${JSON.stringify(label)}${sameCase}`);
  if (placeholder !== undefined) parts.push(`placeholder=${JSON.stringify(placeholder)}${sameCase}`);
  if (text !== undefined) parts.push(`text=${JSON.stringify(text)}${sameCase}`);
  if (testId !== undefined) parts.push(`testId=${JSON.stringify(testId)}`);
  if (css !== undefined) parts.push(`css=${css}`);
  if (screenText !== undefined) parts.push(`screenText=${JSON.stringify(screenText)}${sameCase}`);
  if (image) parts.push(`image=${image.file ?? 'inline'}`);
  if (locator.elementIndex !== undefined) parts.push(`element=${locator.elementIndex}`);
  if (locator.point) parts.push(`at=${locator.point.x},${locator.point.y}`);
  if (locator.focus) parts.push('focus');
  if (hasText !== undefined) parts.push(`[hasText=${JSON.stringify(hasText)}]`);
  if (has) parts.push(`[has ${describeLocator(has)}]`);
  if (pattern !== undefined) parts.push(`[pattern=${JSON.stringify(pattern)}]`);
  if (nth !== undefined) parts.push(`[nth=${nth}]`);
  if (near) parts.push(`[${side ?? 'near'} ${describeLocator(near)}]`);
  const scope = [
    app === undefined ? '' : `app=${app} `,
    window === undefined ? '' : `window=${JSON.stringify(window)} `,
  ];
  return `${scope.join('')}${within ? `${describeLocator(within)} >> ` : ''}${parts.join('')}`;
}

/** Names the element of a target for people, by its first locator. */
function element(target: Target): string {
  const [locator] = toLocatorChain(target);
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
  if (testId !== undefined) return quoted(testId);
  if (locator.screenText !== undefined) return quoted(locator.screenText);
  if (locator.image) return 'an image';
  if (locator.elementIndex !== undefined) return `element ${locator.elementIndex}`;
  if (locator.focus) return 'the focused element';
  return locator.point ? `the element at ${locator.point.x}, ${locator.point.y}` : short(css ?? '');
}

/** Count limits of a condition in words, e.g. `at least 2 and at most 5`. */
export function countInWords({ equals, min, max }: Omit<Count, 'target'>): string {
  if (equals !== undefined) return `exactly ${equals}`;
  return [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])].join(
    ' and ',
  );
}

/** A condition in words. */
export function conditionSummary(condition: Condition): string {
  const { url, title, text, visible, enabled, hidden, count, loadState, app, window, image, stableMs } = condition;
  const parts = [];
  if (url !== undefined) parts.push(`URL ${short(url)}`);
  if (title !== undefined) parts.push(`title ${quoted(title)}`);
  if (text !== undefined) parts.push(`text ${conditionTexts({ text }).map(quoted).join(', ')}`);
  if (visible !== undefined) parts.push(element(visible));
  if (enabled !== undefined) parts.push(element(enabled));
  if (hidden !== undefined) parts.push(`no ${element(hidden)}`);
  if (count !== undefined) parts.push(`${element(count.target)} ${countInWords(count)} times`);
  if (loadState !== undefined) parts.push(loadState === 'networkidle' ? 'an idle network' : `the page (${loadState})`);
  if (app !== undefined || window !== undefined) parts.push(`the window ${windowSummary({ app, window })}`);
  if (image) parts.push('an image');
  if (stableMs !== undefined) parts.push(`a screen without changes for ${stableMs} ms`);
  return parts.join(' and ');
}

const tab = ({
  url,
  title,
  index,
}: {
  url?: string | undefined;
  title?: string | undefined;
  index?: number | undefined;
}) => (url !== undefined ? short(url) : title !== undefined ? quoted(title) : index !== undefined ? `${index}` : '');

const windowSummary = ({ app, window }: { app?: string | undefined; window?: string | undefined }) =>
  [window === undefined ? '' : quoted(window), app === undefined ? '' : `of ${app}`].filter(Boolean).join(' ');

const stateVerbs = {
  normal: 'Restore',
  maximized: 'Maximize',
  minimized: 'Minimize',
  fullscreen: 'Show full screen:',
};

function setWindowSummary(action: ActionOf<'setWindow'>): string {
  const { bounds, state } = action;
  const target = `the window ${windowSummary(action)}`.trim();
  if (!bounds) return `${stateVerbs[state ?? 'normal']} ${target}`;
  const { x, y, width, height } = bounds;
  const isSized = width !== undefined || height !== undefined;
  const verb = x === undefined && y === undefined ? 'Resize' : isSized ? 'Place' : 'Move';
  return `${verb} ${target}`;
}

const dialogSummary = ({ accept, text }: ActionOf<'handleDialog'>) =>
  `${accept ? 'Accept' : 'Decline'} the next dialog${text === undefined ? '' : ` with ${quoted(text)}`}`;

const clicks = ['', 'Click', 'Double-click', 'Triple-click'];

function clickSummary({ target, button = 'left', count = 1, modifiers = [] }: ActionOf<'click'>): string {
  const modifierText = modifiers.length > 0 ? ` with ${modifiers.join('+')}` : '';
  const verb = button === 'left' ? (clicks[count] ?? 'Click') : `${button === 'right' ? 'Right' : 'Middle'}-click`;
  return `${verb} ${element(target)}${modifierText}`;
}

const distance = (offset: { x?: number | undefined; y?: number | undefined } = {}) =>
  `by ${offset.x ?? 0}, ${offset.y ?? 0}`;

function scrollSummary({ target, by: offset, to: destination }: ActionOf<'scroll'>): string {
  const targetText = target ? ` ${element(target)}` : '';
  if (destination) return `Scroll${targetText} to the ${destination}`;
  return offset ? `Scroll${targetText} ${distance(offset)}` : `Scroll to${targetText}`;
}

const source = ({ jsonLd, script, response }: ActionOf<'extract'>['json'] = {}) =>
  jsonLd !== undefined
    ? `of linked data ${short(jsonLd)}`
    : response !== undefined
      ? `of the response ${short(response)}`
      : `of ${short(script ?? '')}`;

/** One line for people about an action. Templates are not filled in, including those of secrets. */
export function actionSummary(action: Action): string {
  switch (action.action) {
    case 'navigate':
      return `Open ${short(action.url)}`;
    case 'click':
      return clickSummary(action);
    case 'goBack':
      return 'Go back';
    case 'goForward':
      return 'Go forward';
    case 'reload':
      return 'Reload the page';
    case 'switchTab':
      return `Switch to the tab ${tab(action)}`;
    case 'closeTab':
      return `Close the tab ${tab(action)}`.trim();
    case 'handleDialog':
      return dialogSummary(action);
    case 'openApp':
      return `Open ${action.app}${action.args?.length ? ` with ${action.args.map(quoted).join(', ')}` : ''}`;
    case 'switchWindow':
      return `Switch to the window ${windowSummary(action)}`;
    case 'closeWindow':
      return `Close the window ${windowSummary(action)}`.trim();
    case 'listWindows':
      return 'List the windows';
    case 'setWindow':
      return setWindowSummary(action);
    case 'selectMenuItem':
      return `Choose ${action.items.map(short).join(' › ')} in the menu`;
    case 'fillFileDialog':
      return `Choose the file ${quoted(action.path)}`;
    case 'putFile':
      return `Copy ${short(action.file)} to the home folder${action.path === undefined ? '' : ` as ${quoted(action.path)}`}`;
    case 'collectFile':
      return `Store the file ${quoted(action.path ?? action.glob ?? '')}`;
    case 'wait':
      return `Wait ${action.seconds} s`;
    case 'observe':
      return 'Read the element list';
    case 'hover':
      return `Hover over ${element(action.target)}`;
    case 'drag':
      return `Drag ${element(action.target)} ${action.to ? `to ${element(action.to)}` : distance(action.by)}`;
    case 'scroll':
      return scrollSummary(action);
    case 'fill':
    case 'type':
      return `${action.append ? 'Add' : 'Type'} ${quoted(action.text)} ${action.append ? 'to' : 'into'} ${element(action.target ?? { focus: true })}`;
    case 'clear':
      return `Clear ${element(action.target)}`;
    case 'press': {
      const times = action.times && action.times > 1 ? ` ${action.times} times` : '';
      const hold = action.holdSeconds === undefined ? '' : ` for ${action.holdSeconds} s`;
      return `Press ${short(action.key)}${hold}${times}${action.target ? ` in ${element(action.target)}` : ''}`;
    }
    case 'readClipboard':
      return 'Read the clipboard';
    case 'writeClipboard':
      return `Copy ${quoted(action.text)} to the clipboard`;
    case 'check':
      return `Tick ${element(action.target)}`;
    case 'uncheck':
      return `Untick ${element(action.target)}`;
    case 'selectOption':
      return `Select ${[action.option].flat().map(quoted).join(', ')} in ${element(action.target)}`;
    case 'upload':
      return `Attach ${short(action.file)} to ${element(action.target)}`;
    case 'download':
      return `Download ${element(action.target)}`;
    case 'pdf':
      return `Save the page as PDF${action.label ? ` ${quoted(action.label)}` : ''}`;
    case 'waitFor':
      return `Wait for ${conditionSummary(action.condition)}`;
    case 'assert':
      return `Check ${conditionSummary(action.condition)}`;
    case 'extract':
      return `Read ${action.table ? 'table' : action.list ? 'list' : 'value'} ${action.target ? element(action.target) : source(action.json)}`;
    case 'screenshot':
      return `Take a screenshot${action.label ? ` ${quoted(action.label)}` : ''}`;
    default:
      return assertNever(action);
  }
}

/** Title of a step: its own, else a one-line description of its action. */
export const stepTitle = (step: Step): string =>
  hasTabTitle(step) ? stepSummary(step) : (step.title ?? stepSummary(step));

/** One-line description of a step's action. */
export const stepSummary = (step: Step): string =>
  step.action === 'checkCondition'
    ? `Look for ${conditionSummary(step.condition)}`
    : step.action === 'http'
      ? requestSummary(step)
      : step.action === 'parallel'
        ? `In parallel: ${short(Object.entries(step.branches).map(branchSummary).join(', '))}`
        : step.action === 'saveProfile'
          ? `Save the profile${step.name === undefined ? '' : ` ${quoted(step.name)}`}`
          : step.action === 'goal'
            ? `Goal: ${short(step.goal)}`
            : actionSummary(step);

const branchSummary = ([name, branch]: [string, Branch]): string =>
  hasOwnPage(branch) ? `${name} (${branch.length} ${branch.length === 1 ? 'step' : 'steps'})` : requestSummary(branch);

const requestSummary = ({ method, url }: { method?: string | undefined; url: string }): string =>
  `${method ?? 'GET'} ${short(url)}`;
