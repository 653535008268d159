import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { ModelMetrics } from './model-call.metrics.ts';

test('calls are counted with their tokens, seconds and dollars, by result', async () => {
  const metrics = createMetrics({ prefix: 'spec' });
  const measured = new ModelMetrics(metrics);
  const ref = { provider: 'openai', protocol: 'openai' as const, model: 'gpt-5-mini' };
  const answer: ModelAnswer = {
    text: '',
    calls: [],
    finish: 'stop',
    provider: 'openai',
    model: 'gpt-5-mini',
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 60 },
    usd: 0.25,
    durationMs: 1_500,
  };
  const textRequest = { role: 'act' as const, messages: [{ role: 'user' as const, parts: [{ text: 'What next?' }] }] };
  const image = { contentType: 'image/jpeg' as const, data: 'Yg==' };
  const imageRequest = { role: 'vision' as const, messages: [{ role: 'user' as const, parts: [{ image }] }] };
  measured.onAnswer(ref, textRequest, answer, 'calls');
  measured.onAnswer(ref, textRequest, { ...answer, usd: null }, 'invalid');
  measured.onFailure(ref, imageRequest, 'MODEL_UNAVAILABLE');
  measured.onFailure(ref, imageRequest, 'BUDGET_EXCEEDED');
  const lines = (await metrics.read()).body.split('\n');
  const labels = 'provider="openai",model="gpt-5-mini"';
  for (const line of [
    `spec_model_calls_total{${labels},role="act",tier="text",outcome="calls"} 1`,
    `spec_model_calls_total{${labels},role="act",tier="text",outcome="invalid"} 1`,
    `spec_model_calls_total{${labels},role="vision",tier="vision",outcome="unavailable"} 1`,
    `spec_model_calls_total{${labels},role="vision",tier="vision",outcome="other"} 1`,
    `spec_model_tokens_total{${labels},role="act",tier="text",kind="input"} 200`,
    `spec_model_tokens_total{${labels},role="act",tier="text",kind="cached"} 120`,
    `spec_model_usd_total{${labels},role="act",tier="text"} 0.25`,
    `spec_model_call_seconds_sum{${labels},role="act",tier="text"} 3`,
  ])
    expect(lines).toContain(line);
});
