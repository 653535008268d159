import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { locatorSchema } from '../actions/locator.schema.ts';
import { callCostSchema, expectationSchema } from '../agent/agent.schema.ts';
import { controlTokenSchema, dialogKindSchema, MAX_DIALOG_TEXT } from '../control/control.schema.ts';
import { errorViewSchema } from '../errors/pilothouse-error.ts';
import { promptRefSchema, tierSchema } from '../model/model.schema.ts';
import { MAX_NATIVE_CALLS, nativeRecordSchema } from '../model/native-turn.schema.ts';
import { idSchema } from '../primitives.schema.ts';
import { answerSourcesFields } from '../run/answer-sources.schema.ts';
import { resultFields } from '../run/outcome.schema.ts';
import { approvalEffectSchema } from '../workflow/goal.schema.ts';
import { branchRefFields, eventPageSchema, stepRefFields } from './run.events.ts';

/** Maximum number of list rows in an event, and of characters of each row. */
export const MAX_OBSERVED_ROWS = 60;
export const MAX_ROW_TEXT = 200;

/** Maximum length of an agent's thought, in characters. */
export const MAX_THOUGHT = 8000;

/** The step of an agent, and its turn. Turn 0 comes before the first model call. */
const agentRefFields = {
  ...stepRefFields,
  turn: z.int().min(0).describe('Turn of the agent in the step; 0: before the first model call'),
  branch: branchRefFields.branch.optional(),
  branchPath: branchRefFields.branchPath.describe('Path of the goal in the branch'),
};

/**
 * The thought of an agent while its model streams it. Never stored: the final text is in the `agent.turn` event of the same turn, or in
 * the `agent.note` event of a verdict.
 */
export const agentThinkingSchema = z.object({
  step: stepRefFields.step,
  turn: z.int().min(1).describe('Turn of the agent in the step'),
  branch: agentRefFields.branch,
  branchPath: agentRefFields.branchPath,
  subject: z.enum(['plan', 'verdict']).optional().describe('Missing: the thought is about the next actions'),
  text: z.string().max(MAX_THOUGHT).describe('The thought from its start'),
});
export type AgentThinking = z.infer<typeof agentThinkingSchema>;

const pageAfterSchema = eventPageSchema.describe('The page afterwards');

