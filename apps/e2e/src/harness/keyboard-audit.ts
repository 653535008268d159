import { until } from './poll-until.ts';
import type { Viewer } from './console-page.ts';

type Page = Viewer['page'];

/** Maximum number of Tab presses on a page. */
const MAX_TAB_PRESSES = 600;

/** The focused element; `body`: no focus, as after the last element. */
type FocusStop = 'end' | 'body' | { readonly fault: string | null };

/**
 * Walks through a page with the Tab key. Every clickable element must be reachable and must have a visible focus ring.
 * @returns violations, one per line
 */
export async function keyboardFaults(page: Page): Promise<string[]> {
  await page.evaluate(installWalk);
  const faults = new Set<string>();
  for (let pressed = 0; ; pressed += 1) {
    if (pressed === MAX_TAB_PRESSES) return [...faults, `After ${MAX_TAB_PRESSES} times Tab there is still more`];
    await page.keyboard.press('Tab');
    const stop = (await page.evaluate('walk.next()')) as FocusStop;
    if (stop === 'end') break;
    if (stop !== 'body' && stop.fault !== null) faults.add(stop.fault);
  }
  for (const left of (await page.evaluate('walk.left()')) as string[]) faults.add(left);
  return [...faults];
}

/** In the page: notes what can be done by a click, and gets ready to follow the focus. */
function installWalk(): void {
  const native = 'a[href], button, input, select, textarea, summary';
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const canAct = (element: Element) => !element.matches(':disabled, [type=hidden], [inert] *');
  const words = (element: Element) =>
    `<${element.localName}> ${(element.getAttribute('aria-label') ?? element.getAttribute('name') ?? element.textContent ?? '').trim().slice(0, 60)}`;
  /** Whether React does something when it is clicked; a dialog is clicked beside its content, which Escape does, too. */
  const isClicked = (element: Element) => {
    const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
    const props = key === undefined ? {} : (element as unknown as Record<string, Record<string, unknown>>)[key];
    return element.localName !== 'dialog' && ['onClick', 'onDoubleClick'].some((name) => props?.[name] !== undefined);
  };
  /** One of a group of which one is in the order of Tab, and arrow keys go to the others: tabs, choices, the steps of a graph. */
  const isInGroup = (element: Element) =>
    element.matches('[role=tab], .react-flow__renderer, .react-flow__renderer *') ||
    (element instanceof HTMLInputElement && element.type === 'radio');
  const visited = new Set<Element>();
  const targets = [...document.body.querySelectorAll('*')].filter(
    (element) =>
      canAct(element) &&
      isShown(element) &&
      !isInGroup(element) &&
      (element.matches(`${native}, [role=button], [role=link], [tabindex="0"]`) || isClicked(element)),
  );
  const isSeen = (element: Element) => {
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
  const faultOf = (element: Element): string | null => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    if (outlineStyle === 'none' || outlineWidth === '0px') return `${words(element)}: has no ring`;
    return isSeen(element) ? null : `${words(element)}: is behind something`;
  };
  const next = (): FocusStop => {
    const at = document.activeElement;
    if (!at || at === document.body) return 'body';
    if (visited.has(at)) return 'end';
    visited.add(at);
    return { fault: faultOf(at) };
  };
  const left = () =>
    targets
      .filter((element) => element.isConnected && isShown(element) && canAct(element) && !visited.has(element))
      .map((element) => `${words(element)}: Tab does not lead there`);
  (document.activeElement as HTMLElement | null)?.blur();
  Object.assign(globalThis, { walk: { next, left } });
}

/** Opens a popup by Enter and closes it by Escape: the focus must be inside meanwhile, and return to the button. */
export async function opensByKeys(page: Page, button: string, inside = 'dialog[open]'): Promise<void> {
  const opener = page
    .locator('button, summary')
    .filter({ hasText: button })
    .or(page.getByLabel(button, { exact: true }))
    .first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.locator(inside).waitFor();
  if (inside.startsWith('dialog'))
    await page.waitForFunction((where) => document.querySelector(where)?.contains(document.activeElement), inside);
  await page.keyboard.press('Escape');
  await page.locator(inside).waitFor({ state: 'hidden' });
  await until('the focus is back', () => opener.evaluate((element) => element === document.activeElement));
}
