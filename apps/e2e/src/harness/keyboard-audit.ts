import { until } from './poll-until.ts';
import type { Viewer } from './console-page.ts';

type Page = Viewer['page'];

/** Maximum number of Tab presses on a page. */
const MAX_TAB_PRESSES = 600;

/** The focused element; `body`: no focus, as after the last element. */
type FocusStop = 'end' | 'body' | { readonly violation: string | null };

/**
 * Walks through a page with the Tab key. Every clickable element must be reachable and must have a visible focus ring.
 * @returns violations, one per line
 */
export async function keyboardViolations(page: Page): Promise<string[]> {
  await page.evaluate(installWalk);
  const violations = new Set<string>();
  for (let pressed = 0; ; pressed += 1) {
    if (pressed === MAX_TAB_PRESSES)
      return [...violations, `After ${MAX_TAB_PRESSES} times Tab the last element is not reached`];
    await page.keyboard.press('Tab');
    const stop = (await page.evaluate('walk.next()')) as FocusStop;
    if (stop === 'end') break;
    if (stop !== 'body' && stop.violation !== null) violations.add(stop.violation);
  }
  for (const unreachable of (await page.evaluate('walk.unreachable()')) as string[]) violations.add(unreachable);
  return [...violations];
}

/** Runs in the page: collects the clickable elements, and records visited ones. */
function installWalk(): void {
  const native = 'a[href], button, input, select, textarea, summary';
  const isVisible = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const canAct = (element: Element) => !element.matches(':disabled, [type=hidden], [inert] *');
  const describe = (element: Element) =>
    `<${element.localName}> ${(element.getAttribute('aria-label') ?? element.getAttribute('name') ?? element.textContent ?? '').trim().slice(0, 60)}`;
  /** True for a React click handler. */
  const hasClickHandler = (element: Element) => {
    const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
    const props = key === undefined ? {} : (element as unknown as Record<string, Record<string, unknown>>)[key];
    return ['onClick', 'onDoubleClick'].some((name) => props?.[name] !== undefined);
  };
  /** True in a group with one Tab stop and arrow keys: tabs, radio buttons, the steps of a graph. */
  const isInGroup = (element: Element) =>
    element.matches('[role=tab], .react-flow__renderer, .react-flow__renderer *') ||
    (element instanceof HTMLInputElement && element.type === 'radio');
  const visited = new Set<Element>();
  const targets = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      canAct(element) &&
      isVisible(element) &&
      !isInGroup(element) &&
      (element.matches(`${native}, [role=button], [role=link], [tabindex="0"]`) || hasClickHandler(element)),
  );
  const isUnobscured = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const across = [0.05, 0.5, 0.95].map((part) => left + (right - left) * part);
    const down = [0.05, 0.5, 0.95].map((part) => top + (bottom - top) * part);
    return across.some((x) =>
      down.some((y) => {
        const hit = document.elementFromPoint(x, y);
        return hit !== null && (element.contains(hit) || hit.contains(element));
      }),
    );
  };
  const violationOf = (element: Element): string | null => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    if (outlineStyle === 'none' || outlineWidth === '0px') return `${describe(element)}: has no focus ring`;
    return isUnobscured(element) ? null : `${describe(element)}: is covered by another element`;
  };
  let previous: Element | null = null;
  const next = (): FocusStop => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return 'body';
    // A date field has a Tab stop for each of its parts.
    if (focused === previous && focused.matches('[type=date]')) return { violation: null };
    previous = focused;
    if (visited.has(focused)) return 'end';
    visited.add(focused);
    return { violation: violationOf(focused) };
  };
  const unreachable = () =>
    targets
      .filter((element) => element.isConnected && isVisible(element) && canAct(element) && !visited.has(element))
      .map((element) => `${describe(element)}: not reachable by Tab`);
  (document.activeElement as HTMLElement | null)?.blur();
  Object.assign(globalThis, { walk: { next, unreachable } });
}

/** Opens a popup by Enter and closes it by Escape: the focus must be inside it meanwhile, and return to the button. `openedSelector` selects the popup. */
export async function expectOpensByKeyboard(
  page: Page,
  button: string,
  openedSelector = '[role=dialog]',
): Promise<void> {
  const opener = page
    .locator('button, summary')
    .filter({ hasText: button })
    .or(page.getByLabel(button, { exact: true }))
    .filter({ visible: true })
    .first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.locator(openedSelector).waitFor();
  if (openedSelector === '[role=dialog]')
    await page.waitForFunction(
      (selector) => document.querySelector(selector)?.contains(document.activeElement),
      openedSelector,
    );
  await page.keyboard.press('Escape');
  await page.locator(openedSelector).waitFor({ state: 'hidden' });
  await until('the focus is back', () => opener.evaluate((element) => element === document.activeElement));
}