/** Data of agent events, manual control and dialogs, by type. */
export const agentEventData = {
  'agent.turn': z
    .object({
      ...agentRefFields,
      thought: z.string().max(MAX_THOUGHT).describe('Reasoning of the model'),
      plannedActions: z.array(z.string()).max(20).describe('Planned actions, one line each'),
      expects: expectationSchema.optional().describe('Result that the model expects from the actions'),
      subGoals: z
        .string()
        .max(500)
        .optional()
        .describe('Progress and next subgoal in the words of the model; missing if unchanged'),
      source: z
        .enum(['model', 'cache'])
        .optional()
        .describe('`cache`: actions that worked on the same page before, without a model call (default: model)'),
      replacedCall: callCostSchema
        .optional()
        .describe('With `source: cache`: cost of the model call that chose the actions in an earlier run'),
      notes: z
        .int()
        .min(1)
        .optional()
        .describe('Notes about the site or application of `page` that the prompt contained; missing: none'),
      prompt: promptRefSchema.describe('Prompt of the turn'),
      tier: tierSchema.exclude(['human']).optional().describe('Tier of the turn'),
      page: eventPageSchema.describe('The page that the agent observed'),
      native: nativeRecordSchema
        .optional()
        .describe('Turn with the computer tool of a provider, for its next calls; missing: none, or it was too long'),
    })
    .describe('An agent planned its next actions'),
  'agent.action_started': z
    .object({
      ...agentRefFields,
      sequence: z.int().min(1).describe('Number of the action in the step'),
      action: actionSchema.describe('The action; secrets appear as their names'),
      title: z.string().describe('The action in one line'),
      call: z
        .int()
        .min(0)
        .max(MAX_NATIVE_CALLS - 1)
        .optional()
        .describe('Index of the call of a computer tool that the action belongs to; missing: none'),
      approval: z
        .string()
        .max(2000)
        .nullable()
        .optional()
        .describe('Effect that a person approved; null: no approval was required'),
    })
    .describe('An action of an agent starts. Written before the action'),
  'agent.action_completed': z
    .object({
      ...agentRefFields,
      sequence: z.int().min(1).describe('Number of the action in the step'),
      durationMs: z.int().min(0).describe('Milliseconds from start to result'),
      error: errorViewSchema.nullable().describe('null: the action succeeded'),
      page: pageAfterSchema,
      pageBefore: z
        .object({
          url: z.string().describe('URL of the page, or `app://` URI of the window'),
          title: z.string().describe('Title of the page or window'),
          height: z.int().min(0).describe('Height of the page in pixels'),
        })
        .nullable()
        .describe('The page before the action; null: unknown'),
      locators: z
        .array(locatorSchema)
        .max(10)
        .describe('Locators of the element, most stable first; empty if there is no element or no locator'),
      endLocators: z
        .array(locatorSchema)
        .max(10)
        .optional()
        .describe('For a drag: locators of the element on which it ended'),
      rows: z
        .array(z.string().max(MAX_ROW_TEXT))
        .max(MAX_OBSERVED_ROWS)
        .optional()
        .describe('Texts of the list rows in view before the action'),
      ...resultFields,
      irreversibleEffect: approvalEffectSchema.nullable().describe('Effect for which an approval is asked; null: none'),
    })
    .describe('An action of an agent ended'),
  'agent.answer_sources': z
    .object({ ...agentRefFields, ...answerSourcesFields })
    .describe("Sources of an agent's answer"),
  'agent.note': z
    .object({
      ...agentRefFields,
      kind: z
        .enum([
          'problem',
          'repeated_turn',
          'page_changed',
          'approval_needed',
          'unverified',
          'verified',
          'approval_decision',
          'answer',
          'human_asked',
          'screenshot_described',
          'data_stored',
          'escalated',
          'replanned',
        ])
        .describe(
          '`problem`: the answer of the model cannot be used; `repeated_turn`: the same actions on the same page; `page_changed`: the element list changed, and the rest of the turn is dropped; `approval_needed`: an action waits for approval; `unverified`, `verified`: result of a check; `approval_decision`: decision of a person; `answer`: answer of a person; `human_asked`: no progress, a person is asked; `screenshot_described`: description of a screenshot by a model; `data_stored`: data stored for later turns; `escalated`: the next turn uses a screenshot; `replanned`: the new plan after no progress',
        ),
      note: z.string().max(MAX_THOUGHT).describe('The decision or observation in words'),
      newlyMet: expectationSchema
        .optional()
        .describe('With `verified` of a turn: the part of its expectation that became true during the turn'),
      question: z.string().max(MAX_THOUGHT).optional().describe('With `answer`: the question of the agent'),
      isGoalMet: z
        .literal(true)
        .optional()
        .describe('With `verified`: the whole goal was checked. Missing: a turn was checked'),
    })
    .describe('A decision or observation of an agent between its actions'),
  'control.taken': z
    .object({
      operator: z.string().describe('Name of the person who took control'),
      token: controlTokenSchema.describe('Number of the control session'),
    })
    .describe('A person took manual control'),
  'control.released': z
    .object({
      operator: z.string().describe('Name of the person who had control'),
      token: controlTokenSchema.describe('Number of the control session'),
      reason: z
        .enum(['released', 'idle', 'resumed'])
        .describe('`released`: by the person; `idle`: no input for too long; `resumed`: the run continued'),
    })
    .describe('Manual control ended'),
  'dialog.opened': z
    .object({
      ...stepRefFields,
      dialog: idSchema.describe('Id of the dialog'),
      kind: dialogKindSchema,
      question: z.string().max(MAX_DIALOG_TEXT).describe('Text of the dialog'),
      text: z.string().max(MAX_DIALOG_TEXT).nullable().describe('Default text of a prompt; null for other dialogs'),
      multiple: z.boolean().optional().describe('true: the file chooser accepts several files'),
      operator: z.string().describe('The person in control, who is asked'),
      timeoutMs: z.int().min(0).describe('Milliseconds until the dialog is dismissed without an answer'),
    })
    .describe('The page opened a dialog or a file chooser during manual control'),
  'dialog.closed': z
    .object({
      ...stepRefFields,
      dialog: idSchema.describe('Id of the dialog'),
      accepted: z.boolean().describe('true: confirmed; false: dismissed'),
      reason: z
        .enum(['answered', 'expired', 'released', 'replaced', 'failed'])
        .describe(
          '`answered`: by the person in control; `expired`: no answer in time; `released`: control ended; `replaced`: the page opened ' +
            'another file chooser; `failed`: the page could not receive the files',
        ),
    })
    .describe('A dialog or file chooser was answered or dismissed'),
  'control.action': z
    .object({
      ...stepRefFields,
      operator: z.string().describe('Name of the person in control'),
      action: actionSchema.describe('The input as the action of a step'),
      title: z.string().describe('The input in one line'),
      secret: z
        .boolean()
        .describe(
          'true: the text went into a password field, or into a field with the name of a secret, and is omitted',
        ),
      pageBefore: z
        .object({
          url: z.string().describe('URL of the page'),
          title: z.string().describe('Title of the page'),
        })
        .optional()
        .describe('Page when the input began. A change of the address between two actions belongs to the first one'),
      page: pageAfterSchema,
    })
    .describe('Input of the person in control'),
} as const;

/** An event of an agent that a later attempt of the run receives. */
export const agentEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.turn'), data: agentEventData['agent.turn'] }),
  z.object({ type: z.literal('agent.action_started'), data: agentEventData['agent.action_started'] }),
  z.object({ type: z.literal('agent.action_completed'), data: agentEventData['agent.action_completed'] }),
  z.object({ type: z.literal('agent.note'), data: agentEventData['agent.note'] }),
]);
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** Maximum number of agent events in an assignment: about fifty turns. */
export const MAX_AGENT_EVENTS = 400;
