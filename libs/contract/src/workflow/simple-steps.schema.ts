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
  timeout: z
    .number()
    .positive()
    .max(3600)
    .optional()
    .describe('Maximum duration of one attempt in seconds (default: 30, for a `goal` 900)'),
  expect: conditionSchema
    .optional()
    .describe('Condition that must hold after the action, within the timeout of the step'),
  idempotent: z
    .boolean()
    .optional()
    .describe(
      'false: the step must not run twice, e.g. because it places an order. Default: true, for POST and PATCH requests false',
    ),
  heal: healingModeSchema
    .optional()
    .describe(
      'Healing when the target matches nothing. `auto` tries other locators, `ask` also asks a person, `never` fails the step (default: the setting of the workflow)',
    ),
  retry: stepRetrySchema.optional().describe('Attempt the step again after it failed (default: one attempt)'),
  onInterrupted: z
    .enum(['verify', 'rerun', 'ask', 'fail'])
    .optional()
    .describe(
      'Action of the next worker if the worker was lost during this step (default: `verify` by `expect` or the next target; if that is not conclusive, `rerun`, or `ask` if the step is not idempotent)',
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
      'Question that a person must approve before the step runs. If declined, the step fails with APPROVAL_REQUIRED',
    ),
};

/** Fields of a step without `title`: the `title` of these actions is the title of a window or tab. */
const { title: _, ...untitledActingFields } = actingFields;

/** Default time that a `checkCondition` step, or a condition that decides control flow, waits, in seconds. */
export const DEFAULT_CHECK_SECONDS = 2;

const checkCondition = z.strictObject({
  action: z
    .literal('checkCondition')
    .describe(
      'Check a condition without failing. The value is true or false. `timeout` is the time to wait (default: 2 seconds)',
    ),
  condition: conditionSchema.describe('Condition to check'),
});

/** Maximum size of a response in bytes. Its value travels in one event. */
export const MAX_RESPONSE_BYTES = 900_000;

const statusSchema = z.int().min(100).max(599);

/** A request without a page. */
export const httpStepSchema = z.strictObject({
  action: z
    .literal('http')
    .describe(
      'Send an HTTP request without a page. The value has `status`, `headers` and `body`, which is JSON or a string',
    ),
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .describe('HTTP method (default: GET). POST and PATCH are not repeated unless the step has `idempotent: true`'),
  url: z
    .string()
    .min(1)
    .max(10_000)
    .describe('Absolute URL. It cannot contain secrets: use `headers`, `body` or `json` for them'),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Use a valid header name, e.g. `authorization`'),
      z.string(),
    )
    .optional()
    .describe('Request headers by name'),
  body: z.string().max(1_000_000).optional().describe('Request body as text'),
  json: jsonSchema.optional().describe('Request body as JSON. Sets `content-type: application/json`'),
  status: z
    .union([statusSchema, z.array(statusSchema).min(1)])
    .optional()
    .describe(
      'Expected status code, or a list (default: 200 to 299). Any other status fails the step with REQUEST_FAILED',
    ),
  maxBytes: z
    .int()
    .min(0)
    .max(MAX_RESPONSE_BYTES)
    .optional()
    .describe(
      `Maximum response size in bytes (default: ${MAX_RESPONSE_BYTES}). A larger response fails the step with REQUEST_FAILED`,
    ),
});

/** Saves the state of the browser. */
export const saveProfileStepSchema = z
  .strictObject({
    action: z
      .literal('saveProfile')
      .describe('Save cookies and storage as a profile, which later runs load with `browser.profile`'),
    name: profileNameTemplateSchema
      .optional()
      .describe('Name of the profile in the project (default: the name in `browser.profile`)'),
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
  actionSchemas.switchWindow.safeExtend(actingFields),
  actionSchemas.closeWindow.safeExtend(actingFields),
  actionSchemas.listWindows.safeExtend(stepFields),
  actionSchemas.setWindow.safeExtend(actingFields),
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
