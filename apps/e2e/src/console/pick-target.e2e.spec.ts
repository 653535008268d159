import type { RunView } from '@pilothouse/contract/run/run.schema';
import { ControlTestSite } from '../harness/control-test-site.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';

/** A page whose button was renamed. */
const PAGE = `<!doctype html><meta charset=utf-8><title>Shop</title>
<button onclick="fetch('/message?text=in')" style="width:40vw;height:20vh">Enter</button>
<button onclick="fetch('/message?text=help')" style="width:40vw;height:20vh">Help</button>`;

describe('a step that does not find its element', () => {
  const fixture = useSharedConsole();
  let site: ControlTestSite;
  beforeAll(async () => {
    site = await ControlTestSite.start(PAGE);
  });
  afterAll(() => site?.stop());

  test('is repaired by picking the element on the live page', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const [open] = (site.definition as { steps: object[] }).steps;
    const steps = [
      open,
      { action: 'click', target: { role: 'button', name: 'Log in' }, timeout: 5, idempotent: false },
    ];
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: { name: 'shop', heal: 'ask', steps } });
    const { id } = (await client.json('/v1/workflows/shop/runs', { method: 'POST', body: {} })) as RunView;
    await page.goto(`/runs/${id}`);
    await page.getByText('does not find its element').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Pick element' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pick the element for this step' });
    const list = dialog.getByRole('list', { name: 'Visible elements' });
    await list.getByRole('button', { name: 'Help' }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await list.getByRole('button', { name: 'Enter' }).click();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    expect(site.messages).toEqual(['in']);
    await page.getByRole('tab', { name: 'Proposals' }).click();
    await page.getByText('found by a person: button "Enter"').waitFor();
    expect(await client.json(`/v1/proposals?run=${id}`)).toMatchObject({
      items: [
        {
          changes: [
            { method: 'human', locators: expect.arrayContaining([{ role: 'button', name: 'Enter', exact: true }]) },
          ],
        },
      ],
    });
  });
});
