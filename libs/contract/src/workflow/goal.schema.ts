import { z } from 'zod';
import { appIdSchema } from '../actions/desktop-actions.schema.ts';
import { hostPatternSchema } from '../project/egress.schema.ts';
import { valueSchema } from './value.schema.ts';

/** Whether a step is healed when its element is not found. `ask`: a person is asked when no other method succeeds. */
export const healingModeSchema = z.enum(['never', 'auto', 'ask']);

/** Whether an agent repeats, without a model call, the actions that worked on the same page before. */
export const actionCacheModeSchema = z.enum(['never', 'auto']);

/** Effects of actions that need approval. */
export const approvalEffectSchema = z
  .enum(['pay', 'delete', 'send', 'upload', 'credentials', 'otherSite', 'otherApp', 'canvas'])
  .meta({ id: 'ApprovalEffect' })
  .describe(
    '`credentials`: type a secret into a page of another origin, or another application, than the first; `otherSite`: open or use a site outside the run; `otherApp`: open or use an application outside the run; `canvas`: click in a canvas before a second model call has identified the target; all others follow from the name of the control',
  );
export type ApprovalEffect = z.infer<typeof approvalEffectSchema>;

/** Maximum and default number of turns of an agent in one step. */
export const MAX_TURNS = 50;
export const DEFAULT_TURNS = 30;

/** Default timeout of a goal step, in seconds. */
export const DEFAULT_GOAL_SECONDS = 900;

/** Rule for the applications of a goal. */
const appRuleSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\*?$/,
    'Use the id of an application, e.g. `mousepad`; a `*` at the end stands for any rest',
  )
  .meta({ id: 'AppRule' });

/** The applications of a goal, its home first. */
export const goalAppsSchema = z.array(appRuleSchema).min(1).max(50);

/** A step that an agent executes. */
export const goalStepSchema = z.strictObject({
  action: z
    .literal('goal')
    .describe(
      'Let an agent reach a goal: it observes the page, calls a model, acts and verifies. Its value is the answer',
    ),
  goal: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      'The goal in plain words. Write secrets as templates, e.g. `{{inputs.password}}`: the agent may type those named here, and the model sees only their names',
    ),
  outputSchema: valueSchema.optional().describe('JSON Schema of the answer (default: a string)'),
  apps: goalAppsSchema
    .optional()
    .describe(
      'On a desktop: ids of the applications that it may use, e.g. `mousepad`, `libreoffice-*`; secrets go only into the first (default: the applications that the workflow opened before, the last one first; else the first one that the goal uses)',
    ),
  siteNotes: z
    .record(hostPatternSchema, z.string().min(1).max(2000))
    .refine((notes) => Object.keys(notes).length <= 50, { error: 'At most 50 sites have notes' })
    .optional()
    .describe('Notes about sites, by host (`*.` for subdomains). The model sees them while a page of the site is open'),
  appNotes: z
    .record(appIdSchema, z.string().min(1).max(2000))
    .refine((notes) => Object.keys(notes).length <= 50, { error: 'At most 50 applications have notes' })
    .optional()
    .describe(
      'Notes about applications of a desktop, by id, e.g. `mousepad`. The model sees them while a window of the application is active',
    ),
  actionCache: actionCacheModeSchema
    .optional()
    .describe(
      'Whether actions that worked on the same page are repeated without a model call (default: of the workflow)',
    ),
  maxTurns: z.int().min(1).max(MAX_TURNS).optional().describe(`Maximum number of turns (default ${DEFAULT_TURNS})`),
  autoApprove: z
    .array(approvalEffectSchema)
    .max(8)
    .optional()
    .describe('Effects that need no approval of a person (default: none)'),
});
