import { z } from 'zod';
import { profileNameTemplateSchema } from '../project/profile.schema.ts';

/** Permissions of sites. */
export const permissionSchema = z.enum([
  'geolocation',
  'notifications',
  'camera',
  'microphone',
  'clipboard-read',
  'clipboard-write',
]);

/** Browser settings of a run. Strings may contain templates of inputs; secrets only in `httpCredentials`. */
export const browserOptionsSchema = z
  .strictObject({
    viewport: z
      .strictObject({ width: z.int().min(100).max(4000), height: z.int().min(100).max(4000) })
      .optional()
      .describe('Size of a page in CSS pixels (default: 1280 × 800)'),
    device: z
      .string()
      .min(1)
      .optional()
      .describe('Device to stand for, as Playwright calls it, e.g. `Pixel 7`: viewport, scale, touch, user agent'),
    userAgent: z.string().min(1).max(500).optional(),
    locale: z.string().min(2).max(35).optional().describe('Language and region, e.g. `de-DE`'),
    timezoneId: z.string().min(1).max(60).optional().describe('Time zone, e.g. `Europe/Berlin`'),
    geolocation: z
      .strictObject({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        accuracy: z.number().min(0).optional().describe('Metres'),
      })
      .optional()
      .describe('Where it is; sites that ask are told'),
    permissions: z.array(permissionSchema).optional().describe('What every site may use'),
    blockUrls: z
      .array(z.string().min(1).max(500))
      .max(100)
      .optional()
      .describe('Requests that are not sent: patterns for the whole URL, `*` is anything'),
    httpCredentials: z
      .strictObject({
        origin: z.string().min(1).describe('The only origin that receives them, e.g. `https://intranet.example`'),
        username: z.string(),
        password: z.string(),
      })
      .optional()
      .describe('What a site gets that asks by HTTP for a name and a password'),
    profile: z
      .union([
        profileNameTemplateSchema,
        z.strictObject({
          name: profileNameTemplateSchema,
          required: z.boolean().optional().describe('true: without the profile the run fails (default: begins empty)'),
        }),
      ])
      .optional()
      .describe('Name of the cookies and the local storage that it begins with, kept by `saveProfile` or an import'),
  })
  .meta({ id: 'BrowserOptions' });
export type BrowserOptions = z.infer<typeof browserOptionsSchema>;

/** The profile that a browser begins with; null: it begins empty. */
export function profileOf({ profile }: BrowserOptions = {}): { name: string; required: boolean } | null {
  if (profile === undefined) return null;
  return typeof profile === 'string'
    ? { name: profile, required: false }
    : { name: profile.name, required: profile.required === true };
}
