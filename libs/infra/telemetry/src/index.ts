export { createLog } from './log.ts';
export type { LogOptions } from './log.ts';
export { maskText, redactLogFields } from './redact.ts';
export { createMetrics } from './metrics.ts';
export { collectProcessMetrics } from './process.ts';
export type { CounterOf, GaugeOf, HistogramOf, MergedHistogramOf, Metrics } from './metrics.ts';
export type { Labels, LabelSpec, LabelValues } from './labels.ts';
