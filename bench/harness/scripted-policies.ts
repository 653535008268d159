import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';

/** Logs in to the demo portal, searches, and reports the price of a rope; each turn states its sub-goals. */
export const buyer: ScriptedPolicy = (prompt) => {
  const password = prompt.maybe(/textbox "Password"/);
  if (password !== undefined)
    return [
      call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
      call('type', { element: password, text: '{{inputs.password}}' }),
      call('click', {
        element: prompt.element(/button "Log in"/),
        title_or_url: 'Catalogue',
        indicators: ['Search products'],
        sub_goals: 'done: nothing yet; next: log in, search, read the price',
      }),
    ];
  const [, price] = /row RL-1010 \|[^\n]*\| (€[\d.]+) \|/.exec(prompt.page) ?? [];
  if (prompt.page.includes('for “mooring rope”') && price)
    return [call('done', { answer: price, title_or_url: 'Catalogue', indicators: ['for “mooring rope”'] })];
  const search = prompt.element(/combobox "Search products"/);
  return prompt.page.includes('"Search products" = ')
    ? [
        call('press', {
          key: 'Enter',
          element: search,
          title_or_url: 'q=mooring',
          indicators: ['for “mooring rope”'],
          sub_goals: 'done: logged in; next: read the price',
        }),
      ]
    : [call('type', { element: search, text: 'mooring rope' })];
};

/** A workflow with the goal that `buyer` reaches. */
export const purchase = (site: string) => ({
  name: 'rope',
  inputs: { password: { type: 'string', secret: true } },
  steps: [
    { action: 'navigate', url: `${site}/login` },
    {
      id: 'price',
      action: 'goal',
      goal: `Log in as ${DEMO_ACCOUNT.email} with {{inputs.password}}, search for mooring rope and say what RL-1010 costs.`,
    },
  ],
  output: '{{steps.price.value}}',
});
