/** The customer account of the demo site. */
const account = { email: 'demo@harbour.example', password: 'harbour-demo' };

const waitAt = (url: string) => [
  { action: 'navigate', url },
  { action: 'waitFor', condition: { visible: { role: 'heading', name: 'Open' } }, timeout: 300 },
];

/**
 * A run that places one order at the demo site, with the run id as its reference, and then reads slow pages.
 * @param site URL of the site for workers
 * @param pages delay of each page in milliseconds, at most 10,000
 * @param gate URL of a page at which the run waits before them
 */
export function orderRun(site: string, pages: readonly number[] = [], fields: object = {}, gate?: string): object {
  return {
    ...fields,
    definition: {
      name: 'order',
      inputs: { password: { type: 'string', secret: true } },
      timeout: gate ? 600 : 280,
      steps: [
        { action: 'navigate', url: `${site}/login?next=/catalogue` },
        { action: 'fill', target: { label: 'E-mail' }, text: account.email },
        { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
        { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { url: '/catalogue' } },
        { action: 'navigate', url: `${site}/orders/new?sku=RL-1010&reference={{run.id}}` },
        { action: 'fill', target: { label: 'Delivery date' }, text: '2040-05-04' },
        { action: 'click', target: { label: 'I accept the terms of supply' } },
        {
          action: 'click',
          target: { role: 'button', name: 'Place order' },
          expect: { visible: { role: 'dialog', name: 'Place order?' } },
        },
        // The site accepts each of these as an order.
        {
          id: 'confirm',
          action: 'click',
          target: { role: 'button', name: 'Confirm', within: { role: 'dialog', name: 'Place order?' } },
          expect: { url: '*/orders/HS-*' },
          idempotent: false,
          onInterrupted: 'ask',
        },
        ...(gate ? waitAt(gate) : []),
        ...pages.map((ms) => ({
          action: 'navigate',
          url: `${site}/slow?ms=${ms}`,
          expect: { visible: { role: 'table', name: 'Tides today' } },
          timeout: 60,
        })),
      ],
    },
    inputs: { password: account.password },
  };
}
