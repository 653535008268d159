import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { isBlock } from '@pilothouse/contract/workflow/control-flow.schema';
import { surfaceActionOf, isSurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { renderStep, revealSecrets, type TemplateScope } from '@pilothouse/core/workflow/secret-placeholders';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import { checkOutput, resolveInputs, resolveOutput } from '@pilothouse/core/workflow/workflow-io';
import { DEMO_ACCOUNT, startSite } from '@pilothouse/testing/demo-site/site-server';
import { BrowserHost } from './browser.host.ts';
import { testContext } from './testing/browser-test-kit.ts';

const examples = join(import.meta.dirname, '../../../../docs/examples');
const UPLOAD = '0199c1a0-0000-7000-8000-00000000000a';

// Runs the demo workflow without API, gateway and worker, with the interpreter and the surface only.
test('the demo workflow orders at Harbour Supplies', async () => {
  const site = await startSite();
  const folder = await mkdtemp(join(tmpdir(), 'portal-'));
  const host = new BrowserHost();
  try {
    const text = await readFile(join(examples, 'harbour-order.yaml'), 'utf8');
    const definition = workflowDefinitionSchema.parse(parseWorkflow(text, { file: 'harbour-order.yaml' }));
    const { inputs, secrets } = resolveInputs(definition, {
      site_url: site.url,
      password: DEMO_ACCOUNT.password,
      purchase_order: UPLOAD,
    });
    const values: Record<string, { value: Json }> = {};
    const names = new Set(Object.keys(secrets));
    const scope: TemplateScope = { inputs, secrets: names, steps: values, run: { id: UPLOAD, epoch: 1 } };

    const surface = await host.open({ folder }, testContext(20_000));
    const screenshotSizes: number[] = [];
    for (const step of definition.steps) {
      if (isBlock(step)) throw new Error('The demo has no control flow');
      const ready = renderStep(step, scope);
      if (!isSurfaceStep(ready)) throw new Error('The demo does nothing beside the surface');
      const context = testContext(15_000, {
        reveal: (text, origin) => {
          if (origin !== site.url) throw new Error(`Asked for ${origin}`);
          return revealSecrets(text, names, async (name) => secrets[name] ?? '');
        },
        file: async () => join(examples, 'purchase-order.pdf'),
      });
      const outcome = await surface.act(surfaceActionOf(ready), context).catch((error: Error) => {
        throw new Error(`${stepTitle(ready)}: ${error.message}`);
      });
      if (ready.expect) await surface.expect(ready.expect, context);
      if (step.id) values[step.id] = { value: outcome.value ?? null };
      if (outcome.screenshot) screenshotSizes.push(outcome.screenshot.body.length);
    }

    const output = resolveOutput(definition, scope) as Record<string, Json>;
    expect(() => checkOutput(definition, output)).not.toThrow();
    const orders = site.ledger.entries({ kind: 'order' });
    expect(orders).toHaveLength(1);
    expect(JSON.stringify(orders[0])).toContain(String(output['order']));
    expect(screenshotSizes.every((size) => size > 5000)).toBe(true);
    expect(screenshotSizes).toHaveLength(definition.steps.filter(({ action }) => action === 'screenshot').length);
  } finally {
    await host.close();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
});
