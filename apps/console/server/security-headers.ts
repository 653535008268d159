/**
 * Headers of every object that the console serves. Artifacts come from untrusted pages, and share the origin of the
 * console. The API sends the same headers.
 */
export const objectHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Headers of every page. Scripts must come from this origin or carry the nonce; framing is forbidden. */
export function pageHeaders(nonce: string, objectsEndpoint?: string): [name: string, value: string][] {
  const media = ["'self'", 'data:', 'blob:', ...(objectsEndpoint ? [new URL(objectsEndpoint).origin] : [])].join(' ');
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    // Computed positions and sizes are style attributes. The code editor adds style sheets with the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
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
