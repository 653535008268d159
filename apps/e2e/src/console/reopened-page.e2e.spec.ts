import type { RunView } from '@pilothouse/contract/run/run.schema';
import { ControlTestSite } from '../harness/control-test-site.ts';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

const PAGE = `<!doctype html><meta charset=utf-8><title>Shop</title>
<button onclick="fetch('/message?text=in')" style="width:40vw;height:20vh">Enter</button>`;

describe('a waiting run whose browser was closed', () => {
  const fixture = useConsole({ workers: 1, api: () => ({ PILOTHOUSE_QUESTION_HOLD_SECONDS: '30' }) });
  let site: ControlTestSite;
  beforeAll(async () => {
    site = await ControlTestSite.start(PAGE);
  });
  afterAll(() => site?.stop());

  test('shows the last screenshot, and reopens the browser to pick the element', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const [open] = (site.definition as { steps: object[] }).steps;
    const steps = [open, { action: 'click', target: { role: 'button', name: 'Log in' }, timeout: 5 }];
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: { name: 'shop', heal: 'ask', steps } });
    const { id } = (await client.json('/v1/workflows/shop/runs', {
      method: 'POST',
      body: { capture: { screenshots: 'on' } },
    })) as RunView;
    await page.goto(`/runs/${id}`);
    await page.getByText('does not find its element').waitFor();
    const reopen = page.getByRole('region', { name: 'Question' }).getByRole('button', { name: 'Reopen browser' });
    // An event reports that the slot was released.
    await reopen.waitFor();
    await page.getByText(/The browser was closed after .*; your answer resumes the run/).waitFor();
    const screenshot = page.getByRole('img', { name: 'Last screenshot of the run' });
    await until('the screenshot is loaded', () =>
      screenshot.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth > 0),
    );
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await page.getByRole('button', { name: 'Pick element' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Take control' }).count()).toBe(0);
    expect(await client.run(id)).toMatchObject({ status: 'awaiting_user', worker: null });

    await reopen.click();
    await page.getByRole('button', { name: 'Pick element' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pick the element for this step' });
    await dialog.getByRole('list', { name: 'Visible elements' }).getByRole('button', { name: 'Enter' }).click();
    expect(await client.waitForEnd(id)).toMatchObject({ status: 'completed', epoch: 2 });
    expect(site.messages).toEqual(['in']);
  });
});
