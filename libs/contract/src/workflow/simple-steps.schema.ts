import { z } from 'zod';
import { actionSchemas } from '../actions/action-sets.ts';
import { conditionSchema } from '../actions/condition.schema.ts';
import { jsonSchema } from '../primitives.schema.ts';
import { profileNameTemplateSchema } from '../project/profile.schema.ts';
import { commonNodeFields } from './control-flow.schema.ts';
import { healingModeSchema } from './goal.schema.ts';
import { stepRetrySchema } from './step-retry.schema.ts';

/** Fields of every step besides those of its action. */
export const stepFields = {
  ...commonNodeFields,
  timeout: z.number().positive().max(3600).optional().describe('Timeout in seconds (default 30)'),
  expect: conditionSchema.optional().describe('Condition after the step; checked within its timeout'),
  idempotent: z
    .boolean()
    .optional()
    .describe('false: the step must not run twice, e.g. placing an order (default: true)'),
  heal: healingModeSchema
    .optional()
    .describe(
      'Whether other methods look for the element when the target is not found; `ask`: finally a person (default: of the workflow)',
    ),
  retry: stepRetrySchema.optional().describe('Retries a failed step (default: one attempt)'),
  onInterrupted: z
    .enum(['verify', 'rerun', 'ask', 'fail'])
    .optional()
    .describe(
      'What the next worker does when the worker was lost during this step (default: verify by `expect` or the target of the next step, then ask if not idempotent, else rerun)',
    ),
};

/** Fields of every step that sends input or a request. */
const actingFields = {
  ...stepFields,
  approval: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe(
      'Question to a person, who must approve the step before it runs. If declined, the step fails with APPROVAL_REQUIRED',
    ),
};

/** Fields of a step without `title`: the `title` of these actions is the title of a window or tab. */
const { title: _, ...untitledActingFields } = actingFields;

/** Default time that a `checkCondition` step, or a condition that decides control flow, waits, in seconds. */
export const DEFAULT_CHECK_SECONDS = 2;

const checkCondition = z.strictObject({
  action: z
    .literal('checkCondition')
    .describe('Check a condition. The value is true or false; `timeout` is the time to wait (default 2 seconds)'),
  condition: conditionSchema.describe('The condition'),
});

/** Maximum size of a response in bytes. Its value travels in one event. */
export const MAX_RESPONSE_BYTES = 900_000;

const statusSchema = z.int().min(100).max(599);

/** A request without a page. */
export const httpStepSchema = z.strictObject({
  action: z
    .literal('http')
    .describe('Send a request without a page. The value is `status`, `headers` and `body`, which is JSON or a string'),
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('Default: GET. POST and PATCH are not repeated unless the step has `idempotent: true`'),
  url: z
    .string()
    .min(1)
    .max(10_000)
    .describe('Absolute URL without secrets: write them in `headers`, `body` or `json`'),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Not the name of a header'), z.string())
    .optional(),
  body: z.string().max(1_000_000).optional().describe('Body as text'),
  json: jsonSchema.optional().describe('Body as JSON, with its `content-type`'),
  status: z
    .union([statusSchema, z.array(statusSchema).min(1)])
    .optional()
    .describe('Expected status codes (default: 200 to 299). Any other status fails the step'),
  maxBytes: z
    .int()
    .min(0)
    .max(MAX_RESPONSE_BYTES)
    .optional()
    .describe(`Maximum size of the response in bytes. A larger one fails the step (default: ${MAX_RESPONSE_BYTES})`),
});

/** Saves the state of the browser. */
export const saveProfileStepSchema = z
  .strictObject({
    action: z
      .literal('saveProfile')
      .describe('Save cookies and local storage as a profile, which runs load with `browser.profile`'),
    name: profileNameTemplateSchema
      .optional()
      .describe('Name of the profile in the project (default: the one of `browser.profile`)'),
  })
  .safeExtend(stepFields);

/** Steps that may stand in a list of steps and in a branch with a page. */
export const simpleSteps = [
  actionSchemas.navigate.safeExtend(actingFields),
  actionSchemas.goBack.safeExtend(actingFields),
  actionSchemas.goForward.safeExtend(actingFields),
  actionSchemas.reload.safeExtend(actingFields),
  actionSchemas.switchTab.safeExtend(untitledActingFields),
  actionSchemas.closeTab.safeExtend(untitledActingFields),
  actionSchemas.handleDialog.safeExtend(actingFields),
  actionSchemas.openApp.safeExtend(actingFields),
  actionSchemas.switchWindow.safeExtend(untitledActingFields),
  actionSchemas.closeWindow.safeExtend(untitledActingFields),
  actionSchemas.listWindows.safeExtend(stepFields),
  actionSchemas.setWindow.safeExtend(untitledActingFields),
  actionSchemas.selectMenuItem.safeExtend(actingFields),
  actionSchemas.fillFileDialog.safeExtend(actingFields),
  actionSchemas.putFile.safeExtend(actingFields),
  actionSchemas.collectFile.safeExtend(actingFields),
  actionSchemas.click.safeExtend(actingFields),
  actionSchemas.hover.safeExtend(actingFields),
  actionSchemas.drag.safeExtend(actingFields),
  actionSchemas.scroll.safeExtend(actingFields),
  actionSchemas.fill.safeExtend(actingFields),
  actionSchemas.type.safeExtend(actingFields),
  actionSchemas.clear.safeExtend(actingFields),
  actionSchemas.press.safeExtend(actingFields),
  actionSchemas.readClipboard.safeExtend(actingFields),
  actionSchemas.writeClipboard.safeExtend(actingFields),
  actionSchemas.check.safeExtend(actingFields),
  actionSchemas.uncheck.safeExtend(actingFields),
  actionSchemas.selectOption.safeExtend(actingFields),
  actionSchemas.upload.safeExtend(actingFields),
  actionSchemas.download.safeExtend(actingFields),
  actionSchemas.waitFor.safeExtend(stepFields),
  actionSchemas.wait.safeExtend(stepFields),
  actionSchemas.assert.safeExtend(stepFields),
  actionSchemas.extract.safeExtend(stepFields),
  actionSchemas.observe.safeExtend(stepFields),
  actionSchemas.screenshot.safeExtend(stepFields),
  actionSchemas.pdf.safeExtend(stepFields),
  checkCondition.safeExtend(stepFields),
  httpStepSchema.safeExtend(actingFields),
] as const;
