import { z } from 'zod';
import { hostPatternSchema } from './egress.schema.ts';

/*
 * Rate limits for sites. Both the project and the workflow may set limits, and all of them apply. A limit of the project counts all its
 * runs, a limit of a workflow all runs of that workflow.
 */

/** Kinds of limits. */
export const siteLimitKinds = ['requestsPerMinute', 'maxConcurrentRuns'] as const;
export type SiteLimitKind = (typeof siteLimitKinds)[number];

/** Limits for one site, or for all subdomains of a name together. */
export const siteLimitSchema = z
  .strictObject({
    domain: hostPatternSchema
      .refine((pattern) => !pattern.includes('/'), { error: 'write a host or *.host: a network is no site' })
      .describe(
        'The site: `shop.example.com`, or `*.example.com` for all below it together; ends in `:port` where only that is meant',
      ),
    requestsPerMinute: z
      .number()
      .min(0.01)
      .max(6000)
      .optional()
      .describe('Most pages and requests of steps a minute, evenly spread: 30 is one each two seconds'),
    maxConcurrentRuns: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Most runs at a time that have a page of the site open'),
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
          if (limits.findIndex((one) => one.domain === domain) < index)
            context.addIssue({
              code: 'custom',
              path: [index, 'domain'],
              message: 'There is a limit for it already; say both in one',
            });
      })
      .optional()
      .describe('How much of which site; what several name has to keep all of them'),
    robots: z
      .enum(['report', 'ignore'])
      .optional()
      .describe(
        '`report`: an event says when the robots.txt of a site asks not to open what a step opens; nothing is refused (default: report, where `politeness` is given at all)',
      ),
  })
  .meta({ id: 'Politeness' });
export type Politeness = z.infer<typeof politenessSchema>;

/** Politeness settings of the project, for the worker. */
export const assignmentPolitenessSchema = z.object({
  project: politenessSchema.nullable().describe('What the project says; null: nothing'),
});
export type AssignedPoliteness = z.infer<typeof assignmentPolitenessSchema>;

/** A host as addresses of pages name it, and its port. */
export const siteSchema = z.object({ host: z.string().min(1).max(300), port: z.int().min(0).max(65_535) });
export type Site = z.infer<typeof siteSchema>;

/** The limit that a run waits for. */
export const siteLimitWaitSchema = z.object({
  scope: z.enum(['project', 'workflow']).describe('Who set the limit'),
  domain: z.string().max(300),
  limit: z.enum(siteLimitKinds),
  max: z.number().describe('What the limit allows'),
  runsAhead: z.int().min(0).describe('Runs that wait for the same and came before'),
});
export type SiteLimitWait = z.infer<typeof siteLimitWaitSchema>;
