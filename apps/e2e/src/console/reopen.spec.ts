import type { RunView } from '@pilothouse/contract';
import { HandSite } from '../harness/hand-site.ts';
import { useConsole } from '../harness/use-console.ts';

const PAGE = `<!doctype html><meta charset=utf-8><title>Shop</title>
<button onclick="fetch('/say?what=in')" style="width:40vw;height:20vh">Enter</button>`;

describe('a waiting run whose browser was closed', () => {
  const house = useConsole({ workers: 1, api: () => ({ PILOTHOUSE_ASK_HOLD_SECONDS: '30' }) });
  let site: HandSite;
  beforeAll(async () => {
    site = await HandSite.start(PAGE);
  });
  afterAll(() => site?.stop());

  test('says so on a page that was loaded before, and offers to reopen it', async () => {
    const { page } = house.viewer;
    const { client } = house.stack;
    const [open] = (site.definition as { steps: object[] }).steps;
    const steps = [open, { action: 'click', target: { role: 'button', name: 'Log in' }, timeout: 5 }];
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: { name: 'shop', heal: 'ask', steps } });
    const { id } = (await client.json('/v1/workflows/shop/runs', { method: 'POST', body: {} })) as RunView;
    await page.goto(`/runs/${id}`);
    await page.getByText('does not find its element').waitFor();
    const reopen = page.getByRole('region', { name: 'Question' }).getByRole('button', { name: 'Reopen browser' });
    // The page was loaded before: an event says that the slot was released.
    await reopen.waitFor();
    await page.getByText(/The browser was closed after .*; your answer resumes the run/).waitFor();
    expect(await page.getByRole('button', { name: 'Point at it' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Take the wheel' }).count()).toBe(0);
    expect(await client.run(id)).toMatchObject({ status: 'awaiting_user', worker: null });
  });
});
