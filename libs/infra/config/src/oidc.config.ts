import { oidcRoleSchema, type OidcRole } from '@pilothouse/contract/project/user.schema';
import { z } from 'zod';
import { booleanVariable, jsonVariable, url } from './variable-types.ts';

const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/;

/** Variables of the OpenID Connect settings. */
export const oidcSettings = {
  PILOTHOUSE_OIDC_ISSUER: url('https', 'http').optional(),
  PILOTHOUSE_OIDC_CLIENT_ID: z.string().min(1).optional(),
  PILOTHOUSE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  PILOTHOUSE_OIDC_DISPLAY_NAME: z.string().min(1).max(60).default('single sign-on'),
  PILOTHOUSE_OIDC_SCOPES: z
    .string()
    .refine((text) => text.split(' ').includes('openid'), {
      error: 'set it to scopes separated by spaces, including openid',
    })
    .default('openid email profile'),
  PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((part) => part.trim().toLowerCase() || []))
    .refine((domains) => domains.every((domain) => DOMAIN.test(domain)), {
      error: 'set it to email domains separated by commas, e.g. example.com',
    }),
  PILOTHOUSE_OIDC_ROLE_MAPPINGS: jsonVariable(
    z.array(oidcRoleSchema, {
      error:
        'set it to a JSON list such as [{"claim":"groups","value":"pilots","project":"default","role":"operator"}]',
    }),
  ).optional(),
  PILOTHOUSE_OIDC_ASSUME_EMAIL_VERIFIED: booleanVariable.default(false),
  PILOTHOUSE_OIDC_REDIRECT_URL: url('https', 'http').optional(),
};

/** Environment variables that only the API receives. */
export const oidcVariables: readonly string[] = Object.keys(oidcSettings);

/** An OpenID Connect provider and its access rules. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Label of the sign-in button. */
  readonly displayName: string;
  readonly scopes: string;
  /** Allowed domains of e-mail addresses. Empty: all. */
  readonly allowedEmailDomains: readonly string[];
  /** Roles by project and group. A project that is listed here has no other members from this provider. */
  readonly roleMappings: readonly OidcRole[];
  /** Accept addresses without `email_verified`. */
  readonly assumeEmailVerified: boolean;
  /** Redirect URI of the sign-in. Default: derived from the public URL. */
  readonly redirectUrl: string | undefined;
}

/** Settings as parsed from the environment. */
interface ParsedOidcSettings {
  readonly PILOTHOUSE_OIDC_ISSUER?: string;
  readonly PILOTHOUSE_OIDC_CLIENT_ID?: string;
  readonly PILOTHOUSE_OIDC_CLIENT_SECRET?: string;
  readonly PILOTHOUSE_OIDC_DISPLAY_NAME: string;
  readonly PILOTHOUSE_OIDC_SCOPES: string;
  readonly PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS: string[];
  readonly PILOTHOUSE_OIDC_ROLE_MAPPINGS?: OidcRole[];
  readonly PILOTHOUSE_OIDC_ASSUME_EMAIL_VERIFIED: boolean;
  readonly PILOTHOUSE_OIDC_REDIRECT_URL?: string;
}

/** Converts the parsed settings for the API. Undefined: users sign in with a password only. */
export function toOidcConfig(env: ParsedOidcSettings): OidcConfig | undefined {
  const {
    PILOTHOUSE_OIDC_ISSUER: issuer,
    PILOTHOUSE_OIDC_CLIENT_ID: clientId,
    PILOTHOUSE_OIDC_CLIENT_SECRET: clientSecret,
  } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    displayName: env.PILOTHOUSE_OIDC_DISPLAY_NAME,
    scopes: env.PILOTHOUSE_OIDC_SCOPES,
    allowedEmailDomains: env.PILOTHOUSE_OIDC_ALLOWED_EMAIL_DOMAINS,
    roleMappings: env.PILOTHOUSE_OIDC_ROLE_MAPPINGS ?? [],
    assumeEmailVerified: env.PILOTHOUSE_OIDC_ASSUME_EMAIL_VERIFIED,
    redirectUrl: env.PILOTHOUSE_OIDC_REDIRECT_URL,
  };
}
