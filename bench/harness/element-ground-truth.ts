import type { CDPSession, JSHandle, Page } from 'playwright-core';

/*
 * Actionable elements in view, found without the list. Candidates are native controls, ARIA widgets by tag and role,
 * and elements with click or pointer listeners (from the debugger). Of these, it selects those that a click on a grid
 * of 9 × 9 points reaches.
 */

/** Positions in the page's elements, in the order of `everything`. */
export interface GroundTruth {
  readonly all: JSHandle<Element[]>;
  readonly nodes: number;
  readonly actionable: ReadonlySet<number>;
  /** Elements that only a listener identifies. */
  readonly scriptOnly: ReadonlySet<number>;
}

const KINDS = new Set('click dblclick auxclick mousedown mouseup pointerdown pointerup touchstart touchend'.split(' '));

/** Maximum listener types of an actionable element. A framework root has more. */
const MAX_LISTENER_TYPES = 20;

/** All elements of a document, its open shadow roots and accessible frames, in order. */
const collect = `const all = []; const into = (root) => { for (const one of root.querySelectorAll('*')) { all.push(one);
  if (one.shadowRoot) into(one.shadowRoot); if (one.localName === 'iframe' && one.contentDocument) into(one.contentDocument); } };`;

const everything = `(() => { ${collect} into(document); return all; })()`;

const locationScript = `${collect} let top = element.ownerDocument ?? element;
  while (top.defaultView?.frameElement) top = top.defaultView.frameElement.ownerDocument;
  into(top); return all.indexOf(element);`;

/** Position of an element among all of its page; runs in the page. */
export const position = new Function('element', locationScript) as (element: Element) => number;

const judge = `function (listening) {
  const roles = 'button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem'.split(' ');
  const widget = ['a[href]', 'area[href]', 'button', 'input:not([type=hidden])', 'select', 'textarea', 'details > summary', '[contenteditable]:not([contenteditable=false])', ...roles.map((role) => '[role=' + role + ']')].join();
  const parent = (node) => node.assignedSlot ?? node.parentElement ?? (node.getRootNode().host ?? null);
  const deep = (doc, x, y) => { let hit = doc.elementFromPoint(x, y); while (hit && hit.shadowRoot) { const inner = hit.shadowRoot.elementFromPoint(x, y); if (!inner || inner === hit) break; hit = inner; } return hit; };
  const clear = (doc, x, y) => { const holder = doc.defaultView.frameElement; if (!holder) return true; const r = holder.getBoundingClientRect();
    const X = x + r.left + holder.clientLeft, Y = y + r.top + holder.clientTop; const outer = holder.ownerDocument;
    return deep(outer, X, Y) === holder && clear(outer, X, Y); };
  const reached = (element, shown) => { const doc = element.ownerDocument; const view = doc.defaultView; const r = shown.getBoundingClientRect();
    const left = Math.max(r.left, 0), top = Math.max(r.top, 0), right = Math.min(r.right, view.innerWidth), bottom = Math.min(r.bottom, view.innerHeight);
    if (right - left < 1 || bottom - top < 1) return false;
    for (let i = 0; i < 81; i++) { const x = left + (right - left) * ((i % 9) + .5) / 9, y = top + (bottom - top) * (Math.floor(i / 9) + .5) / 9;
      for (let hit = deep(doc, x, y); hit; hit = parent(hit)) if (hit === shown) return clear(doc, x, y); }
    return false; };
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const actionable = [], script = []; const set = new Set(listening);
  this.forEach((one, index) => { if (one.localName === 'html' || one.localName === 'body') return;
    const native = one.matches(widget); if (!native && !set.has(index)) return;
    const labels = one.localName === 'input' && !seen(one) ? [...one.labels ?? []].filter(seen) : [];
    if (!(seen(one) && reached(one, one)) && !labels.some((label) => reached(one, label))) return;
    actionable.push(index); if (!native) script.push(index); });
  return { actionable, script };
}`;

export async function readGroundTruth(page: Page): Promise<GroundTruth> {
  const wire: CDPSession = await page.context().newCDPSession(page);
  const { result: array } = await wire.send('Runtime.evaluate', { expression: everything });
  const { result: top } = await wire.send('Runtime.evaluate', { expression: 'document' });
  const objectId = array.objectId ?? '';
  const { listeners } = await wire.send('DOMDebugger.getEventListeners', {
    objectId: top.objectId ?? '',
    depth: -1,
    pierce: true,
  });
  const kinds = new Map<number, Set<string>>();
  for (const { type, backendNodeId } of listeners) {
    if (backendNodeId === undefined) continue;
    kinds.set(backendNodeId, (kinds.get(backendNodeId) ?? new Set()).add(type));
  }
  const clickable = [...kinds].filter(
    ([, types]) => types.size <= MAX_LISTENER_TYPES && [...types].some((type) => KINDS.has(type)),
  );
  const objects = await Promise.all(
    clickable.map(([backendNodeId]) => wire.send('DOM.resolveNode', { backendNodeId })),
  );
  /* One call for each element: an element of a frame cannot be an argument of a call in another document. */
  const positions = await Promise.all(
    objects.map(async ({ object }) => {
      const path = `function () { const element = this; ${locationScript} }`;
      const { result } = await wire.send('Runtime.callFunctionOn', {
        objectId: object.objectId ?? '',
        functionDeclaration: path,
        returnByValue: true,
      });
      return result.value as number;
    }),
  );
  const { result } = await wire.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: judge,
    arguments: [{ value: positions.filter((position) => position >= 0) }],
    returnByValue: true,
  });
  const { actionable, script } = result.value as { actionable: number[]; script: number[] };
  const elements = (await page.evaluateHandle(everything)) as JSHandle<Element[]>;
  const nodes = await elements.evaluate((list) => list.length);
  await wire.detach();
  return { all: elements, nodes, actionable: new Set(actionable), scriptOnly: new Set(script) };
}
