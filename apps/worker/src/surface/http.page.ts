/** A form of a page, as far as it takes to send it. */
export interface HttpForm {
  readonly action: string;
  /** Values of its fields by name, as the page gives them. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What is read of a page without a browser: enough for plain forms, nothing of scripts. */
export class HttpPage {
  readonly url: string;
  readonly title: string;
  /** What a person would read, in one line. */
  readonly text: string;
  private readonly html: string;

  constructor(url: string, html: string) {
    this.url = url;
    this.html = html;
    this.title = textOf(/<title>(.*?)<\/title>/is.exec(html)?.[1] ?? '');
    this.text = textOf(html.replace(/<(script|style|title)\b.*?<\/\1>/gis, ' '));
  }

  /** Name of the field with this label. */
  fieldOf(label: string): string | undefined {
    const id = [...this.html.matchAll(/<label for="([^"]+)">(.*?)<\/label>/gis)].find(([, , text]) =>
      includesIgnoreCase(textOf(text ?? ''), label),
    )?.[1];
    const field = [...this.html.matchAll(/<(?:input|textarea|select)\b[^>]*>/gi)].find(
      ([tag]) => attribute(tag, 'id') === id,
    );
    return id && field && attribute(field[0], 'name');
  }

  /** Whether there is a button with this name. */
  hasButton(name: string): boolean {
    return this.forms().some(({ buttons }) => buttons.some((button) => includesIgnoreCase(button, name)));
  }

  /** The form that the button with this name sends. */
  formOf(name: string): HttpForm | undefined {
    return this.forms().find(({ buttons }) => buttons.some((button) => includesIgnoreCase(button, name)));
  }

  private forms(): (HttpForm & { buttons: string[] })[] {
    return [...this.html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].map(([, open = '', inner = '']) => ({
      action: new URL(attribute(open, 'action') ?? this.url, this.url).href,
      fields: fieldsOf(inner),
      buttons: [...inner.matchAll(/<button\b[^>]*>(.*?)<\/button>/gis)].map(([, text]) => textOf(text ?? '')),
    }));
  }
}

/** Whether a text contains another, whatever the case. */
export const includesIgnoreCase = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

function fieldsOf(inner: string): Record<string, string> {
  const inputs = [...inner.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => [
    attribute(tag, 'name'),
    attribute(tag, 'value'),
  ]);
  const areas = [...inner.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gis)].map(([, open = '', text]) => [
    attribute(open, 'name'),
    textOf(text ?? ''),
  ]);
  const choices = [...inner.matchAll(/<select\b([^>]*)>.*?<option\b[^>]*>(.*?)<\/option>/gis)].map(
    ([, open = '', text]) => [attribute(open, 'name'), textOf(text ?? '')],
  );
  const named = [...inputs, ...areas, ...choices].flatMap(([name, value]) =>
    name ? [[name, value ?? ''] as const] : [],
  );
  return Object.fromEntries(named);
}

const attribute = (tag: string, name: string) => {
  const value = [...tag.matchAll(/\b([\w-]+)="([^"]*)"/g)].find(([, key]) => key?.toLowerCase() === name)?.[2];
  return value === undefined ? undefined : unescaped(value);
};

const textOf = (html: string) =>
  unescaped(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
