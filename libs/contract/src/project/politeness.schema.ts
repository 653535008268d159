import { z } from 'zod';
import { hostPatternSchema } from './egress.schema.ts';

/*
 * Rate limits for sites. Both the project and the workflow may set limits, and all of them apply. A limit of the project counts all its
 * runs, a limit of a workflow all runs of that workflow.
 */

export const siteLimitKinds = ['requestsPerMinute', 'maxConcurrentRuns'] as const;
export type SiteLimitKind = (typeof siteLimitKinds)[number];

/** Limits for one site, or for all subdomains of a name together. */
export const siteLimitSchema = z
  .strictObject({
    domain: hostPatternSchema
      .refine((pattern) => !pattern.includes('/'), { error: 'Use a host or `*.host`: a network is not supported here' })
      .describe('Site, optionally with `:port`: `shop.example.com`, or `*.example.com` for all subdomains together'),
    requestsPerMinute: z
      .number()
      .min(0.01)
      .max(6000)
      .optional()
      .describe('Maximum number of pages and step requests per minute, evenly spread: 30 means one every two seconds'),
    maxConcurrentRuns: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Maximum number of runs that have a page of the site open at the same time'),
  })
  .refine(
    ({ requestsPerMinute, maxConcurrentRuns }) => requestsPerMinute !== undefined || maxConcurrentRuns !== undefined,
    {
      error: 'Give `requestsPerMinute` or `maxConcurrentRuns`',
    },
  )
  .meta({ id: 'SiteLimit' });
export type SiteLimit = z.infer<typeof siteLimitSchema>;

/** Behavior of runs towards sites. */
export const politenessSchema = z
  .strictObject({
    limits: z
      .array(siteLimitSchema)
      .max(200)
      .superRefine((limits, context) => {
        for (const [index, { domain }] of limits.entries())
          if (limits.findIndex((limit) => limit.domain === domain) < index)
            context.addIssue({
              code: 'custom',
              path: [index, 'domain'],
              message: 'This domain already has a limit: put both values into one entry',
            });
      })
      .optional()
      .describe('Limits by site. A page that several limits match must satisfy all of them'),
    robots: z
      .enum(['report', 'ignore'])
      .optional()
      .describe(
        '`report`: an event reports when a step opens a page that robots.txt disallows. Nothing is blocked (default: report if `politeness` is set)',
      ),
  })
  .meta({ id: 'Politeness' });
export type Politeness = z.infer<typeof politenessSchema>;

/** Politeness settings of the project, for the worker. */
export const assignmentPolitenessSchema = z.object({
  project: politenessSchema.nullable().describe('Settings of the project; null: none'),
});

/** Host and port of a page, as in its URL. */
export const siteSchema = z.object({ host: z.string().min(1).max(300), port: z.int().min(0).max(65_535) });
export type Site = z.infer<typeof siteSchema>;

/** The limit that a run waits for. */
export const siteLimitWaitSchema = z.object({
  scope: z.enum(['project', 'workflow']).describe('Owner of the limit'),
  domain: z.string().max(300).describe('Domain of the limit'),
  limit: z.enum(siteLimitKinds).describe('Kind of the limit'),
  max: z.number().describe('Value of the limit'),
  runsAhead: z.int().min(0).describe('Runs ahead in the queue for this limit'),
});
export type SiteLimitWait = z.infer<typeof siteLimitWaitSchema>;
