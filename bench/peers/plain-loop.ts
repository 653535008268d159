import type { Page } from 'playwright-core';

/* The loop that people write first: list the controls, ask for JSON, act, repeat. It believes the claim of the model. */

export interface LoopOptions {
  /** Address of an OpenAI-compatible server, with `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key: string;
  readonly goal: string;
  readonly signal: AbortSignal;
}

/** Result of a try. */
export interface LoopResult {
  /** The model claimed success. */
  readonly isClaimed: boolean;
  readonly turns: number;
  readonly invalid: number;
  readonly tokens: number;
}

const MAX_TURNS = 12;
const CONTROLS = 'a[href], button, input, select, textarea';

const field = { type: 'string', maxLength: 200 };
const properties = { action: { enum: ['click', 'type', 'done'] }, index: { type: 'integer' }, text: field };
const json_schema = { name: 'action', schema: { type: 'object', properties, required: ['action'] } };

interface Answer {
  readonly action?: string;
  readonly index?: number;
  readonly text?: string;
}

/** @throws the reason of the signal, and errors of the model server */
export async function plainLoop(page: Page, { url, model, key, goal, signal }: LoopOptions): Promise<LoopResult> {
  const history: string[] = [];
  const counts = { turns: 0, invalid: 0, tokens: 0 };
  for (; counts.turns < MAX_TURNS; counts.turns += 1) {
    const controls = page.locator(CONTROLS);
    const list = await controls.evaluateAll((elements) =>
      elements
        .map(
          (each, index) =>
            `[${index}] ${each.tagName.toLowerCase()} "${each.getAttribute('aria-label') ?? (each as HTMLInputElement).labels?.[0]?.textContent ?? each.textContent}"`,
        )
        .join('\n'),
    );
    const content = `Goal: ${goal}\nPage: ${await page.title()}\n${list}\nDone so far:\n${history.join('\n') || 'nothing'}\nReply with the next action as JSON: {"action": "click", "index": N}, {"action": "type", "index": N, "text": "..."} or {"action": "done"}.`;
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({
        ...{ model, messages: [{ role: 'user', content }], max_tokens: 200, temperature: 0 },
        response_format: { type: 'json_schema', json_schema },
      }),
      signal,
    });
    if (!response.ok) throw new Error(`The model server answered HTTP ${response.status}`);
    const body = (await response.json()) as {
      choices: { message: { content: string } }[];
      usage?: { total_tokens: number };
    };
    counts.tokens += body.usage?.total_tokens ?? 0;
    try {
      const { action, index = -1, text = '' } = JSON.parse(body.choices[0]?.message.content ?? '') as Answer;
      if (action === 'done') return { isClaimed: true, ...counts, turns: counts.turns + 1 };
      const control = controls.nth(index);
      await (action === 'type' ? control.fill(text, { timeout: 5000 }) : control.click({ timeout: 5000 }));
      history.push(`${action} [${index}] ${text}`);
    } catch (error) {
      counts.invalid += 1;
      history.push(`failed: ${String(error).split('\n')[0]?.slice(0, 100)}`);
    }
  }
  return { isClaimed: false, ...counts };
}
