/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** How scripts of the page come to the clipboard of their run. */
export interface ClipboardBinding {
  /** Global function that leads to the run; nobody else may know its name. */
  readonly binding: string;
  /** Whether the page may read what is there. */
  readonly mayRead: boolean;
}

/** What a page hands over. */
export interface CopiedInPage {
  readonly text: string;
  readonly html?: string;
}

/** What a page asks of the run: to keep what was copied, else what is there. */
export type ClipboardRequest = { readonly copied: CopiedInPage } | 'read';

/**
 * Leads what scripts copy and read past the clipboard of the browser, to that of the run. Runs in each document before any script
 * of the page does, in the page's own world: the page sees functions of its own kind, and nothing besides.
 */
function route({ binding, mayRead }: ClipboardBinding): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const ask = world[binding] as (asked: ClipboardRequest) => Promise<CopiedInPage | null>;
  delete world[binding];
  const tell = (copied: CopiedInPage) => void ask({ copied }).catch(() => undefined);

  /* What Playwright leaves behind: its answers have to come in, the rest is nobody's business. */
  const insides = '__playwright__binding__controller__';
  const controller = world[insides] as Record<string, (...given: unknown[]) => unknown>;
  const facade = Object.fromEntries(
    ['addBinding', 'removeBinding', 'deliverBindingResult'].map((name) => [
      name,
      (...given: unknown[]) => controller[name]?.(...given),
    ]),
  );
  Object.defineProperty(world, insides, { value: Object.freeze(facade), enumerable: false });
  Object.defineProperty(world, '__playwright__binding__', { enumerable: false });

  const instead = <Kind extends object>(kind: Kind, functions: Partial<Kind>): void => {
    for (const [name, value] of Object.entries(functions)) Object.defineProperty(kind, name, { value });
  };
  const refuse = (why: string) => Promise.reject(new DOMException(why, 'NotAllowedError'));
  const policy = (document as Document & { featurePolicy?: { allowsFeature(name: string): boolean } }).featurePolicy;
  const allows = (name: string) => policy?.allowsFeature(name) ?? true;
  const canRead = () => mayRead && allows('clipboard-read');

  /* There is none on a page without TLS. */
  if (typeof Clipboard === 'function') {
    instead(Clipboard.prototype, {
      async writeText(text: string) {
        if (!allows('clipboard-write')) return refuse('Write permission denied.');
        await ask({ copied: { text: String(text) } });
      },
      async write(items: ClipboardItem[]) {
        if (!allows('clipboard-write')) return refuse('Write permission denied.');
        const part = async (type: string) => {
          const item = items.find(({ types }) => types.includes(type));
          return item ? (await item.getType(type)).text() : undefined;
        };
        const [text, html] = await Promise.all([part('text/plain'), part('text/html')]);
        if (text === undefined && html === undefined) return refuse('Only text and HTML are kept.');
        await ask({ copied: { text: text ?? '', ...(html !== undefined && { html }) } });
      },
      async readText() {
        if (!canRead()) return refuse('Read permission denied.');
        return (await ask('read'))?.text ?? '';
      },
      async read() {
        if (!canRead()) return refuse('Read permission denied.');
        const found = await ask('read');
        if (!found) return [];
        const blob = (text: string, type: string) => ({ [type]: new Blob([text], { type }) });
        return [
          new ClipboardItem({
            ...blob(found.text, 'text/plain'),
            ...(found.html !== undefined && blob(found.html, 'text/html')),
          }),
        ];
      },
    });
    const { query } = Permissions.prototype;
    instead(Permissions.prototype, {
      async query(this: Permissions, descriptor: PermissionDescriptor) {
        const status = await query.call(this, descriptor);
        const name: string = descriptor.name;
        const state = name === 'clipboard-read' ? canRead() : name === 'clipboard-write' && allows(name);
        if (name.startsWith('clipboard-'))
          Object.defineProperty(status, 'state', { value: state ? 'granted' : 'denied' });
        return status;
      },
    });
  }

  const focused = (): Element | null => {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found;
  };
  /** The field that has the focus, if it is one of text. */
  const field = (): HTMLInputElement | HTMLTextAreaElement | null => {
    const found = focused();
    return found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement ? found : null;
  };
  const inField = ({ value, selectionStart, selectionEnd, type }: HTMLInputElement | HTMLTextAreaElement) =>
    type === 'password' ? '' : value.slice(selectionStart ?? 0, selectionEnd ?? 0);

  /** What is selected, as the browser would copy it. */
  const selected = (): CopiedInPage => {
    const among = field();
    const selection = getSelection();
    if (among || !selection || selection.rangeCount === 0) return { text: among ? inField(among) : '' };
    const holder = document.createElement('div');
    holder.append(selection.getRangeAt(0).cloneContents());
    return { text: selection.toString(), html: holder.innerHTML };
  };

  const { execCommand } = Document.prototype;
  instead(Document.prototype, {
    execCommand(this: Document, command: string, ...given: [boolean?, string?]) {
      const what = String(command).toLowerCase();
      if (what !== 'copy' && what !== 'cut') return execCommand.call(this, command, ...given);
      if (!navigator.userActivation.isActive) return false;
      const anchor = getSelection()?.anchorNode ?? null;
      const at = field() ?? (anchor instanceof Element ? anchor : anchor?.parentElement) ?? document.body;
      const data = new DataTransfer();
      const event = new ClipboardEvent(what, {
        clipboardData: data,
        bubbles: true,
        cancelable: true,
        composed: true,
      });
      if (!at.dispatchEvent(event)) {
        const html = data.getData('text/html');
        const text = data.getData('text/plain');
        if (text !== '' || html !== '') tell({ text, ...(html !== '' && { html }) });
        return true;
      }
      const copied = selected();
      if (copied.text === '') return false;
      tell(copied);
      if (what === 'cut') execCommand.call(this, 'delete');
      return true;
    },
  });
}

/** The text of `route`, for each new document. The bundler's `__name` is given too. */
export const clipboardOverrideSource = (routing: ClipboardBinding): string =>
  `const __name = (it) => it; (${route.toString()})(${JSON.stringify(routing)});`;
