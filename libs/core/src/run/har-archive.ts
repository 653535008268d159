import type { Har, HarEntry } from '@pilothouse/contract/run/capture.schema';
import { MASK, type Masker } from '../secret/secret-masker.ts';

/*
 * Suffixes of sensitive names: `X-Api-Key`, `access_token`, `Set-Cookie`. Values of such headers, parameters, form fields and JSON members
 * are always masked: a session token is as sensitive as a password.
 */
const SECRET_NAME =
  /(password|passwd|pwd|passphrase|secrets?|token|authorization|apikey|secretkey|accesskey|privatekey|cookie|credentials?|signature|session|sessionid|otp)$/;
const isSecretName = (name: string) => SECRET_NAME.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** A parameter in the query or fragment of a URL, anywhere in a text. */
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
    entries: sorted.map((entry) => maskEntry(entry, masker)),
    ...(comment !== undefined && { comment }),
  };
  return { log };
}

function maskEntry(entry: HarEntry, masker: Masker): HarEntry {
  const { request, response } = entry;
  const maskText = (value: string) => maskNamedValues(masker.text(value));
  const maskPairs = (values: Pairs) =>
    values.map(({ name, value }) => ({
      name: maskText(name),
      value: isSecretName(name) ? maskValue(value) : maskText(value),
    }));
  const maskCookies = <Cookie extends Pairs[number]>(values: Cookie[]) =>
    values.map((cookie) => ({ ...cookie, name: maskText(cookie.name), value: maskValue(cookie.value) }));
  const maskBody = (mimeType: string, content: string) =>
    isJson(mimeType) ? maskJson(content, masker) : maskText(content);
  const { postData } = request;
  const { content } = response;
  return {
    ...entry,
    request: {
      ...request,
      url: maskText(request.url),
      cookies: maskCookies(request.cookies),
      headers: maskPairs(request.headers),
      queryString: maskPairs(request.queryString),
      ...(postData && {
        postData: {
          ...postData,
          params: maskPairs(postData.params),
          text: isForm(postData.mimeType)
            ? maskText(`&${postData.text}`).slice(1)
            : maskBody(postData.mimeType, postData.text),
        },
      }),
    },
    response: {
      ...response,
      statusText: maskText(response.statusText),
      cookies: maskCookies(response.cookies),
      headers: maskPairs(response.headers),
      content: { ...content, ...(content.text !== undefined && { text: maskBody(content.mimeType, content.text) }) },
      redirectURL: maskText(response.redirectURL),
    },
  };
}

const maskValue = (value: string) => (value === '' ? '' : MASK);
const isForm = (mimeType: string) => /x-www-form-urlencoded/i.test(mimeType);
const isJson = (mimeType: string) => /[/+]json\b/i.test(mimeType);

const maskNamedValues = (text: string) =>
  text.replaceAll(PARAMETER, (match, prefix: string, name: string) =>
    isSecretName(name) ? `${prefix}${MASK}` : match,
  );

/** Masks JSON members with sensitive names. JSON is serialized again; other text is unchanged. */
function maskJson(text: string, masker: Masker): string {
  const maskedText = maskNamedValues(masker.text(text));
  try {
    return JSON.stringify(JSON.parse(maskedText), (name, value: unknown) =>
      isSecretName(name) && (typeof value === 'string' || typeof value === 'number') ? MASK : value,
    );
  } catch {
    return maskedText;
  }
}
