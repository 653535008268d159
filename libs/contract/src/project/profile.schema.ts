import { z } from 'zod';
import { idSchema, timestampSchema, jsonSchema, slugSchema } from '../primitives.schema.ts';

/** Largest state of a profile, in bytes of JSON. */
export const MAX_PROFILE_BYTES = 1_500_000;

/** Name of a profile in its project. */
export const profileNameSchema = slugSchema;

/** Name of a profile in a workflow, which may contain templates. The rendered name is validated again. */
export const profileNameTemplateSchema = z
  .string()
  .max(500, { abort: true })
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?|.*\{\{.*\}\}.*)$/,
    'Use 1 to 63 lower-case letters, digits and hyphens, e.g. `shop-robin`, or a template',
  );

const cookieSchema = z.object({
  name: z.string().max(4096),
  value: z.string().max(100_000),
  domain: z
    .string()
    .max(255)
    .regex(/^\.?[^\s;,/:.][^\s;,/:]*$|^\[[\da-fA-F:.]+\]$/, 'Use a domain, e.g. `shop.example`')
    .describe('With a leading dot, the cookie also applies to subdomains'),
  path: z.string().max(4096).startsWith('/').default('/'),
  expires: z
    .number()
    .max(253_402_300_799)
    .refine((seconds) => seconds === -1 || seconds >= 0, 'Use seconds since 1970, or -1 for a session cookie')
    .default(-1)
    .describe('Unix time in seconds; -1: until the browser closes'),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
  partitionKey: z.string().max(2000).optional(),
  _crHasCrossSiteAncestor: z.boolean().optional(),
});

const isOrigin = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
};

const itemsSchema = z.array(z.object({ name: z.string(), value: z.string() })).max(10_000);

const keyPath = { keyPath: z.string().optional(), keyPathArray: z.array(z.string()).max(100).optional() };

/** An IndexedDB database in the format of Playwright. The `...Encoded` fields hold values that JSON cannot represent. */
const databaseSchema = z.object({
  name: z.string().min(1),
  version: z.int().min(1),
  stores: z
    .array(
      z.object({
        name: z.string(),
        autoIncrement: z.boolean(),
        ...keyPath,
        records: z.array(
          z.object({
            key: jsonSchema.optional(),
            keyEncoded: jsonSchema.optional(),
            value: jsonSchema.optional(),
            valueEncoded: jsonSchema.optional(),
          }),
        ),
        indexes: z
          .array(z.object({ name: z.string(), ...keyPath, multiEntry: z.boolean(), unique: z.boolean() }))
          .max(1000),
      }),
    )
    .max(1000),
});

const originSchema = z.object({
  origin: z.string().max(2000).refine(isOrigin, 'Use only scheme, host and port, e.g. `https://shop.example`'),
  localStorage: itemsSchema.default([]),
  sessionStorage: itemsSchema.optional().describe('Playwright does not save session storage'),
  indexedDB: z.array(databaseSchema).max(1000).optional(),
});

/**
 * Cookies and storage of a browser, in the format of Playwright's `storageState`. Other parts of such a file (passkeys, origin files) are
 * dropped.
 */
export const storageStateSchema = z
  .object({
    cookies: z.array(cookieSchema).max(10_000),
    origins: z.array(originSchema).max(1000),
  })
  .meta({
    id: 'StorageState',
    description: "Cookies, storage and databases, as Playwright's `storageState({ indexedDB: true })` writes them",
  });
export type StorageState = z.infer<typeof storageStateSchema>;

/** Metadata of a profile, without values. */
export const profileViewSchema = z
  .object({
    name: profileNameSchema,
    version: z.int().min(1).describe('Increases with each save or import'),
    size: z.int().min(0).describe('Bytes of JSON'),
    cookies: z.int().min(0).describe('Number of cookies'),
    cookieDomains: z.array(z.string()),
    origins: z.array(z.string()).describe('Origins with storage'),
    run: idSchema.nullable().describe('The run that saved it; null: it was imported'),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Profile', description: 'The stored state of a signed-in browser' });
export type ProfileView = z.infer<typeof profileViewSchema>;
