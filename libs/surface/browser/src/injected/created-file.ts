/// <reference lib="dom" />

/** A PDF that a script of the page created and opens in its own tab. */
export interface CreatedFile {
  /** Its URL, which ends with the document of the script. */
  readonly url: string;
  readonly base64: string;
}

/** Maximum length of a file in bytes. */
const MAX_BYTES = 64_000_000;

/**
 * Reports the content of a created PDF before the document of its script is replaced. Runs in an isolated world of the
 * page. It is sent as source and may use only its arguments.
 */
function reportCreatedFiles(binding: string, maxBytes: number): void {
  const { navigation } = window as unknown as { readonly navigation?: EventTarget };
  if (window.parent !== window || !navigation || Object.hasOwn(globalThis, 'createdFiles')) return;
  Object.defineProperty(globalThis, 'createdFiles', { value: true });
  // Base64 encodes three bytes at a time.
  const bytesPerPart = 3 * 10_000;
  navigation.addEventListener('navigate', (event) => {
    const { url } = (event as Event & { readonly destination: { readonly url: string } }).destination;
    if (!url.startsWith('blob:')) return;
    try {
      const request = new XMLHttpRequest();
      // The URL is valid until the event ends.
      request.open('GET', url, false);
      request.overrideMimeType('text/plain; charset=x-user-defined');
      request.send();
      const text = request.responseText;
      if (!text.startsWith('%PDF-') || text.length > maxBytes) return;
      const parts: string[] = [];
      for (let start = 0; start < text.length; start += bytesPerPart) {
        const codes = Array.from(
          text.slice(start, start + bytesPerPart),
          (character) => character.charCodeAt(0) & 0xff,
        );
        parts.push(btoa(String.fromCharCode(...codes)));
      }
      const file: CreatedFile = { url, base64: parts.join('') };
      (globalThis as unknown as Record<string, (report: string) => void>)[binding]?.(JSON.stringify(file));
    } catch {
      // The content security policy of the page may forbid it.
    }
  });
}

/** Source of the script. @param binding name of the function that takes a `CreatedFile` as JSON */
export const createdFileSource = (binding: string): string =>
  `(() => { const __name = (it) => it; (${reportCreatedFiles.toString()})(${JSON.stringify(binding)}, ${MAX_BYTES}); })();`;
