import { PilothouseError } from '@pilothouse/contract';

const TOKEN =
  /\s*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{},:]))/y;

/** What may come next: a value, a value or `]`, a key, a key or `}`, a colon, a comma or the end of what is open, nothing. */
type Want = 'value' | 'value]' | 'key' | 'key}' | ':' | ',' | 'end';

/** Where JSON stops being JSON: an index into the text, its length when something is missing at the end; null when nothing is wrong. */
export function findJsonError(text: string): number | null {
  const open: ('[' | '{')[] = [];
  let want: Want = 'value';
  TOKEN.lastIndex = 0;
  let at = 0;
  const after = (): Want => (open.length === 0 ? 'end' : ',');
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at === text.length) return want === 'end' ? null : at;
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) return at;
    const [, string, number, literal, mark] = match;
    const isValue = want === 'value' || want === 'value]';
    if (string !== undefined && (want === 'key' || want === 'key}')) want = ':';
    else if ((string ?? number ?? literal) !== undefined && isValue) want = after();
    else if (mark === '[' && isValue) want = (open.push('['), 'value]');
    else if (mark === '{' && isValue) want = (open.push('{'), 'key}');
    else if (mark === ':' && want === ':') want = 'value';
    else if (mark === ',' && want === ',') want = open.at(-1) === '[' ? 'value' : 'key';
    else if (mark === ']' && open.at(-1) === '[' && (want === ',' || want === 'value]')) want = (open.pop(), after());
    else if (mark === '}' && open.at(-1) === '{' && (want === ',' || want === 'key}')) want = (open.pop(), after());
    else return at;
    at = TOKEN.lastIndex;
  }
}

/** @throws PilothouseError VALIDATION_FAILED with line and column of what is wrong */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const at = findJsonError(text) ?? text.length;
    const before = text.slice(0, at).split('\n');
    const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    const what = at === text.length ? 'it ends too soon' : `${JSON.stringify(text[at])} cannot stand here`;
    const detail = `The body is no JSON: ${what} (${where}, position ${at})`;
    throw new PilothouseError('VALIDATION_FAILED', detail, { fields: [{ pointer: '', detail }] });
  }
}
