/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/**
 * Shows dots in place of what is in fields that hold one of these texts, and in those for passwords, whatever the page makes of them later.
 * It is sent as text, and runs in a world of its own: scripts of the page see the style, and never the texts.
 * @returns how many of them showed what was in them until now
 */
export function redactFields(texts: readonly string[]): number {
  /** Shorter ones are in fields by chance. */
  const INSIDE_FROM = 4;
  const STYLE = '-webkit-text-security';
  const holds = (value: string) =>
    texts.some((text) => (text.length < INSIDE_FROM ? value === text : value.includes(text)));
  let shown = 0;

  const look = (field: HTMLElement): void => {
    const { type, value } = field as HTMLInputElement;
    const isPassword = type === 'password';
    if (!isPassword && !holds(value ?? field.innerText)) return;
    if (field.style.getPropertyValue(STYLE) === 'disc' && field.style.getPropertyPriority(STYLE) !== '') return;
    field.style.setProperty(STYLE, 'disc', 'important');
    if (!isPassword) shown += 1;
  };

  const visit = (root: Document | ShadowRoot): void => {
    for (const field of root.querySelectorAll<HTMLElement>('input, textarea, [contenteditable]')) look(field);
    /* Of a form it may be a field of this name. */
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot instanceof ShadowRoot) visit(shadowRoot);
  };
  visit(document);
  return shown;
}
