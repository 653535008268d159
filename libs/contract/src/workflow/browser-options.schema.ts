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
      .describe('Size of the page area in CSS pixels (default: 1280 × 800)'),
    device: z
      .string()
      .min(1)
      .optional()
      .describe('Playwright device to emulate, e.g. `Pixel 7`. Sets viewport, scale, touch and user agent'),
    userAgent: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('`User-Agent` header of pages and `http` steps (default: of Chromium; of `http` steps: Pilothouse)'),
    locale: z.string().min(2).max(35).optional().describe('Language and region of pages, e.g. `de-DE`'),
    timezoneId: z.string().min(1).max(60).optional().describe('IANA time zone of pages, e.g. `Europe/Berlin`'),
    geolocation: z
      .strictObject({
        latitude: z.number().min(-90).max(90),
        longitude: z.number().min(-180).max(180),
        accuracy: z.number().min(0).optional().describe('Accuracy in meters (default: 0)'),
      })
      .optional()
      .describe('Position that pages receive from the geolocation API. It grants the permission `geolocation`'),
    permissions: z.array(permissionSchema).optional().describe('Browser permissions granted to every site'),
    blockUrls: z
      .array(z.string().min(1).max(500))
      .max(100)
      .optional()
      .describe('Requests to block: patterns for the whole URL, `*` matches any text, e.g. `*://ads.example/*`'),
    httpCredentials: z
      .strictObject({
        origin: z
          .string()
          .min(1)
          .describe('The only origin that receives the credentials, e.g. `https://intranet.example`'),
        username: z.string(),
        password: z.string(),
      })
      .optional()
      .describe('User name and password for HTTP authentication, for one origin. Secrets are allowed here'),
    profile: z
      .union([
        profileNameTemplateSchema,
        z.strictObject({
          name: profileNameTemplateSchema,
          required: z
            .boolean()
            .optional()
            .describe(
              'true: the run fails with PROFILE_NOT_FOUND if the profile does not exist (default: false, the browser starts empty)',
            ),
        }),
      ])
      .optional()
      .describe('Profile with which the browser starts: cookies and storage saved by `saveProfile` or an import'),
  })
  .meta({ id: 'BrowserOptions' });
export type BrowserOptions = z.infer<typeof browserOptionsSchema>;

/** The profile that a browser starts with; null: it starts empty. */
export function profileOf({ profile }: BrowserOptions = {}): { name: string; required: boolean } | null {
  if (profile === undefined) return null;
  return typeof profile === 'string'
    ? { name: profile, required: false }
    : { name: profile.name, required: profile.required === true };
}
