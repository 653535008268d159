/** Reasons for a failed single sign-on: the `error` parameter of the sign-in page. */
export const oidcErrorReasons = ['failed', 'unverified', 'domain', 'uninvited'] as const;
export type OidcErrorReason = (typeof oidcErrorReasons)[number];
