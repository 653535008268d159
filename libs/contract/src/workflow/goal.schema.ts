import { z } from 'zod';
import { appIdSchema } from '../actions/desktop-actions.schema.ts';
import { hostPatternSchema } from '../project/egress.schema.ts';
import { valueSchema } from './value.schema.ts';

/** Healing of a step whose element is not found. `ask`: a person is asked when no other method succeeds. */
export const healingModeSchema = z.enum(['never', 'auto', 'ask']);

/** Reuse of actions that worked on the same page before, without a model call. */
export const actionCacheModeSchema = z.enum(['never', 'auto']);

/** Effects of actions that need approval. */
export const approvalEffectSchema = z
  .enum(['pay', 'delete', 'send', 'upload', 'credentials', 'otherSite', 'otherApp', 'canvas', 'providerCheck'])
  .meta({ id: 'ApprovalEffect' })
  .describe(
    '`pay`, `delete`, `send` and `upload` are recognized by the name of the control. `credentials`: type a secret on another origin, or in another application, than the first. `otherSite`, `otherApp`: use a site or an application outside the run. `canvas`: click in a canvas before a second model call has identified the target. `providerCheck`: an action that the provider of the model wants a person to confirm',
  );
export type ApprovalEffect = z.infer<typeof approvalEffectSchema>;

/** Maximum and default turns of an agent in one step. */
export const MAX_TURNS = 50;
export const DEFAULT_TURNS = 30;

/** Default timeout of a goal step, in seconds. */
export const DEFAULT_GOAL_SECONDS = 900;

/** Rule for the applications of a goal. */
const appRuleSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\*?$/,
    'Use the id of an application, e.g. `mousepad`. A `*` at the end matches any rest',
  )
  .meta({ id: 'AppRule' });

/** The applications of a goal, its home first. */
export const goalAppsSchema = z.array(appRuleSchema).min(1).max(50);

/** A step that an agent executes. */
export const goalStepSchema = z.strictObject({
  action: z
    .literal('goal')
    .describe('Let an agent reach a goal: it observes, calls a model, acts and verifies. The value is the answer'),
  goal: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      'Goal in plain words. The agent may type the secrets that are named here as templates, e.g. `{{inputs.password}}`. The model sees only their names',
    ),
  outputSchema: valueSchema.optional().describe('JSON Schema of the answer (default: a string)'),
  requireSources: z
    .boolean()
    .optional()
    .describe(
      '`true`: accept an answer only if a page shows each of its values as whole words. Booleans, and values that `outputSchema` lists, need no source (default: false; the event `agent.answer_sources` lists values without a source)',
    ),
  apps: goalAppsSchema
    .optional()
    .describe(
      'Desktop: ids of the applications that the agent may use, e.g. `libreoffice-*`. Secrets are typed only into the first (default: applications that the workflow opened before, newest first, otherwise the first one that the goal uses)',
    ),
  siteNotes: z
    .record(hostPatternSchema, z.string().min(1).max(2000))
    .refine((notes) => Object.keys(notes).length <= 50, { error: 'Give notes for at most 50 sites' })
    .optional()
    .describe(
      'Notes for the model by host, e.g. `*.example.com`. The model sees them while a page of the site is open',
    ),
  appNotes: z
    .record(appIdSchema, z.string().min(1).max(2000))
    .refine((notes) => Object.keys(notes).length <= 50, { error: 'Give notes for at most 50 applications' })
    .optional()
    .describe(
      'Desktop: notes for the model by application id. The model sees them while a window of the application is active',
    ),
  actionCache: actionCacheModeSchema
    .optional()
    .describe(
      '`auto`: repeat actions that worked on the same page without a model call; `never`: always call the model (default: the setting of the workflow)',
    ),
  maxTurns: z
    .int()
    .min(1)
    .max(MAX_TURNS)
    .optional()
    .describe(`Maximum number of turns, one model call each (default: ${DEFAULT_TURNS})`),
  autoApprove: z
    .array(approvalEffectSchema)
    .max(8)
    .optional()
    .describe('Effects that the agent may have without approval (default: none, a person is asked)'),
});
