/// <reference lib="dom" />

/** What the console of the browser offers: the listeners of an element, by kind of event. */
type Listeners = (element: object) => Record<string, readonly object[]>;

/**
 * Runs in the page's own world, where its scripts' objects are: answers, for an element on which the event `token` is dispatched,
 * whether a script makes it clickable, by refusing the event. It changes nothing of the page: no function is replaced, nothing is put
 * on an object; a page finds out only by guessing the token.
 * @param listenersOf `getEventListeners` of the browser's console, which is there only while the browser runs this
 */
export function listenerProbe(token: string, listenersOf: Listeners) {
  const kinds = new Set(
    'click dblclick auxclick mousedown mouseup pointerdown pointerup touchstart touchend'.split(' '),
  );
  /* React listens to all there is at its root, and acts for the elements below: they say so in the properties it keeps there. */
  const ROOT = 20;
  const ofFramework =
    /^on(?:Click|DoubleClick|MouseDown|MouseUp|PointerDown|PointerUp|TouchStart|TouchEnd|ContextMenu)(?:Capture)?$/;
  const delegates: { root: Element | Document; selector: string }[] = [];
  const known = new WeakSet();

  /** jQuery keeps under its own name which descendants a container listens for. */
  const jquery = (root: Element | Document, data: unknown) => {
    if (known.has(root) || typeof data !== 'object' || data === null) return;
    const { events } = data as { events?: Record<string, { selector?: string }[]> };
    if (typeof events !== 'object') return;
    known.add(root);
    for (const kind of kinds)
      for (const { selector } of events[kind] ?? []) if (selector) delegates.push({ root, selector });
  };

  const ofScript = (element: Element): boolean => {
    for (const key of Object.keys(element)) {
      const value = (element as unknown as Record<string, unknown>)[key];
      if (key.startsWith('__reactProps$') && value && typeof value === 'object') {
        for (const name of Object.keys(value)) if (ofFramework.test(name)) return true;
      } else if (key.startsWith('jQuery')) jquery(element, value);
      else if (/^(?:__|\$\$)(?:click|dblclick|mousedown|pointerdown|touchstart)$/.test(key)) return true;
    }
    return false;
  };

  const isClickable = (element: Element): boolean => {
    const listeners = listenersOf(element);
    const names = Object.keys(listeners);
    if (names.length > 0 && names.length <= ROOT && names.some((name) => kinds.has(name))) return true;
    if (ofScript(element)) return true;
    /* The fields of a form are properties of it, with any name. */
    const contains = (root: Node) => Node.prototype.contains.call(root, element);
    return delegates.some(({ root, selector }) => contains(root) && Element.prototype.matches.call(element, selector));
  };

  for (const one of [document, document.documentElement, document.body]) {
    if (!one) continue;
    for (const key of Object.keys(one))
      if (key.startsWith('jQuery')) jquery(one, (one as unknown as Record<string, unknown>)[key]);
  }
  window.addEventListener(
    token,
    (event) => {
      event.stopImmediatePropagation();
      const [element] = event.composedPath();
      try {
        if (element && isClickable(element as Element)) event.preventDefault();
      } catch {
        /* A page may have put anything there, and then it is not known to be clickable. */
        return;
      }
    },
    true,
  );
}
