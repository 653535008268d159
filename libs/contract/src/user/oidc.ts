import { z } from 'zod';
import { roleSchema } from '../key/key.ts';
import { slugSchema } from '../scalar.ts';

/** A role in a project for whoever has a value in a claim of their token. */
export const oidcRoleSchema = z.strictObject({
  claim: z.string().min(1).max(200).describe('Name of the claim, or its path, e.g. `groups`, `realm_access.roles`'),
  value: z.string().min(1).max(500).describe('What it has to be, or to contain where it is a list'),
  project: slugSchema,
  role: roleSchema,
});
export type OidcRole = z.infer<typeof oidcRoleSchema>;

/** Why somebody whom the provider sent back did not get in: `refused` of the page to sign in. */
export const oidcErrorReasons = ['failed', 'unverified', 'domain', 'uninvited'] as const;
export type OidcErrorReason = (typeof oidcErrorReasons)[number];
