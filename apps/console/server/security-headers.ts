/**
 * Headers of every object that comes through the console: files of runs come from untrusted pages, and here they are of the
 * console's own origin. The API sends the same; an object never goes out without them.
 */
export const objectHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Headers of every page. Scripts run from this origin, or with the nonce of the answer; nothing may show the console inside of it. */
export function pageHeaders(nonce: string, objectsEndpoint?: string): [name: string, value: string][] {
  const media = ["'self'", 'data:', 'blob:', ...(objectsEndpoint ? [new URL(objectsEndpoint).origin] : [])].join(' ');
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    // Places and sizes that pages compute are attributes; sheets come from this origin.
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    `img-src ${media}`,
    `media-src ${media}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return [
    ['content-security-policy', policy.join('; ')],
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'same-origin'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['permissions-policy', 'camera=(), microphone=(), geolocation=()'],
    ['cache-control', 'no-store'],
  ];
}
