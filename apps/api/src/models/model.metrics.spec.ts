import type { ModelAnswer } from '@pilothouse/contract';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { ModelMetrics } from './model.metrics.ts';

test('calls are counted with their tokens, seconds and dollars, by what became of them', async () => {
  const metrics = createMetrics({ prefix: 'spec' });
  const measured = new ModelMetrics(metrics);
  const ref = { provider: 'openai' as const, model: 'gpt-5-mini' };
  const answer: ModelAnswer = {
    text: '',
    calls: [],
    finish: 'stop',
    ...ref,
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60 },
    usd: 0.25,
    ms: 1_500,
  };
  measured.answered(ref, 'act', answer, 'calls');
  measured.answered(ref, 'act', { ...answer, usd: null }, 'invalid');
  measured.failed(ref, 'see', 'MODEL_UNAVAILABLE');
  measured.failed(ref, 'see', 'BUDGET_EXCEEDED');
  const lines = (await metrics.read()).body.split('\n');
  const of = 'provider="openai",model="gpt-5-mini"';
  for (const line of [
    `spec_model_calls_total{${of},role="act",outcome="calls"} 1`,
    `spec_model_calls_total{${of},role="act",outcome="invalid"} 1`,
    `spec_model_calls_total{${of},role="see",outcome="unavailable"} 1`,
    `spec_model_calls_total{${of},role="see",outcome="other"} 1`,
    `spec_model_tokens_total{${of},role="act",kind="input"} 200`,
    `spec_model_tokens_total{${of},role="act",kind="cached"} 120`,
    `spec_model_usd_total{${of},role="act"} 0.25`,
    `spec_model_call_seconds_sum{${of},role="act"} 3`,
  ])
    expect(lines).toContain(line);
});
