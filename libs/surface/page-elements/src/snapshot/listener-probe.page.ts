/// <reference lib="dom" />

/** `getEventListeners` of the console: listeners of an element by event type. */
type Listeners = (element: object) => Record<string, readonly object[]>;

/**
 * Runs in the main world of the page. For an element that receives the event `token`, it reports whether a script makes
 * it clickable by cancelling the event. It changes nothing of the page: no function is replaced and no object
 * modified. A page could detect it only by guessing the token.
 * @param listenersOf `getEventListeners` of the browser console, available only during the evaluation
 */
export function listenerProbe(token: string, listenersOf: Listeners) {
  const kinds = new Set(
    'click dblclick auxclick mousedown mouseup pointerdown pointerup touchstart touchend'.split(' '),
  );
  // React listens for all events at its root and dispatches to components, whose props it stores on the elements.
  const MAX_EVENT_TYPES = 20;
  const reactHandlerProp =
    /^on(?:Click|DoubleClick|MouseDown|MouseUp|PointerDown|PointerUp|TouchStart|TouchEnd|ContextMenu)(?:Capture)?$/;
  const delegates: { root: Element | Document; selector: string }[] = [];
  const checkedRoots = new WeakSet();

  /** jQuery stores the selectors of delegated listeners on the container. */
  const readJqueryDelegates = (root: Element | Document, data: unknown) => {
    if (checkedRoots.has(root) || typeof data !== 'object' || data === null) return;
    const { events } = data as { events?: Record<string, { selector?: string }[]> };
    if (typeof events !== 'object') return;
    checkedRoots.add(root);
    for (const kind of kinds)
      for (const { selector } of events[kind] ?? []) if (selector) delegates.push({ root, selector });
  };

  const hasFrameworkHandler = (element: Element): boolean => {
    for (const key of Object.keys(element)) {
      const value = (element as unknown as Record<string, unknown>)[key];
      if (key.startsWith('__reactProps$') && value && typeof value === 'object') {
        for (const name of Object.keys(value)) if (reactHandlerProp.test(name)) return true;
      } else if (key.startsWith('jQuery')) readJqueryDelegates(element, value);
      else if (/^(?:__|\$\$)(?:click|dblclick|mousedown|pointerdown|touchstart)$/.test(key)) return true;
    }
    return false;
  };

  const isClickable = (element: Element): boolean => {
    const listeners = listenersOf(element);
    const names = Object.keys(listeners);
    if (names.length > 0 && names.length <= MAX_EVENT_TYPES && names.some((name) => kinds.has(name))) return true;
    if (hasFrameworkHandler(element)) return true;
    // The fields of a form are properties of the form.
    const contains = (root: Node) => Node.prototype.contains.call(root, element);
    return delegates.some(({ root, selector }) => contains(root) && Element.prototype.matches.call(element, selector));
  };

  for (const root of [document, document.documentElement, document.body]) {
    if (!root) continue;
    for (const key of Object.keys(root))
      if (key.startsWith('jQuery')) readJqueryDelegates(root, (root as unknown as Record<string, unknown>)[key]);
  }
  window.addEventListener(
    token,
    (event) => {
      event.stopImmediatePropagation();
      const [element] = event.composedPath();
      try {
        if (element && isClickable(element as Element)) event.preventDefault();
      } catch {
        // The page may have stored anything there. The element then counts as not clickable.
        return;
      }
    },
    true,
  );
}
