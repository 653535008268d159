import type { Har, HarEntry } from '@pilothouse/contract';
import { MASK, type Masker } from '../secret/secret-masker.ts';

/*
 * Suffixes of sensitive names: `X-Api-Key`, `access_token`, `Set-Cookie`. Values of such headers, parameters, form fields and JSON members
 * are always masked: a session token is as sensitive as a password.
 */
const SECRET_NAME =
  /(password|passwd|pwd|passphrase|secrets?|token|authorization|apikey|secretkey|accesskey|privatekey|cookie|credentials?|signature|session|sessionid|otp)$/;
const isSecretName = (name: string) => SECRET_NAME.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** Parameters in an address, wherever it stands: of its query, and of its fragment. */
const PARAMETER = /([?&#]([^=&#?\s"'<>]+)=)[^&#\s"'<>]*/g;

type Pairs = HarEntry['request']['headers'];

/**
 * An archive without secrets: secrets of the run in all encodings, cookies, authorization headers, and values with sensitive names.
 * @param creator version of the writer
 */
export function buildHar(entries: readonly HarEntry[], masker: Masker, creator: string, comment?: string): Har {
  const sorted = entries.toSorted((a, b) => (a.startedDateTime < b.startedDateTime ? -1 : 1));
  const log = {
    version: '1.2' as const,
    creator: { name: 'Pilothouse', version: creator },
    pages: [],
    entries: sorted.map((entry) => masked(entry, masker)),
    ...(comment !== undefined && { comment }),
  };
  return { log };
}

function masked(entry: HarEntry, masker: Masker): HarEntry {
  const { request, response } = entry;
  const text = (given: string) => withoutNamed(masker.text(given));
  const pairs = (given: Pairs) =>
    given.map(({ name, value }) => ({ name: text(name), value: isSecretName(name) ? hidden(value) : text(value) }));
  const cookies = <Cookie extends Pairs[number]>(given: Cookie[]) =>
    given.map((cookie) => ({ ...cookie, name: text(cookie.name), value: hidden(cookie.value) }));
  const body = (mimeType: string, given: string) => (isJson(mimeType) ? jsonBody(given, masker) : text(given));
  const { postData } = request;
  const { content } = response;
  return {
    ...entry,
    request: {
      ...request,
      url: text(request.url),
      cookies: cookies(request.cookies),
      headers: pairs(request.headers),
      queryString: pairs(request.queryString),
      ...(postData && {
        postData: {
          ...postData,
          params: pairs(postData.params),
          text: isForm(postData.mimeType) ? text(`&${postData.text}`).slice(1) : body(postData.mimeType, postData.text),
        },
      }),
    },
    response: {
      ...response,
      statusText: text(response.statusText),
      cookies: cookies(response.cookies),
      headers: pairs(response.headers),
      content: { ...content, ...(content.text !== undefined && { text: body(content.mimeType, content.text) }) },
      redirectURL: text(response.redirectURL),
    },
  };
}

const hidden = (value: string) => (value === '' ? '' : MASK);
const isForm = (mimeType: string) => /x-www-form-urlencoded/i.test(mimeType);
const isJson = (mimeType: string) => /[/+]json\b/i.test(mimeType);

const withoutNamed = (text: string) =>
  text.replaceAll(PARAMETER, (all, begin: string, name: string) => (isSecretName(name) ? `${begin}${MASK}` : all));

/** Masks JSON members with sensitive names. JSON is serialized again; other text is unchanged. */
function jsonBody(text: string, masker: Masker): string {
  const plain = withoutNamed(masker.text(text));
  try {
    return JSON.stringify(JSON.parse(plain), (name, value: unknown) =>
      isSecretName(name) && (typeof value === 'string' || typeof value === 'number') ? MASK : value,
    );
  } catch {
    return plain;
  }
}
