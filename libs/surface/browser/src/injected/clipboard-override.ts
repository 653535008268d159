/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Connection of page scripts to the clipboard of their run. */
export interface ClipboardBinding {
  /** Secret name of the global function that leads to the run. */
  readonly binding: string;
  /** True if the page may read the clipboard. */
  readonly mayRead: boolean;
}

/** Content that a page copies. */
export interface CopiedInPage {
  readonly text: string;
  readonly html?: string;
}

/** Request of a page: store copied content, or read the clipboard. */
export type ClipboardRequest = { readonly copied: CopiedInPage } | 'read';

/**
 * Replaces the clipboard of the browser by that of the run for page scripts. Runs in each document before any page
 * script, in the main world. The page sees functions of the usual shape and nothing else.
 */
function overrideClipboard({ binding, mayRead }: ClipboardBinding): void {
  const world = globalThis as unknown as Record<string, unknown>;
  const sendRequest = world[binding] as (clipboardRequest: ClipboardRequest) => Promise<CopiedInPage | null>;
  delete world[binding];
  const sendCopied = (copied: CopiedInPage) => void sendRequest({ copied }).catch(() => undefined);

  // Playwright's controller receives the answers. Everything else of it is hidden from the page.
  const controllerName = '__playwright__binding__controller__';
  const controller = world[controllerName] as Record<string, (...args: unknown[]) => unknown>;
  const facade = Object.fromEntries(
    ['addBinding', 'removeBinding', 'deliverBindingResult'].map((name) => [
      name,
      (...args: unknown[]) => controller[name]?.(...args),
    ]),
  );
  Object.defineProperty(world, controllerName, { value: Object.freeze(facade), enumerable: false });
  Object.defineProperty(world, '__playwright__binding__', { enumerable: false });

  const replaceMethods = <Kind extends object>(kind: Kind, functions: Partial<Kind>): void => {
    for (const [name, value] of Object.entries(functions)) Object.defineProperty(kind, name, { value });
  };
  const refuse = (message: string) => Promise.reject(new DOMException(message, 'NotAllowedError'));
  const policy = (document as Document & { featurePolicy?: { allowsFeature(name: string): boolean } }).featurePolicy;
  const allows = (name: string) => policy?.allowsFeature(name) ?? true;
  const canRead = () => mayRead && allows('clipboard-read');

  // Pages without TLS have no Clipboard API.
  if (typeof Clipboard === 'function') {
    replaceMethods(Clipboard.prototype, {
      async writeText(text: string) {
        if (!allows('clipboard-write')) return refuse('Write permission denied.');
        await sendRequest({ copied: { text: String(text) } });
      },
      async write(items: ClipboardItem[]) {
        if (!allows('clipboard-write')) return refuse('Write permission denied.');
        const readType = async (type: string) => {
          const item = items.find(({ types }) => types.includes(type));
          return item ? (await item.getType(type)).text() : undefined;
        };
        const [text, html] = await Promise.all([readType('text/plain'), readType('text/html')]);
        if (text === undefined && html === undefined) return refuse('Only text and HTML are supported.');
        await sendRequest({ copied: { text: text ?? '', ...(html !== undefined && { html }) } });
      },
      async readText() {
        if (!canRead()) return refuse('Read permission denied.');
        return (await sendRequest('read'))?.text ?? '';
      },
      async read() {
        if (!canRead()) return refuse('Read permission denied.');
        const active = await sendRequest('read');
        if (!active) return [];
        const blob = (text: string, type: string) => ({ [type]: new Blob([text], { type }) });
        return [
          new ClipboardItem({
            ...blob(active.text, 'text/plain'),
            ...(active.html !== undefined && blob(active.html, 'text/html')),
          }),
        ];
      },
    });
    const { query } = Permissions.prototype;
    replaceMethods(Permissions.prototype, {
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
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  };
  /** The focused text field, if any. */
  const field = (): HTMLInputElement | HTMLTextAreaElement | null => {
    const active = focused();
    return active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active : null;
  };
  const selectedFieldText = ({ value, selectionStart, selectionEnd, type }: HTMLInputElement | HTMLTextAreaElement) =>
    type === 'password' ? '' : value.slice(selectionStart ?? 0, selectionEnd ?? 0);

  /** The selection as the browser would copy it. */
  const selectedContent = (): CopiedInPage => {
    const textField = field();
    const selection = getSelection();
    if (textField || !selection || selection.rangeCount === 0)
      return { text: textField ? selectedFieldText(textField) : '' };
    const holder = document.createElement('div');
    holder.append(selection.getRangeAt(0).cloneContents());
    return { text: selection.toString(), html: holder.innerHTML };
  };

  const { execCommand } = Document.prototype;
  replaceMethods(Document.prototype, {
    execCommand(this: Document, command: string, ...args: [boolean?, string?]) {
      const commandName = String(command).toLowerCase();
      if (commandName !== 'copy' && commandName !== 'cut') return execCommand.call(this, command, ...args);
      if (!navigator.userActivation.isActive) return false;
      const anchor = getSelection()?.anchorNode ?? null;
      const eventTarget = field() ?? (anchor instanceof Element ? anchor : anchor?.parentElement) ?? document.body;
      const data = new DataTransfer();
      const event = new ClipboardEvent(commandName, {
        clipboardData: data,
        bubbles: true,
        cancelable: true,
        composed: true,
      });
      if (!eventTarget.dispatchEvent(event)) {
        const html = data.getData('text/html');
        const text = data.getData('text/plain');
        if (text !== '' || html !== '') sendCopied({ text, ...(html !== '' && { html }) });
        return true;
      }
      const copied = selectedContent();
      if (copied.text === '') return false;
      sendCopied(copied);
      if (commandName === 'cut') execCommand.call(this, 'delete');
      return true;
    },
  });
}

/** Source of `route` for each new document. It defines the bundler's `__name`. */
export const clipboardOverrideSource = (clipboardBinding: ClipboardBinding): string =>
  `const __name = (it) => it; (${overrideClipboard.toString()})(${JSON.stringify(clipboardBinding)});`;
