export { createOidc, type Oidc, type OidcOptions, type OidcUser, type Started } from './oidc.ts';
