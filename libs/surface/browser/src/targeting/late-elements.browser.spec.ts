import type { ActionContext } from '../action-context.ts';
import { type ElementKit, expectFailure, startElementKit, testContext } from '../testing/browser-test-kit.ts';
import { waitForTarget } from './locate-element.ts';

let kit: ElementKit;
beforeAll(async () => void (kit = await startElementKit()));
afterAll(() => kit.close());

test.each([
  ['no match', '<button>Sign up</button>', 'TARGET_NOT_FOUND', 6],
  ['element not ready', '<button disabled>Sign in</button>', 'TARGET_NOT_ACTIONABLE', 2],
])(
  'an attempt interrupted by the deadline keeps the result of the previous one: %s',
  async (_, body, code, roundCalls) => {
    await kit.showPage(body);
    const getByRole = kit.page.getByRole.bind(kit.page);
    let callCount = 0;
    // Each round asks for all matches and for visible ones; without a match, again and for lookalikes. The page hangs in the second.
    const getByRoleSpy = jest.spyOn(kit.page, 'getByRole').mockImplementation((...role) => {
      callCount += 1;
      if (callCount === roundCalls + 1)
        kit.page.evaluate('for (const end = Date.now() + 3000; Date.now() < end; );').catch(() => undefined);
      return getByRole(...role);
    });
    const ctx = {
      ...testContext(1500),
      page: kit.page,
      preActionImage: null,
      waitUntilSettled: async () => {},
    } as unknown as ActionContext;
    expect(await expectFailure(waitForTarget(ctx, { role: 'button', name: 'Sign in' }, 'input'))).toMatchObject({
      code,
    });
    getByRoleSpy.mockRestore();
  },
);
